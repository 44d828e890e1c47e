"""All tables of this process: one object each, so that each has one writer."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from keypeg.draw import new_id
from keypeg.rules.errors import KeypegError
from keypeg.store.errors import StoreError
from keypeg.table.clock import BEAT, SystemClock
from keypeg.table.commands import CreditTime
from keypeg.table.computer import THE_PLAYER
from keypeg.table.errors import NoSuchTable
from keypeg.table.table import Table

if TYPE_CHECKING:
    from keypeg.store.log import Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Open
    from keypeg.table.computer import Player

MOST_IDLE: Final = 1_000
"""Tables kept in memory though nobody watches them and no clock runs there."""


class Tables:
    """Opens tables, finds them, and keeps those at hand that are in use."""

    def __init__(self, log: Log, clock: Clock | None = None, player: Player = THE_PLAYER) -> None:
        self.log = log
        self.clock = clock or SystemClock()
        self.player = player
        self._tables: dict[str, Table] = {}
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take up every clock that ran when the server stopped, and credit the time since."""
        beat = await self.log.last_beat()
        for table_id in await self.log.running():
            table = await self.get(table_id)
            if beat is not None:
                await self._credit(table, beat)
        await self.log.beat(self.clock.utc())
        self._beating = asyncio.get_running_loop().create_task(self._beat())

    async def _credit(self, table: Table, beat: int) -> None:
        turn = table.state.turn
        if turn is None:
            return
        down = self.clock.utc() - max(beat, turn.since)
        if down > 2000 * BEAT:
            # Named after the outage, so that it is credited once however many processes start.
            credit = table.handle(None, f"restart-{beat}", CreditTime(down), self.clock.now())
            with contextlib.suppress(KeypegError):
                await credit

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            if any(table.deadline is not None for table in self._tables.values()):
                try:
                    await self.log.beat(self.clock.utc())
                except StoreError:
                    continue

    async def open(self, command: Open) -> Table:
        """A new table, written down."""
        table = await Table.open(new_id(), command, self.log, self.clock, self.player)
        self._keep(table)
        return table

    async def get(self, table_id: str) -> Table:
        """The table of this name."""
        table = self._tables.get(table_id)
        if table is None:
            lock = self._loading.setdefault(table_id, asyncio.Lock())
            async with lock:
                table = self._tables.get(table_id) or await self._load(table_id)
        return table

    async def _load(self, table_id: str) -> Table:
        entries = await self.log.read(table_id)
        if not entries:
            raise NoSuchTable("there is no such table")
        table = Table.rebuild(table_id, entries, self.log, self.clock, self.player)
        self._keep(table)
        return table

    def _keep(self, table: Table) -> None:
        self._tables[table.id] = table
        if len(self._tables) > MOST_IDLE:
            self._forget()

    def _forget(self) -> None:
        """Let go of the oldest table that is not in use."""
        for table_id, table in self._tables.items():
            if not table.watched and not table.busy:
                del self._tables[table_id]
                return

    async def close(self) -> None:
        """Put every table away."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        await asyncio.gather(*(table.close() for table in self._tables.values()))
        self._tables.clear()
