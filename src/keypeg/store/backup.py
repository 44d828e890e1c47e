"""Backups: a copy of the whole log in one SQLite file, from and to either kind of database.

Entries are copied unchanged, so secrets stay encrypted. The key is not in a backup.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Table, create_engine, delete, func, insert, select, text

from keypeg import __version__
from keypeg.rules.errors import CannotRead, counted
from keypeg.store.database_file import check_header
from keypeg.store.engines import parse_address, reader_engine, writer_engine
from keypeg.store.errors import NotEmpty, Served, StoreError, Unavailable
from keypeg.store.faults import FAULTS, diagnose, not_a_database
from keypeg.store.migrations import migrate
from keypeg.store.schema import (
    contest_attempts,
    contest_codes,
    contest_entrants,
    contest_rows,
    contest_spectators,
    contests,
    daily_attempts,
    daily_counts,
    daily_rows,
    entries,
    facts,
    match_entries,
    matches,
    processes,
    tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL
    from sqlalchemy.ext.asyncio import AsyncConnection

    Progress = Callable[[int, int], None]

MARK: Final = "backup"
"""The name of the fact that marks a file as a backup."""
_PAGES: Final = 256
_ROWS: Final = 1_000
_DAILY: Final[tuple[Table, ...]] = (daily_attempts, daily_rows, daily_counts)
_CONTESTS: Final[tuple[Table, ...]] = (
    contests,
    contest_codes,
    contest_entrants,
    contest_spectators,
    contest_attempts,
    contest_rows,
)
_MATCHES: Final[tuple[Table, ...]] = (matches, match_entries)
_RESTORED: Final[tuple[Table, ...]] = (tables, entries, *_DAILY, *_CONTESTS, *_MATCHES)
_COPIED: Final[tuple[Table, ...]] = (*_RESTORED, facts)

_PLURALS: Final = {"match": "matches"}


def require_database(address: str) -> None:
    """Raise an error if there is no such SQLite file. Opening it would create it."""
    url = parse_address(address)
    if url.get_backend_name() != "sqlite":
        return
    path = Path(url.database or "")
    if not path.is_file():
        raise StoreError(
            f"there is no database {url.database}; name one with --database or KEYPEG_DATABASE"
        )
    check_header(url)


async def write_backup(address: str, draft: Path, progress: Progress) -> None:
    """Copy a consistent snapshot of a database, which may be in use, into a new file."""
    url = parse_address(address)
    try:
        if url.get_backend_name() == "sqlite":
            await asyncio.to_thread(_copy_sqlite, Path(url.database or ""), draft, progress)
        else:
            await _copy_postgresql(url, draft, progress)
    except FAULTS as fault:
        raise diagnose(fault, url) from fault
    except sqlite3.Error as fault:
        name = getattr(fault, "sqlite_errorname", type(fault).__name__)
        if name == "SQLITE_NOTADB":
            raise not_a_database(url) from fault
        raise Unavailable(f"the backup cannot be written: {name}") from fault


def _copy_sqlite(source: Path, draft: Path, progress: Progress) -> None:
    """Use SQLite's online backup in one read transaction, which does not block writers."""
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as live,
        closing(sqlite3.connect(draft)) as copy,
    ):
        live.isolation_level = None
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM tables").fetchone()
        live.backup(copy, pages=_PAGES, progress=lambda _, left, of: progress(of - left, of))


async def _copy_postgresql(url: URL, draft: Path, progress: Progress) -> None:
    """Copy all rows as they are in one snapshot of the database."""
    engine = reader_engine(url)
    try:
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            of = await connection.scalar(select(func.count()).select_from(entries)) or 0
            with _new_file(draft) as file:
                for table in _COPIED:
                    await _copy_rows(connection, table, file, of, progress)
    finally:
        await engine.dispose()


@contextmanager
def _new_file(draft: Path) -> Iterator[sqlite3.Connection]:
    engine = create_engine(f"sqlite:///{draft}")
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    with closing(sqlite3.connect(draft)) as file:
        yield file
        file.commit()


async def _copy_rows(
    connection: AsyncConnection, table: Table, file: sqlite3.Connection, of: int, progress: Progress
) -> None:
    parameters = ", ".join("?" * len(table.c))
    statement = f"INSERT INTO {table.name} VALUES ({parameters})"  # noqa: S608 - our own names
    done = 0
    rows = await connection.stream(select(table).order_by(*table.primary_key.columns))
    async for some in rows.partitions(_ROWS):
        file.executemany(statement, map(tuple, some))
        done += len(some)
        if table is entries:
            progress(done, of)


def finish(draft: Path) -> None:
    """Turn a verified copy into a backup: mark it, and make it a single file."""
    with closing(sqlite3.connect(draft)) as file:
        # These tables describe running processes, and mean nothing after a restore.
        for table in ("processes", "presence", "spent"):
            if file.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone():
                file.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
        file.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", [MARK, __version__.encode()])
        file.commit()
        # Without a write-ahead log, the backup is a single file.
        file.execute("PRAGMA journal_mode = DELETE")


def check_backup(path: Path) -> None:
    """Raise an error if a file is not an undamaged backup."""
    refusal = f"{path} is not a backup made by 'keypeg backup'"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            found = file.execute("SELECT value FROM facts WHERE name = ?", [MARK]).fetchone()
            whole = file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    except sqlite3.Error:
        raise CannotRead(refusal) from None
    if found is None:
        raise CannotRead(refusal)
    if not whole:
        raise CannotRead(f"{path} is damaged; SQLite's integrity check fails")


async def put_back(copy: Path, address: str, progress: Progress) -> int:
    """Write all rows of a backup into an empty database, in one transaction.

    Returns the number of entries. The caller must have locked a SQLite file; for PostgreSQL, this
    function checks that no server is using the database.
    """
    url = parse_address(address)
    shared = url.get_backend_name() != "sqlite"
    engine = writer_engine(url)
    try:
        async with engine.begin() as connection:
            if shared:
                await _refuse_served(connection)
                # A server that starts now waits for the lock, and then sees the restored heartbeat.
                await connection.execute(text("LOCK TABLE facts IN ACCESS EXCLUSIVE MODE"))
            await _refuse_full(connection)
            with closing(sqlite3.connect(copy)) as file:
                file.row_factory = sqlite3.Row
                done = await _put_rows(connection, file, progress)
            if shared:
                await _refuse_served(connection)
            return done
    except FAULTS as fault:
        raise diagnose(fault) from fault
    finally:
        await engine.dispose()


async def _refuse_full(connection: AsyncConnection) -> None:
    for table, noun in (
        (tables, "table"),
        (daily_attempts, "daily attempt"),
        (daily_counts, "daily count"),
        (contests, "contest"),
        (matches, "match"),
    ):
        there = await connection.scalar(select(func.count()).select_from(table)) or 0
        if there:
            raise NotEmpty(
                f"the database is not empty: it has {counted(there, noun, _PLURALS.get(noun))}; "
                "a backup is restored into an empty database"
            )


async def _refuse_served(connection: AsyncConnection) -> None:
    """A running server would overwrite the restored heartbeat, and no time would be credited."""
    alive = select(processes.c.id).where(processes.c.until > time.time_ns() // 1_000_000)
    if await connection.scalar(alive.limit(1)) is not None:
        raise Served(
            "this database is in use by a running server; stop that first (one that was killed "
            "counts as running for another ten seconds)"
        )


async def _put_rows(
    connection: AsyncConnection, file: sqlite3.Connection, progress: Progress
) -> int:
    of: int = file.execute("SELECT count(*) FROM entries").fetchone()[0]
    done = 0
    for table in _RESTORED:
        keys = ", ".join(column.name for column in table.primary_key.columns)
        rows = file.execute(f"SELECT * FROM {table.name} ORDER BY {keys}")  # noqa: S608 - ours
        while some := rows.fetchmany(_ROWS):
            await connection.execute(insert(table), [dict(row) for row in some])
            if table is entries:
                done += len(some)
                progress(done, of)
    heartbeat: Any = file.execute(
        "SELECT name, value FROM facts WHERE name = 'last-beat'"
    ).fetchone()
    if heartbeat is not None:
        # Running turns are credited with the time since this heartbeat. A database from which all
        # tables were pruned still has a heartbeat of its own, which is replaced.
        await connection.execute(delete(facts).where(facts.c.name == heartbeat["name"]))
        await connection.execute(insert(facts), dict(heartbeat))
    return done
