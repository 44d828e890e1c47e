"""Connections to a database, and how they are configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from keypeg.rules.errors import CannotRead

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

READERS: Final = 4
ASIDE: Final = 2
PATIENCE: Final = 10.0
"""Seconds in which PostgreSQL must answer. A connection that does not is dropped.

SQLite has its own busy timeout, and a thread that waits for the disk cannot be interrupted.
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
    """Read the address of a database: `sqlite:///path` or `postgresql://user@host/name`."""
    try:
        url = make_url(address)
        known = url.set(drivername=_DRIVERS[url.get_backend_name()])
    except (ArgumentError, KeyError, ValueError):
        # The message does not quote the address, which may contain a password.
        raise CannotRead(
            "the database address is not valid; use sqlite:///path or postgresql://user@host/name"
        ) from None
    if _is_sqlite(known) and known.database == "":
        raise CannotRead("sqlite:/// names no file; use sqlite:///path")
    return known


def writer_engine(url: URL) -> AsyncEngine:
    """One connection, whose transactions take the write lock when they begin.

    A SQLite transaction that first reads and then writes fails if another writer came in between.
    One that begins IMMEDIATE waits for the lock instead.
    """
    engine = _engine(url, 1)
    if _is_sqlite(url):
        event.listen(engine.sync_engine, "connect", _prepare)
        event.listen(engine.sync_engine, "begin", _begin_immediate)
    return engine


def sqlite_writer_engine(url: URL) -> Engine:
    """The same as a synchronous engine, for the thread that writes to SQLite."""
    address = url.set(drivername="sqlite")
    engine = create_engine(address, pool_size=1, max_overflow=0, hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def reader_engine(url: URL) -> AsyncEngine:
    """Read-only connections. Their reads are not blocked by writers."""
    # They begin no transactions, so the rollback when a connection is returned is left out.
    if not _is_sqlite(url):
        options = {"pool_reset_on_return": None, "isolation_level": "AUTOCOMMIT"}
        return _engine(url, READERS, {"default_transaction_read_only": "on"}, **options)
    engine = _engine(url, READERS, pool_reset_on_return=None)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "connect", _forbid_writing)
    return engine


def unsynced_engine(url: URL) -> AsyncEngine:
    """Connections to PostgreSQL for writes that need not survive a crash."""
    return _engine(url, ASIDE, {"synchronous_commit": "off"})


def _engine(
    url: URL, connections: int, settings: dict[str, str] = _DURABLE, **options: Any
) -> AsyncEngine:
    """An engine with a pool of connections. `settings` are used for PostgreSQL only."""
    if not _is_sqlite(url):
        arguments = {"server_settings": settings, "timeout": 5}
        options |= {"pool_pre_ping": True, "connect_args": arguments}
    try:
        return create_async_engine(
            url, pool_size=connections, max_overflow=0, hide_parameters=True, **options
        )
    except ModuleNotFoundError:
        raise CannotRead(
            "PostgreSQL needs asyncpg, which is not installed: pip install 'keypeg[postgres]'"
        ) from None


def timeout_for(url: URL, seconds: float | None) -> float | None:
    """The timeout of one call to a database of this kind. None for SQLite: no timeout."""
    return None if _is_sqlite(url) else seconds


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _prepare(connection: DBAPIConnection, _record: object) -> None:
    # Otherwise Python's sqlite3 module would begin transactions itself, and later.
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
