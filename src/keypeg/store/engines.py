"""Connections to a database: what each must be told before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import URL, Connection, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from keypeg.rules.errors import CannotRead

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

READERS: Final = 4
ASIDE: Final = 2
PATIENCE: Final = 10.0
"""Seconds in which PostgreSQL must answer; a connection that does not is dropped.

SQLite needs none: it has its busy timeout, and a thread that waits for a disk cannot be stopped.
"""
BUSY_MILLISECONDS: Final = 5_000
_DRIVERS: Final = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
_DURABLE: Final = {"synchronous_commit": "on"}
_PRAGMAS: Final = (
    f"busy_timeout = {BUSY_MILLISECONDS}",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    f"journal_size_limit = {64 * 2**20}",
)


def parse_address(address: str) -> URL:
    """The database an address names: `sqlite:///path` or `postgresql://user@host/name`."""
    try:
        url = make_url(address)
        return url.set(drivername=_DRIVERS[url.get_backend_name()])
    except (ArgumentError, KeyError, ValueError):
        # An address may hold a password, so it is not repeated.
        raise CannotRead(
            "a database is given as sqlite:///path or postgresql://user@host/name"
        ) from None


def writer_engine(url: URL) -> AsyncEngine:
    """One connection, whose transactions take the write lock as they begin.

    A SQLite transaction that begins by reading and writes later fails when another got in
    between; one that begins IMMEDIATE waits its turn.
    """
    engine = _engine(url, 1)
    if _is_sqlite(url):
        event.listen(engine.sync_engine, "connect", _prepare)
        event.listen(engine.sync_engine, "begin", _begin_immediate)
    return engine


def reader_engine(url: URL) -> AsyncEngine:
    """Connections that cannot write, and whose reads wait for nobody."""
    # Nothing is begun on them, so there is nothing to roll back, which would take a while too.
    if not _is_sqlite(url):
        options = {"pool_reset_on_return": None, "isolation_level": "AUTOCOMMIT"}
        return _engine(url, READERS, {"default_transaction_read_only": "on"}, **options)
    engine = _engine(url, READERS, pool_reset_on_return=None)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "connect", _forbid_writing)
    return engine


def aside_engine(url: URL) -> AsyncEngine:
    """Connections to PostgreSQL for what is not worth waiting for the disk."""
    return _engine(url, ASIDE, {"synchronous_commit": "off"})


def _engine(
    url: URL, connections: int, told: dict[str, str] = _DURABLE, **options: Any
) -> AsyncEngine:
    """`told` is for PostgreSQL alone."""
    if not _is_sqlite(url):
        arguments = {"server_settings": told, "timeout": 5}
        options |= {"pool_pre_ping": True, "connect_args": arguments}
    return create_async_engine(
        url, pool_size=connections, max_overflow=0, hide_parameters=True, **options
    )


def patience_with(url: URL, seconds: float | None) -> float | None:
    """How long one call may take at a database of this kind; None is for ever."""
    return None if _is_sqlite(url) else seconds


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _prepare(connection: DBAPIConnection, _record: object) -> None:
    # Python's own transaction control would begin too late.
    connection.isolation_level = None
    _pragmas(connection, *_PRAGMAS)


def _forbid_writing(connection: DBAPIConnection, _record: object) -> None:
    _pragmas(connection, "query_only = ON")


def _pragmas(connection: DBAPIConnection, *pragmas: str) -> None:
    cursor = connection.cursor()
    for pragma in pragmas:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
