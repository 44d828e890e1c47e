"""The log in a database: SQLAlchemy Core on SQLite or PostgreSQL, with group commit.

One task writes. It takes whatever is queued, up to BATCH entries, commits it as one
transaction, and only then tells those who wait; while it commits, the next batch gathers.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import tempfile
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from keypeg.rules.series import Seat
from keypeg.store import codec, failpoints
from keypeg.store.batching import Batched
from keypeg.store.engines import (
    PATIENCE,
    parse_address,
    patience_with,
    reader_engine,
    writer_engine,
)
from keypeg.store.errors import Broken, Moved, StoreError, Unavailable, Unreadable
from keypeg.store.faults import FAULTS, diagnose
from keypeg.store.log import SLICE, Card, Entry, Listed, Stage
from keypeg.store.migrations import migrate
from keypeg.store.paths import DATABASE, find_key, hold_alone
from keypeg.store.processes import Processes
from keypeg.store.schema import entries, facts, tables
from keypeg.store.vault import Vault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from sqlalchemy import URL, Row, Select
    from sqlalchemy.ext.asyncio import AsyncConnection

BATCH: Final = 512
MOST_ROWS: Final = 2_000
"""Entries of several tables that are read at once."""
_log = logging.getLogger(__name__)
_Columns = tuple[Any, ...]
_TABLE_SEAT: Final = "table"
_HEARTBEAT: Final = "last-beat"
_KEY_CHECK: Final = "key-check"
_TIME: Final = re.compile(rb"[0-9]{1,16}")
"""Milliseconds of UTC, with room for some 300,000 years."""
# Put together once: every table that is looked at again is read with one of these.
_READ: Final = (
    select(entries)
    .where(entries.c.table_id.in_(bindparam("tables", expanding=True)))
    .order_by(entries.c.table_id, entries.c.seq)
    .limit(MOST_ROWS)
)
_Place = tuple[str, int]


@cache
def _read_on(tables: int) -> Select[*_Columns]:
    """What follows some entry in each of so many tables."""
    each = (
        and_(
            entries.c.table_id == bindparam(f"table{number}"),
            entries.c.seq > bindparam(f"after{number}"),
        )
        for number in range(tables)
    )
    return select(entries).where(or_(*each)).order_by(entries.c.table_id, entries.c.seq)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


class SqlLog:
    """Every table's log in one database. Made by `open`, ended by `close`."""

    def __init__(
        self, url: URL, vault: Vault, folder: _Folder | None, patience: float | None
    ) -> None:
        self._url, self._vault = url, vault
        self._patience = patience_with(url, patience)
        self._folder = folder
        self._hold: int | None = None
        self._writer = writer_engine(url)
        self._readers = reader_engine(url)
        self._whole = Batched(self._read_whole)
        self._news = Batched(self._read_news)
        self._queue: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._closed: StoreError | None = None
        self.trouble: str | None = None
        """Why the last write failed, if the database was at fault."""
        self._writing: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._held: AsyncConnection | None = None
        self._keeps = url.get_backend_name() == "sqlite"

    @classmethod
    async def open(
        cls,
        address: str = "sqlite://",
        key: bytes | None = None,
        *,
        alone: bool = False,
        patience: float | None = PATIENCE,
    ) -> SqlLog:
        """The log at an address, migrated. Without a key, the one kept for it is found or made.

        `sqlite://` alone is a log of its own that is gone when it is closed. A SQLite file can
        be opened by one process `alone`, and by others that do not insist on that. `patience`
        is how many seconds PostgreSQL has for anything but being brought up to date.
        """
        url, folder = _settle_down(parse_address(address))
        log = cls(url, Vault(key or find_key(url)), folder, patience)
        try:
            if alone:
                log._hold = hold_alone(url)
            await log._begin()
        except BaseException:
            await log._dispose()
            raise
        return log

    async def _begin(self) -> None:
        try:
            async with self._writer.begin() as connection:
                await connection.run_sync(migrate)
                await self._check_key(connection)
        except FAULTS as fault:
            raise diagnose(fault) from fault
        self._writing = asyncio.create_task(self._write_on())

    async def _check_key(self, connection: AsyncConnection) -> None:
        found = await connection.scalar(select(facts.c.value).where(facts.c.name == _KEY_CHECK))
        if found is None:
            check = self._vault.lock(b"keypeg", _KEY_CHECK.encode())
            await connection.execute(insert(facts), {"name": _KEY_CHECK, "value": check})
        else:
            self._vault.unlock(found, _KEY_CHECK.encode())

    @property
    def shared(self) -> bool:
        """Whether other processes may be writing to the same log."""
        return self._url.get_backend_name() != "sqlite"

    @property
    def broken(self) -> bool:
        """Whether the disk has failed: nothing can be trusted until a restart."""
        return isinstance(self._closed, Broken)

    def processes(self, process: str) -> Processes:
        """What this process, by this name, shares with others besides the log."""
        return Processes(self._url, process, self._patience)

    async def close(self) -> None:
        """Write what is queued, accept no more, and let go of the database."""
        self._closed = self._closed or Unavailable("the log is closed")
        self._queue.put_nowait(None)
        if self._writing is not None:
            await self._writing
        await self._whole.close()
        await self._news.close()
        await self._dispose()

    async def _dispose(self) -> None:
        async with self._turn:
            await self._let_go()
        await self._writer.dispose()
        await self._readers.dispose()
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None
        if self._folder is not None:
            self._folder.cleanup()

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Write an entry; when this returns it is on disk."""
        if self._closed is not None:
            raise self._closed
        payload = codec.encode(entry.events, _place(table_id, entry.seq), self._vault)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Job(table_id, entry, card, payload, done))
        try:
            await done
        finally:
            # It knows the error that knows this frame: a circle for every refusal.
            del done

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries that follow `after`; none for a table that does not exist."""
        rows = await (self._news.get((table_id, after)) if after else self._whole.get(table_id))
        read: list[Entry] = []
        for start in range(0, len(rows), SLICE):
            if start:
                await asyncio.sleep(0)
            read += [self._entry(row) for row in rows[start : start + SLICE]]
        return read

    async def _read_whole(self, names: Sequence[str]) -> dict[str, Sequence[Row[*_Columns]]]:
        found: dict[str, Sequence[Row[*_Columns]]] = dict.fromkeys(names, ())
        rows = await self._fetch(_READ, {"tables": names})
        while True:
            found |= {name: list(of) for name, of in groupby(rows, lambda row: row.table_id)}
            if len(rows) < MOST_ROWS:
                return found
            # The last of them goes on, and those after it are still to come.
            last = rows[-1]
            further = {"table0": last.table_id, "after0": last.seq}
            rest = await self._fetch(_read_on(1), further)
            found[last.table_id] = [*found[last.table_id], *rest]
            left = [name for name in names if not found[name]]
            rows = await self._fetch(_READ, {"tables": left})

    async def _read_news(self, places: Sequence[_Place]) -> dict[_Place, Sequence[Row[*_Columns]]]:
        """What follows certain entries of certain tables; few rows of each, as a rule."""
        # Few kinds of statements, or preparing them would take longer than their fetching.
        asked = [*places, *[places[-1]] * (_power_of_two(len(places)) - len(places))]
        values: dict[str, Any] = {
            f"table{number}": table for number, (table, _) in enumerate(asked)
        }
        values |= {f"after{number}": after for number, (_, after) in enumerate(asked)}
        rows = await self._fetch(_read_on(len(asked)), values)
        found = {name: list(of) for name, of in groupby(rows, lambda row: row.table_id)}
        return {
            (table, after): [row for row in found.get(table, ()) if row.seq > after]
            for table, after in places
        }

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of these tables that there are not, or not any more."""
        found: set[str] = set()
        for start in range(0, len(names), BATCH):
            some = names[start : start + BATCH]
            rows = await self._fetch(select(tables.c.id).where(tables.c.id.in_(some)))
            found.update(row.id for row in rows)
        return {*names} - found

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> Sequence[Listed]:
        """Public tables, the latest changed first."""
        wanted = select(tables).where(tables.c.public == 1).order_by(tables.c.changed.desc())
        if stage is not None:
            wanted = wanted.where(tables.c.stage == stage.value)
        rows = await self._fetch(wanted.limit(limit))
        return [Listed(row.id, codec.one_of(Stage, row.stage), row.changed) for row in rows]

    async def cards(self) -> dict[str, Card]:
        """What is kept of every table beside its log."""
        rows = await self._fetch(select(tables).order_by(tables.c.id))
        return {
            row.id: Card(bool(row.public), codec.one_of(Stage, row.stage), row.due) for row in rows
        }

    async def running(self) -> Sequence[str]:
        """The tables whose clock runs."""
        rows = await self._fetch(select(tables.c.id).where(tables.c.due.is_not(None)))
        return [row.id for row in rows]

    async def heartbeat(self, at: int) -> None:
        """Note that the server was alive at this time."""
        fact = {"name": _HEARTBEAT, "value": str(at).encode()}
        failpoints.reach(failpoints.BEFORE_HEARTBEAT)
        with self._writing_down():
            async with self._transaction() as connection:
                kept = update(facts).where(facts.c.name == _HEARTBEAT).values(value=fact["value"])
                if (await connection.execute(kept)).rowcount == 0:
                    await connection.execute(insert(facts), fact)
            failpoints.reach(failpoints.AFTER_HEARTBEAT)

    async def last_heartbeat(self) -> int | None:
        """When the server was last known to be alive."""
        rows = await self._fetch(select(facts.c.value).where(facts.c.name == _HEARTBEAT))
        if not rows:
            return None
        if not _TIME.fullmatch(rows[0].value):
            raise Unreadable(f"the database's {_HEARTBEAT} is not a time; remove it from facts")
        return int(rows[0].value)

    def derive(self, purpose: str, secret: str = "") -> bytes:
        """32 bytes that follow from `secret`: the same in every process that has this log's key."""
        return self._vault.derive(purpose, secret)

    async def _fetch(
        self, wanted: Select[*_Columns], values: dict[str, Any] | None = None
    ) -> Sequence[Row[*_Columns]]:
        try:
            async with asyncio.timeout(self._patience), self._readers.connect() as connection:
                return (await connection.execute(wanted, values)).all()
        except FAULTS as fault:
            raise self._failing(diagnose(fault)) from fault

    def _entry(self, row: Row[*_Columns]) -> Entry:
        events = codec.decode(row.payload, _place(row.table_id, row.seq), self._vault)
        seat = None if row.seat == _TABLE_SEAT else codec.one_of(Seat, row.seat)
        return Entry(row.seq, row.at, seat, row.command_id, events)

    async def _write_on(self) -> None:
        """Commit batch after batch until told to stop."""
        while (job := await self._queue.get()) is not None:
            await self._settle([job, *self._queued(BATCH - 1)])

    def _queued(self, most: int | None = None) -> list[_Job]:
        """The next jobs, as many as wait or as are wanted; the word to stop stays in the queue."""
        jobs: list[_Job] = []
        while len(jobs) != most and not self._queue.empty():
            job = self._queue.get_nowait()
            if job is None:
                self._queue.put_nowait(None)
                break
            jobs.append(job)
        return jobs

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        """A transaction on the one writing connection.

        That of SQLite is kept for the next, since fetching it anew takes a third of what a batch
        takes; one to PostgreSQL is tried as it is fetched, in case it was lost meanwhile.
        """
        async with self._turn, asyncio.timeout(self._patience):
            if self._held is None:
                self._held = await self._writer.connect()
            try:
                async with self._held.begin():
                    yield self._held
            except BaseException:
                await self._let_go()
                raise
            if not self._keeps:
                await self._let_go()

    async def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            await held.close()

    async def _settle(self, batch: list[_Job]) -> None:
        """Write a batch and tell everyone in it how it went."""
        # The same order in every process, so that two batches cannot wait for each other.
        batch.sort(key=lambda job: job.table_id)
        try:
            if self._closed is not None and self.broken:
                raise self._closed
            refused = await self._commit(batch)
        except StoreError as error:
            # Those who queue are told too, and need not wait for one failure after another.
            batch += self._queued()
            refused = dict.fromkeys(map(id, batch), error.alone())
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            _log.error("a batch was not written: %s", type(error).__name__, exc_info=error)
            told = StoreError(f"this could not be written: {type(error).__name__}")
            refused = dict.fromkeys(map(id, batch), told)
        for job in batch:
            job.settle(refused.get(id(job)))

    async def _commit(self, batch: list[_Job]) -> dict[int, StoreError]:
        """Write all, or all but those that are refused."""
        with self._writing_down():
            try:
                return await self._commit_together(batch)
            except IntegrityError:
                return await self._commit_apart(batch)

    @contextmanager
    def _writing_down(self) -> Iterator[None]:
        try:
            yield
        except FAULTS as fault:
            raise self._troubled(diagnose(fault)) from fault
        if self.trouble is not None:
            _log.info("the database takes writes again")
            self.trouble = None

    def _troubled(self, error: StoreError) -> StoreError:
        """Say so once, however many writes fail, until one succeeds."""
        if self.trouble is None and isinstance(error, Unavailable):
            _log.warning("nothing can be written", extra={"reason": str(error)})
        self.trouble = str(error)
        return self._failing(error)

    def _failing(self, error: StoreError) -> StoreError:
        if isinstance(error, Broken) and not self.broken:
            _log.error("the database is broken: %s", error)
            self._closed = error
        return error

    async def _commit_together(self, batch: list[_Job]) -> dict[int, StoreError]:
        failpoints.reach(failpoints.BEFORE_BEGIN)
        async with self._transaction() as connection:
            await _insert(connection, batch)
            failpoints.reach(failpoints.AFTER_INSERT)
        failpoints.reach(failpoints.AFTER_COMMIT)
        return {}

    async def _commit_apart(self, batch: list[_Job]) -> dict[int, StoreError]:
        """The same, but an entry that is refused takes no other with it."""
        refused: dict[int, StoreError] = {}
        async with self._transaction() as connection:
            for job in batch:
                try:
                    async with connection.begin_nested():
                        await _insert(connection, [job])
                except IntegrityError:
                    refused[id(job)] = await _refusal(connection, job)
        return refused


_Folder = tempfile.TemporaryDirectory[str]


def _settle_down(url: URL) -> tuple[URL, _Folder | None]:
    """A folder for the database, where it needs one; one of its own, if none is named."""
    if url.get_backend_name() != "sqlite":
        return url, None
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return url, None
    folder = _Folder(prefix="keypeg-")
    return url.set(database=str(Path(folder.name) / DATABASE)), folder


@dataclass(slots=True)
class _Job:
    """An entry on its way to disk, and who waits for it."""

    table_id: str
    entry: Entry
    card: Card | None
    payload: bytes
    done: asyncio.Future[None]

    def settle(self, error: StoreError | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)

    def entry_row(self) -> dict[str, object]:
        entry = self.entry
        return {
            "table_id": self.table_id,
            "seq": entry.seq,
            "previous": entry.seq - 1 or None,
            "at": entry.at,
            "seat": _TABLE_SEAT if entry.seat is None else entry.seat.value,
            "command_id": entry.command_id,
            "payload": self.payload,
        }

    def table_row(self, card: Card) -> dict[str, object]:
        return {
            "named": self.table_id,
            "public": int(card.public),
            "stage": card.stage.value,
            "due": card.due,
            "changed": self.entry.at,
        }


_create_table = insert(tables).values(id=bindparam("named"))
_update_table = update(tables).where(tables.c.id == bindparam("named"))
_insert_entry = insert(entries)


async def _insert(connection: AsyncConnection, batch: list[_Job]) -> None:
    opened = [job.table_row(job.card) for job in batch if job.card and job.entry.seq == 1]
    changed = [job.table_row(job.card) for job in batch if job.card and job.entry.seq > 1]
    if opened:
        await connection.execute(_create_table, opened)
    if changed:
        await connection.execute(_update_table, changed)
    await connection.execute(_insert_entry, [job.entry_row() for job in batch])


async def _refusal(connection: AsyncConnection, job: _Job) -> StoreError:
    """Why the database did not take an entry."""
    last = select(func.max(entries.c.seq)).where(entries.c.table_id == job.table_id)
    at = await connection.scalar(last) or 0
    if at != job.entry.seq - 1:
        return Moved(f"the table is at entry {at}; entry {job.entry.seq} does not follow it")
    return StoreError("the database refuses this entry: it breaks a constraint")


def _place(table_id: str, seq: int) -> bytes:
    return f"{table_id}/{seq}".encode()
