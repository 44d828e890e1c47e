"""All tables of this process: one object each, so that each has one writer."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import new_id
from keypeg.store.errors import Moved, Unavailable, Unreadable
from keypeg.table.background import logging_failures
from keypeg.table.clock import HEARTBEAT, SystemClock
from keypeg.table.computer import THE_PLAYER
from keypeg.table.errors import CommandReused, NoSuchTable
from keypeg.table.in_memory import InMemory
from keypeg.table.outages import TWO_HEARTBEATS, Outage, Outages
from keypeg.table.repeats import opened_by
from keypeg.table.table import Table

if TYPE_CHECKING:
    from keypeg.store.log import Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Open
    from keypeg.table.computer import Player

_TABLE_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_log = logging.getLogger(__name__)
IDLE_BYTES: Final = 64 * 1024 * 1024
"""Memory for tables that nobody uses, by default."""
TABLE_BYTES: Final = 12_000
ENTRY_BYTES: Final = 1_000
"""About what a table, and each entry of its log, take in memory."""
LOOK_SECONDS: Final = 60.0
"""Between two looks at whether the tables in memory are in the log still."""
AT_ONCE: Final = 256
"""Tables resumed together after a restart."""


class Companion(Protocol):
    """What else in this process has clocks, whose time an outage takes."""

    @property
    def running(self) -> bool:
        """Whether any of its clocks is running."""
        ...

    async def resume(self, heartbeat: int | None) -> None:
        """Take up every clock that ran when the server stopped, and credit the time since."""

    async def give_back(self) -> None:
        """Credit running clocks with what they lost by the last outage."""

    async def forget_removed(self) -> None:
        """Let go of what somebody took out of the database."""


class Tables:
    """Opens tables, finds them, and keeps those at hand that are in use."""

    def __init__(
        self,
        log: Log,
        clock: Clock | None = None,
        player: Player = THE_PLAYER,
        *,
        shared: bool = False,
        idle_bytes: int = IDLE_BYTES,
        companion: Companion | None = None,
        outages: Outages | None = None,
    ) -> None:
        self.log = log
        self._shared = shared
        """Whether other processes write to the same log."""
        self.clock = clock or SystemClock()
        self.player = player
        self.outages = outages or Outages(self.clock)
        self._companion = companion
        self.memory = InMemory[Table](idle_bytes, TABLE_BYTES, ENTRY_BYTES)
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def start(self) -> None:
        """Take up every clock that ran when the server stopped, and credit the time since.

        Each credit covers the time from the last heartbeat, or from the credit before it, to its
        own entry. So however often a start is interrupted, no time is credited twice and none is
        lost; and no heartbeat may be written before everything is credited.

        Where another process lives there is nothing to credit, and its clocks are left to it.
        """
        heartbeat = await self.log.last_heartbeat()
        alone = not self._shared or self.clock.utc() - (heartbeat or 0) > TWO_HEARTBEATS
        running = await self.log.running() if alone else ()
        for start in range(0, len(running), AT_ONCE):
            resumed = (self._resume(name, heartbeat) for name in running[start : start + AT_ONCE])
            await asyncio.gather(*resumed)
        if alone and self._companion is not None:
            await self._companion.resume(heartbeat)
        loop = asyncio.get_running_loop()
        self._tasks = (loop.create_task(self._heartbeat()), loop.create_task(self._look()))

    async def _resume(self, table_id: str, heartbeat: int | None) -> None:
        try:
            table = await self.get(table_id)
        except (NoSuchTable, Unreadable):
            return  # pruned just now; or it is left alone, which was logged
        now = self.clock.utc()
        await table.credit(Outage(heartbeat or 0, now, now))

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            with logging_failures(_log, "a heartbeat failed"):
                await self.heartbeat()

    async def heartbeat(self) -> None:
        """Note that this process lives and can write; if it could not, first give back the time.

        It does so while a clock runs; while nothing could be written, to learn when that is over;
        and always where others write too, whose turns it may come to end.
        """
        running = [table for table in self.memory.all if table.deadline is not None]
        others = self._companion is not None and self._companion.running
        if not (running or others or self._shared or self.outages.out):
            return
        if self.outages.unsettled:
            await self._give_back(running)
        at = self.clock.now()
        with self.outages.watching():
            await self.log.heartbeat(self.clock.utc())
        self.outages.heartbeat(at)

    async def _give_back(self, running: list[Table]) -> None:
        for start in range(0, len(running), AT_ONCE):
            given = (table.credit() for table in running[start : start + AT_ONCE])
            for error in await asyncio.gather(*given, return_exceptions=True):
                if isinstance(error, Unavailable):
                    raise error
        if self._companion is not None:
            await self._companion.give_back()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with logging_failures(_log, "looking for removed tables failed"):
                await self.forget_removed()
                if self._companion is not None:
                    await self._companion.forget_removed()
                self.memory.let_go()  # tables grow while they are in use

    async def forget_removed(self) -> None:
        """Let go of tables that somebody took out of the log."""
        names = [table.id for table in self.memory.all]
        self.memory.forget(await self.log.removed(names))

    async def open(self, command: Open, table_id: str | None = None) -> Table:
        """A new table, written down; or the one of this name, if this command opened it before."""
        table_id = table_id or new_id()
        async with self.memory.lock(table_id):
            at = self.clock.now()
            try:
                with self.outages.watching():
                    table = await Table.open(table_id, command, self.log, self.clock, self.player)
            except Moved:
                table = self.at_hand(table_id) or await self._load(table_id)
                if not opened_by(command, table.view(None)[0].events, table.state):
                    raise CommandReused("this was used to open another table", table.seq) from None
                return table
            self.outages.wrote(at)
            self._keep(table)
            return table

    async def get(self, table_id: str) -> Table:
        """The table of this name, with all that was written to it before this was asked."""
        table = self.at_hand(table_id)
        if table is not None:
            if self._shared:
                await table.catch_up()
            return table
        if not _TABLE_ID.fullmatch(table_id):
            raise NoSuchTable("there is no such table")
        async with self.memory.lock(table_id):
            return self.at_hand(table_id) or await self._load(table_id)

    def at_hand(self, table_id: str) -> Table | None:
        """The table of this name, if it is in memory."""
        return self.memory.at_hand(table_id)

    async def _load(self, table_id: str) -> Table:
        try:
            with self.outages.watching():
                entries = await self.log.read(table_id)
            if not entries:
                raise NoSuchTable("there is no such table")
            table = await Table.load(table_id, entries, self.log, self.clock, self.player)
        except Unreadable as error:
            if self.memory.is_first_refusal(table_id):
                _log.error("a table is refused: %s", error, extra={"table": table_id})
            raise
        self._keep(table)
        return table

    def _keep(self, table: Table) -> None:
        table.share(self.outages)
        self.memory.keep(table)

    async def close(self) -> None:
        """Put every table away."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(table.close() for table in self.memory.all))
        self.memory.clear()
