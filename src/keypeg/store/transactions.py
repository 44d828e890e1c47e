"""Transactions that write, for SQLite and for PostgreSQL.

Each runs a function of a plain SQLAlchemy connection, so that what it does is written once for
both databases.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from keypeg.store.database_file import DatabaseFile
from keypeg.store.engines import sqlite_writer_engine, writer_engine
from keypeg.store.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL, Connection

_T = TypeVar("_T")
_Job = tuple["Callable[[], Any]", asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Transactions(Protocol):
    """Runs one transaction after another."""

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:
        """Run `work` in a transaction, and commit it; `patience` is in seconds."""
        ...

    def check(self) -> None:
        """Raise Broken if the database is not the one that was opened."""

    async def close(self) -> None:
        """Close the connection."""


class SqliteTransactions:
    """One connection on a thread of its own.

    A transaction changes threads once, instead of once for each call of the driver. No timeout
    applies: a thread that waits for a disk cannot be stopped. But it does not hold up the end of
    the process either, as a thread of an executor would.
    """

    def __init__(self, url: URL) -> None:
        self._engine = sqlite_writer_engine(url)
        self._file = DatabaseFile(Path(str(url.database)))
        self._connection: Connection | None = None
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        threading.Thread(target=_work, args=[self._jobs], name="keypeg-writer", daemon=True).start()

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:  # noqa: ARG002
        """Run `work` in a transaction, and commit it."""
        if self._closed:
            raise Unavailable("the log is closed")
        result: _T = await self._on_thread(lambda: self._run(work))
        return result

    def check(self) -> None:
        """Raise Broken if the file was deleted or replaced. This takes three microseconds."""
        self._file.check()

    async def _on_thread(self, function: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        self._jobs.put((function, loop, done))
        try:
            return await done
        finally:
            del done  # it refers to the error, whose traceback refers to this frame

    def _run(self, work: Callable[[Connection], _T]) -> _T:
        try:
            opened = self._connection is None
            if self._connection is None:
                # Connecting to a file that was deleted would create a new one.
                self._file.check()
                self._connection = self._engine.connect()
            with self._connection.begin():
                if opened:
                    self._file.hold()
                result = work(self._connection)
            # After the commit: what was written is in a file that is still there.
            self._file.check()
        except BaseException:
            self._release()
            raise
        return result

    def _release(self) -> None:
        self._file.let_go()
        held, self._connection = self._connection, None
        if held is not None:
            held.close()

    def _dispose(self) -> None:
        self._release()
        self._engine.dispose()

    async def close(self) -> None:
        """Close the connection, after the transactions that were begun."""
        if not self._closed:
            self._closed = True
            try:
                await self._on_thread(self._dispose)
            finally:
                self._jobs.put(None)


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    """Do one job after another."""
    while (job := jobs.get()) is not None:
        function, loop, done = job
        result, error = None, None
        try:
            result = function()
        except BaseException as caught:  # noqa: BLE001 - whatever it is, somebody waits for it
            error = caught
        with suppress(RuntimeError):  # the event loop has ended
            loop.call_soon_threadsafe(_settle, done, result, error)
        del job, function, done, result, error


def _settle(done: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if done.done():
        return  # whoever waited was cancelled
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


class PostgresqlTransactions:
    """One connection at a time, from a pool that checks whether it still works."""

    def __init__(self, url: URL) -> None:
        self._engine = writer_engine(url)
        self._lock = asyncio.Lock()

    async def run(self, work: Callable[[Connection], _T], patience: float | None = None) -> _T:
        """Run `work` in a transaction, and commit it."""
        async with self._lock, asyncio.timeout(patience), self._engine.begin() as connection:
            return await connection.run_sync(work)

    def check(self) -> None:
        """Do nothing: PostgreSQL looks after its own files."""

    async def close(self) -> None:
        """Close the connection, after the transaction that was begun."""
        async with self._lock:
            await self._engine.dispose()


def transactions(url: URL) -> Transactions:
    """Transactions on the database at `url`."""
    sqlite = url.get_backend_name() == "sqlite"
    return SqliteTransactions(url) if sqlite else PostgresqlTransactions(url)
