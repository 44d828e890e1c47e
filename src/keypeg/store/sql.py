"""The log in a database: SQLAlchemy Core on SQLite or PostgreSQL, with group commit.

One task writes. It takes all queued entries, up to BATCH, commits them in one transaction, and then
wakes their callers. The next batch collects while it commits, and under load a little longer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import tempfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from keypeg.rules.series import Seat
from keypeg.store import codec, failpoints
from keypeg.store.chain import PURPOSE as CHAIN
from keypeg.store.chain import START, Chain
from keypeg.store.database_file import check_header, keep_private
from keypeg.store.engines import PATIENCE, parse_address, reader_engine, timeout_for
from keypeg.store.entry_rows import EntryRows
from keypeg.store.errors import Broken, Moved, StoreError, Unavailable, Unreadable
from keypeg.store.faults import FAULTS, clear_frames, diagnose
from keypeg.store.health import Health
from keypeg.store.key_check import check_key
from keypeg.store.log import SLICE, Card, Entry, Listed, Stage
from keypeg.store.migrations import migrate
from keypeg.store.paths import DATABASE, find_key, hold_alone, naming_key
from keypeg.store.processes import Processes
from keypeg.store.rows import QueuedEntry, insert_batch, insert_one_by_one
from keypeg.store.schema import facts, tables
from keypeg.store.transactions import transactions
from keypeg.store.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import URL, Connection, Row, Select

    from keypeg.rules.commitment import Opening

BATCH: Final = 512
BUSY: Final = 4
"""As many entries in a batch are a sign of load."""
BUSY_SECONDS: Final = 0.006
"""Under load, batches begin at most this often.

A commit takes about the processor time of fifteen entries, however many there are in it. Alone, a
player never waits for others.
"""
_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_Columns = tuple[Any, ...]
_TABLE_SEAT: Final = "table"
_HEARTBEAT: Final = "last-beat"
_TIME: Final = re.compile(rb"[0-9]{1,16}")
"""Milliseconds since the epoch."""


class SqlLog:
    """The logs of all tables in one database. Create it with `open`, and end it with `close`."""

    def __init__(
        self, url: URL, vault: Vault, folder: _Folder | None, patience: float | None
    ) -> None:
        self._url, self._vault = url, vault
        self._chain = Chain(vault.derive(CHAIN))
        self._given_macs = 0
        self._patience = timeout_for(url, patience)
        self._folder = folder
        self._lock_file: int | None = None
        self._transactions = transactions(url)
        self._readers = reader_engine(url)
        self._rows = EntryRows(self)
        self._queue: asyncio.Queue[QueuedEntry | None] = asyncio.Queue()
        self._health = Health()
        self._closed: StoreError | None = None
        self._writing: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        address: str = "sqlite://",
        key: bytes | None = None,
        *,
        alone: bool = False,
        patience: float | None = PATIENCE,
    ) -> SqlLog:
        """Open the log at an address, and migrate it. The default key is that of `find_key`.

        The address `sqlite://` stands for a temporary log that is deleted when it is closed. Only
        one process can open a SQLite file with `alone`; others can open it without. `patience` is
        the timeout in seconds of every call to PostgreSQL, except for the migration.
        """
        url, folder = _prepare_folder(parse_address(address))
        log = cls(url, Vault(key or find_key(url)), folder, patience)
        try:
            if alone:
                log._lock_file = hold_alone(url)
            with naming_key(url) if key is None else nullcontext():
                await log._begin()
        except BaseException:
            await log._dispose()
            raise
        return log

    async def _begin(self) -> None:
        try:
            # Without a timeout: a migration may take long.
            await self._transactions.run(self._prepare)
        except FAULTS as fault:
            raise diagnose(fault, self._url) from fault
        if self._given_macs:
            _log.warning(
                "%s entries that an older keypeg wrote are authenticated from now on; if this "
                "database was opened by this version before, somebody has changed it",
                f"{self._given_macs:,}",
            )
        self._writing = asyncio.create_task(self._write_batches())

    def _prepare(self, connection: Connection) -> None:
        migrate(connection)
        self._given_macs = check_key(connection, self._vault, self._chain)

    @property
    def shared(self) -> bool:
        """Whether other processes may write to the same log."""
        return self._url.get_backend_name() != "sqlite"

    @property
    def broken(self) -> bool:
        """Whether the disk has failed, so that nothing can be trusted until a restart."""
        return self._health.broken is not None

    def look(self) -> None:
        """Find out whether the database is still the one that was opened: see `broken`."""
        try:
            self._transactions.check()
        except Broken as error:
            self._health.failed(error.alone())

    @property
    def trouble(self) -> str | None:
        """Why the last write failed, or None if it succeeded."""
        return self._health.trouble

    def processes(self, process: str) -> Processes:
        """What this process, with this name, shares with other processes besides the log."""
        return Processes(self._url, process, self._patience)

    async def close(self) -> None:
        """Write what is queued, accept nothing more, and close the connections."""
        self._closed = self._closed or Unavailable("the log is closed")
        self._queue.put_nowait(None)
        if self._writing is not None:
            await self._writing
        await self._rows.close()
        await self._dispose()

    async def _dispose(self) -> None:
        await self._transactions.close()
        await self._readers.dispose()
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None
        if self._folder is not None:
            self._folder.cleanup()

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Write an entry. When this returns, the entry is on disk."""
        if refusal := self._health.broken or self._closed:
            raise refusal.alone()
        payload = codec.encode(entry.events, _context(table_id, entry.seq), self._vault)
        previous = await self._mac_of(table_id, entry.seq - 1)
        if previous is None:
            raise Moved(f"the table has no entry {entry.seq - 1} for entry {entry.seq} to follow")
        seat = _TABLE_SEAT if entry.seat is None else entry.seat.value
        mac = self._chain.link(
            previous, table_id, entry.seq, entry.at, seat, entry.command_id, payload
        )
        end = self._chain.end(table_id, entry.seq, mac)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(QueuedEntry(table_id, entry, card, seat, payload, mac, end, done))
        try:
            await done
            self._chain.remember(table_id, entry.seq, mac)
        finally:
            # The future refers to the error, whose traceback refers to this frame. Without this,
            # every error would leave a reference cycle.
            del done

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries after the entry `after`. Empty for a table that does not exist."""
        mac = self._chain.known(table_id, after)
        if after:
            rows = await self._rows.after(table_id, after - (mac is None))
        else:
            rows = await self._rows.whole(table_id)
        if mac is None:
            mac, rows = (rows[0].mac if rows else START), rows[1:]
        read: list[Entry] = []
        for start in range(0, len(rows), SLICE):
            if start:
                await asyncio.sleep(0)
            for row in rows[start : start + SLICE]:
                mac = self._chain.check_link(
                    mac, table_id, row.seq, row.at, row.seat, row.command_id, row.payload, row.mac
                )
                read.append(_entry(row, self._vault))
        if rows:
            self._chain.check_end(table_id, rows[-1].seq, mac, rows[-1].end)
        return read

    async def _mac_of(self, table_id: str, seq: int) -> bytes | None:
        """The MAC of an entry, or None if there is no such entry. Usually it is in memory."""
        known = self._chain.known(table_id, seq)
        if known is not None:
            return known
        rows = await self._rows.after(table_id, seq - 1)
        return rows[0].mac if rows else None

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of the given tables that do not exist (any longer)."""
        found: set[str] = set()
        for start in range(0, len(names), BATCH):
            some = names[start : start + BATCH]
            rows = await self.fetch(select(tables.c.id).where(tables.c.id.in_(some)))
            found.update(row.id for row in rows)
        return {*names} - found

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> Sequence[Listed]:
        """Public tables, the most recently changed first."""
        wanted = select(tables).where(tables.c.public == 1).order_by(tables.c.changed.desc())
        if stage is not None:
            wanted = wanted.where(tables.c.stage == stage.value)
        rows = await self.fetch(wanted.limit(limit))
        return [Listed(row.id, codec.one_of(Stage, row.stage), row.changed) for row in rows]

    async def cards(self) -> dict[str, Card]:
        """The cards of all tables."""
        rows = await self.fetch(select(tables).order_by(tables.c.id))
        return {
            row.id: Card(bool(row.public), codec.one_of(Stage, row.stage), row.due) for row in rows
        }

    async def running(self) -> Sequence[str]:
        """The tables whose clock is running."""
        rows = await self.fetch(select(tables.c.id).where(tables.c.due.is_not(None)))
        return [row.id for row in rows]

    async def heartbeat(self, at: int) -> None:
        """Record that the server was running at this time."""
        if refusal := self._health.broken or self._closed:
            raise refusal.alone()
        failpoints.reach(failpoints.BEFORE_HEARTBEAT)
        with self._health.writing():
            await self._write(partial(_keep_heartbeat, str(at).encode()))
            failpoints.reach(failpoints.AFTER_HEARTBEAT)

    async def last_heartbeat(self) -> int | None:
        """The time of the last heartbeat, or None."""
        rows = await self.fetch(select(facts.c.value).where(facts.c.name == _HEARTBEAT))
        if not rows:
            return None
        if not _TIME.fullmatch(rows[0].value):
            raise Unreadable(f"the database's {_HEARTBEAT} is not a time; remove it from facts")
        return int(rows[0].value)

    @property
    def vault(self) -> Vault:
        """What encrypts the secrets of this database."""
        return self._vault

    def derive(self, purpose: str, secret: str = "") -> bytes:
        """32 bytes derived from `secret`, the same in every process with the key of this log."""
        return self._vault.derive(purpose, secret)

    def lock(self, opening: Opening, context: str) -> bytes:
        """A secret, encrypted for a context that no other secret has."""
        return codec.lock_opening(opening, context.encode(), self._vault)

    def unlock(self, locked: bytes, context: str) -> Opening:
        """The secret that was encrypted for this context."""
        return codec.unlock_opening(locked, context.encode(), self._vault)

    async def fetch(
        self, wanted: Select[*_Columns], values: dict[str, Any] | None = None
    ) -> Sequence[Row[*_Columns]]:
        """Read rows, without waiting for what is being written."""
        with self._health.reading():
            async with asyncio.timeout(self._patience), self._readers.connect() as connection:
                return (await connection.execute(wanted, values)).all()

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction of its own. When this returns, it is on disk."""
        if refusal := self._health.broken or self._closed:
            raise refusal.alone()
        failpoints.reach(failpoints.BEFORE_BEGIN)
        with self._health.writing():
            done = await self._write(work)
        failpoints.reach(failpoints.AFTER_COMMIT)
        return done

    async def _write(self, work: Callable[[Connection], _T]) -> _T:
        return await self._transactions.run(work, self._patience)

    async def _write_batches(self) -> None:
        """Commit batches until None is taken from the queue."""
        loop, due = asyncio.get_running_loop(), 0.0
        while (job := await self._queue.get()) is not None:
            if (early := due - loop.time()) > 0:
                await _wait_for_more(early)
            began, batch = loop.time(), [job, *_taken(self._queue, BATCH - 1)]
            if len(batch) >= BUSY:
                due = began + BUSY_SECONDS
            await self._settle(batch)

    async def _settle(self, batch: list[QueuedEntry]) -> None:
        """Write a batch, and give the result to the caller of each entry."""
        # The same order in every process prevents deadlocks.
        batch.sort(key=lambda job: job.table_id)
        try:
            if self._health.broken is not None:
                raise self._health.broken.alone()
            refused = await self._commit(batch)
        except StoreError as error:
            # Queued entries fail too, so that they do not wait for one timeout after another.
            batch += _taken(self._queue)
            refused = dict.fromkeys(map(id, batch), error.alone())
        except Exception as error:  # noqa: BLE001 - callers must be woken after any error
            _log.error("a batch was not written: %s", type(error).__name__, exc_info=error)
            failure = StoreError(f"the entry could not be written: {type(error).__name__}")
            refused = dict.fromkeys(map(id, batch), failure)
        for job in batch:
            job.settle(refused.get(id(job)))

    async def _commit(self, batch: list[QueuedEntry]) -> dict[int, StoreError]:
        """Write a batch. Returns the errors of the entries that were refused, by id of the job."""
        with self._health.writing():
            try:
                return await self._commit_together(batch)
            except IntegrityError as error:
                clear_frames(error)
            # Each with a savepoint of its own, so that one refused entry fails alone.
            return await self._write(partial(insert_one_by_one, batch))

    async def _commit_together(self, batch: list[QueuedEntry]) -> dict[int, StoreError]:
        failpoints.reach(failpoints.BEFORE_BEGIN)
        await self._write(partial(insert_batch, batch))
        failpoints.reach(failpoints.AFTER_COMMIT)
        return {}


_Folder = tempfile.TemporaryDirectory[str]


async def _wait_for_more(seconds: float) -> None:
    """Let entries collect for the next batch; a function of its own for the tests."""
    await asyncio.sleep(seconds)


def _prepare_folder(url: URL) -> tuple[URL, _Folder | None]:
    """Create the folder of a SQLite file. If no file is named, use a temporary folder."""
    if url.get_backend_name() != "sqlite":
        return url, None
    if url.database:
        check_header(url)
        Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        keep_private(url)
        return url, None
    folder = _Folder(prefix="keypeg-")
    return url.set(database=str(Path(folder.name) / DATABASE)), folder


def _taken(queue: asyncio.Queue[QueuedEntry | None], most: int | None = None) -> list[QueuedEntry]:
    """Up to `most` jobs, taken from the queue. A None, which ends the writer, stays in it."""
    jobs: list[QueuedEntry] = []
    while len(jobs) != most and not queue.empty():
        job = queue.get_nowait()
        if job is None:
            queue.put_nowait(None)
            break
        jobs.append(job)
    return jobs


def _entry(row: Row[*_Columns], vault: Vault) -> Entry:
    events = codec.decode(row.payload, _context(row.table_id, row.seq), vault)
    seat = None if row.seat == _TABLE_SEAT else codec.one_of(Seat, row.seat)
    return Entry(row.seq, row.at, seat, row.command_id, events)


def _keep_heartbeat(value: bytes, connection: Connection) -> None:
    kept = update(facts).where(facts.c.name == _HEARTBEAT).values(value=value)
    if connection.execute(kept).rowcount == 0:
        connection.execute(insert(facts), {"name": _HEARTBEAT, "value": value})


def _context(table_id: str, seq: int) -> bytes:
    return f"{table_id}/{seq}".encode()
