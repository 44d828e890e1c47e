"""Being one of several processes on one database: any of them serves any table.

The log's unique keys make that safe; this module makes it fast. A move made elsewhere is taken in
when the bus says so, and in any case within a second, by one query for all tables that
are watched here. Who is connected where is noted in the database, so that nobody is claimed
absent who is not, and the newest socket of a seat is the only one, wherever it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError
from keypeg.server.bus import MATCHES, MOVES, SEATS
from keypeg.server.shared_matches import SharedMatches
from keypeg.store.errors import StoreError, Unavailable
from keypeg.table.background import logging_failures
from keypeg.table.clock import GRACE
from keypeg.table.handler import DEFERENCE

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping, Sequence

    from keypeg.matches.matches import Matches
    from keypeg.rules.series import Seat
    from keypeg.server.bus import Bus
    from keypeg.server.rooms import Room
    from keypeg.store.log import Card, Entry, Listed, Log, Stage
    from keypeg.store.processes import Glance, Processes
    from keypeg.table.table import Table
    from keypeg.table.tables import Tables

POLL_SECONDS: Final = 1.0
POLL_SECONDS_WITHOUT_BUS: Final = 0.4
"""The same while the bus is silent."""
LEASE_SECONDS: Final = 10.0
"""How long a process's players count as connected after its last sign of life."""
SWEEP_SECONDS: Final = 60.0
LATE_MILLISECONDS: Final = round(1000 * (GRACE + 2 * DEFERENCE))
"""By how much a turn is overdue if the process that should have ended it is not there."""
MOST_OVERDUE: Final = 100
"""How many overdue tables are loaded in one round."""
PASSED_OVER_SECONDS: Final = 60.0
"""How long to wait before trying a table again that could not be loaded."""
_FAILED: Final = "sharing failed"
_log = logging.getLogger("keypeg.sharing")

SeatAtTable = tuple[str, "Seat"]


class NotifyingLog:
    """A log that tells other processes of every entry it has written."""

    def __init__(self, log: Log, bus: Bus) -> None:
        self._log, self._bus = log, bus

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Write an entry; when this returns it is on disk."""
        await self._log.append(table_id, entry, card)
        self._bus.say(MOVES, table_id, entry.seq)

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries that follow `after`."""
        return await self._log.read(table_id, after)

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of these tables that the log does not have."""
        return await self._log.removed(names)

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> Sequence[Listed]:
        """Public tables, the latest changed first."""
        return await self._log.listed(stage, limit)

    async def running(self) -> Sequence[str]:
        """The tables whose clock is running."""
        return await self._log.running()

    async def heartbeat(self, at: int) -> None:
        """Record that the server was running at this time."""
        await self._log.heartbeat(at)

    async def last_heartbeat(self) -> int | None:
        """The time of the last heartbeat."""
        return await self._log.last_heartbeat()


class Sharing:
    """What this process does for the sake of the others. Begun by `start`, ended by `close`."""

    def __init__(
        self,
        processes: Processes,
        tables: Tables,
        rooms: Mapping[str, Room],
        bus: Bus | None,
        matches: Matches,
    ) -> None:
        self._processes, self._tables, self._rooms = processes, tables, rooms
        self._matches = SharedMatches(matches, self._spawn)
        self.bus = bus
        self._tasks: set[asyncio.Task[None]] = set()
        self._behind: dict[str, int] = {}
        self._curious: set[str] = set()
        self._stirred = asyncio.Event()
        self._arrived: dict[SeatAtTable, None] = {}
        self._left: dict[SeatAtTable, None] = {}
        self._changed = asyncio.Event()
        self._held: dict[SeatAtTable, float] = {}
        """Players connected to this process, and when the database was told so."""
        self._swept = 0.0
        self._passed_over: dict[str, float] = {}

    async def start(self) -> None:
        """Say that this process lives, and begin to look after the others."""
        await self._vouch()
        for work in (self._poll_on(), self._look_on(), self._note_on()):
            self._spawn(work)
        if self.bus is not None:
            self.bus.start(self.heard)

    async def close(self) -> None:
        """Say who leaves with this process, and stop."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.bus is not None:
            await self.bus.close()
        with contextlib.suppress(StoreError):
            left = {*self._left, *self._held}
            await self._processes.note((), left, self._tables.clock.utc())
            await self._processes.vouch(self._tables.clock.utc())
        await self._processes.close()

    def heard(self, channel: str, table_id: str, seq: int) -> None:
        """Follow a notice: look into the database, if it is about what is in use here."""
        if channel == MATCHES:
            self._matches.heard(table_id, seq)
            return
        table = self._tables.at_hand(table_id)
        if table is None or not table.busy:
            return
        if channel == SEATS:
            if table_id in self._rooms:
                self._curious.add(table_id)
                self._stirred.set()
        elif seq > table.seq:
            self._catch_up(table, seq)

    def arrived(self, table_id: str, seat: Seat) -> None:
        """A player has connected to this process."""
        self._left.pop((table_id, seat), None)
        # Until this is noted the database knows of an earlier one, which may have been replaced.
        self._held.pop((table_id, seat), None)
        self._arrived[table_id, seat] = None
        self._changed.set()

    def left(self, table_id: str, seat: Seat) -> None:
        """A player's last connection to this process is gone."""
        self._arrived.pop((table_id, seat), None)
        self._held.pop((table_id, seat), None)
        self._left[table_id, seat] = None
        self._changed.set()

    async def look(self, names: Collection[str]) -> None:
        """See what became of these tables elsewhere. Raises a StoreError when nobody knows."""
        began = time.monotonic()
        for name, glance in (await self._processes.look(list(names))).items():
            table = self._tables.at_hand(name)
            if table is None:
                continue
            if glance.seq > table.seq:
                self._catch_up(table, glance.seq)
            self._attend(table, glance, began)

    def _attend(self, table: Table, glance: Glance, began: float) -> None:
        """Take in who is connected elsewhere; a seat taken over there is given up here."""
        clock, room = self._tables.clock, self._rooms.get(table.id)
        now, utc = clock.now(), clock.utc()
        for seat, sighting in glance.seats.items():
            ours, until = sighting.process == self._processes.process, None
            if not ours and sighting.until is not None:
                until = now + (sighting.until - utc) / 1000
            table.presence.elsewhere(seat, until)
            # Only if the database knew of ours when it was asked.
            noted = self._held.get((table.id, seat), float("inf"))
            if room is not None and not ours and noted < began:
                room.give_up(seat)
        if room is not None:
            room.tell_of_changes()

    def _catch_up(self, table: Table, seq: int) -> None:
        """Let a table read on, once at a time however many notices there are."""
        if table.id in self._behind:
            self._behind[table.id] = max(seq, self._behind[table.id])
            return
        self._behind[table.id] = seq
        self._spawn(self._read_on(table))

    async def _read_on(self, table: Table) -> None:
        try:
            wanted = 0
            while table.seq < self._behind[table.id] != wanted:
                # A false notice is followed once.
                wanted = self._behind[table.id]
                await table.catch_up()
        except StoreError:
            pass  # the next poll tries again
        except KeypegError as error:
            why = {"table": table.id, "reason": type(error).__name__}
            _log.error("a table cannot be read on", extra=why)
        finally:
            del self._behind[table.id]

    async def _poll_on(self) -> None:
        """Once a second: renew the lease, read changes of watched tables, end overdue turns."""
        while True:
            listening = self.bus is not None and self.bus.connected
            await asyncio.sleep(POLL_SECONDS if listening else POLL_SECONDS_WITHOUT_BUS)
            with logging_failures(_log, _FAILED):
                await self._vouch()
                if self._rooms:
                    await self.look(list(self._rooms))
                await self._matches.look()
                await self._ring()
                await self._matches.ring(self._tables.clock.utc() - LATE_MILLISECONDS)
                await self._sweep()

    async def _vouch(self) -> None:
        until = self._tables.clock.utc() + round(1000 * LEASE_SECONDS)
        if not await self._processes.vouch(until) and self._held:
            # A crash of PostgreSQL empties these notes; ours are made again.
            self._retry(dict.fromkeys(self._held), {})

    async def _ring(self) -> None:
        """Load overdue tables whose own process has not ended the turn: loading ends it."""
        now = time.monotonic()
        self._passed_over = {name: t for name, t in self._passed_over.items() if t > now}
        before = self._tables.clock.utc() - LATE_MILLISECONDS
        for table_id in await self._processes.overdue(before, MOST_OVERDUE, self._passed_over):
            try:
                await self._tables.get(table_id)
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, others wait behind it
                self._passed_over[table_id] = now + PASSED_OVER_SECONDS
                why = {"table": table_id, "reason": type(error).__name__}
                _log.error("a table cannot be taken up", extra=why)

    async def _sweep(self) -> None:
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            self._swept = time.monotonic()
            await self._processes.sweep(self._tables.clock.utc())

    async def _look_on(self) -> None:
        """Look at the tables where, by a notice, somebody came or went."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            names, self._curious = self._curious, set()
            with logging_failures(_log, _FAILED):
                await self.look(names)

    async def _note_on(self) -> None:
        """Tell the database who came and went here, then the other processes."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            arrived, self._arrived = self._arrived, {}
            left, self._left = self._left, {}
            noted = False
            with logging_failures(_log, _FAILED):
                await self._processes.note(arrived, left, self._tables.clock.utc())
                noted = True
            if not noted:
                self._retry(arrived, left)
                await asyncio.sleep(POLL_SECONDS)
                continue
            for place in arrived:
                # Unless it has left again meanwhile, or another has come in its place.
                if place not in self._left and place not in self._arrived:
                    self._held[place] = time.monotonic()
            if self.bus is not None:
                for table_id, _ in (*arrived, *left):
                    self.bus.say(SEATS, table_id, 0)

    def _retry(self, arrived: dict[SeatAtTable, None], left: dict[SeatAtTable, None]) -> None:
        """What could not be noted is noted later, unless something newer is known."""
        known = {*self._arrived, *self._left}
        self._arrived.update((place, None) for place in arrived if place not in known)
        self._left.update((place, None) for place in left if place not in known)
        self._changed.set()

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error(_FAILED, exc_info=error)
