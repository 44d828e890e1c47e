"""Transactions that write, for SQLite and for PostgreSQL.

Each runs a function of a plain SQLAlchemy connection, so that what it does is written once for
both databases.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

from keypeg.store.engines import sqlite_writer_engine, writer_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL, Connection

_T = TypeVar("_T")


class Transactions(Protocol):
    """Runs one transaction after another."""

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:
        """Run `work` in a transaction, and commit it; `patience` is in seconds."""
        ...

    async def close(self) -> None:
        """Close the connection."""


class SqliteTransactions:
    """One connection on a thread of its own.

    A transaction changes threads once, instead of once for each call of the driver, which took a
    fifth of the time of a move. No timeout applies: a thread that waits for a disk cannot be
    stopped.
    """

    def __init__(self, url: URL) -> None:
        self._engine = sqlite_writer_engine(url)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keypeg-writer")
        self._connection: Connection | None = None

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:  # noqa: ARG002
        """Run `work` in a transaction, and commit it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    def _run(self, work: Callable[[Connection], _T]) -> _T:
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            with self._connection.begin():
                return work(self._connection)
        except BaseException:
            self._release()
            raise

    def _release(self) -> None:
        held, self._connection = self._connection, None
        if held is not None:
            held.close()

    async def close(self) -> None:
        """Close the connection, after the transactions that were begun."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._release)
        self._thread.shutdown()
        self._engine.dispose()


class PostgresqlTransactions:
    """One connection at a time, from a pool that checks whether it still works."""

    def __init__(self, url: URL) -> None:
        self._engine = writer_engine(url)
        self._lock = asyncio.Lock()

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:
        """Run `work` in a transaction, and commit it."""
        async with self._lock, asyncio.timeout(patience), self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        """Close the connection, after the transaction that was begun."""
        async with self._lock:
            await self._engine.dispose()


def transactions(url: URL) -> Transactions:
    """Transactions on the database at `url`."""
    sqlite = url.get_backend_name() == "sqlite"
    return SqliteTransactions(url) if sqlite else PostgresqlTransactions(url)
