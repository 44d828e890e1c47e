"""A table's log, what it amounts to, and its one writer.

Work on a table waits for its turn (`one_writer`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from keypeg.store.errors import Unavailable
from keypeg.store.log import SLICE, Entry
from keypeg.table.decisions import decide
from keypeg.table.errors import NoSuchTable
from keypeg.table.history import History
from keypeg.table.one_writer import OneWriter
from keypeg.table.outages import Outages
from keypeg.table.state import State, fold

if TYPE_CHECKING:
    from keypeg.rules.series import Seat
    from keypeg.store.log import Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Command, OwnCommand


class Follower(Protocol):
    """Whoever acts on what other processes do at a table.

    Given with each call and not kept, for a reference cycle would outlive its table.
    """

    def follow(self, entry: Entry, before: State) -> None:
        """Another process wrote this entry."""

    def caught_up(self) -> None:
        """What other processes wrote has been taken in."""

    def remove(self) -> None:
        """The log does not have this table any more."""


class Writer(OneWriter["Follower"]):
    """Writes to one table's log, and folds what was written."""

    def __init__(self, state: State, log: Log, clock: Clock) -> None:
        super().__init__()
        self.state = state
        self.history = History()
        self.outages = Outages(clock)
        """One for all tables of a process, where there are several."""
        self.failed = False
        """Whether the last attempt to reach the database came to nothing."""
        self._log, self._clock = log, clock

    async def write(
        self, seat: Seat | None, command_id: str, command: Command | OwnCommand
    ) -> Entry:
        """Carry out a command and write down what it brings about, or refuse it. In turn only."""
        before, at = self.state, self._clock.now()
        events, series = decide(before, seat, command)
        entry = Entry(before.seq + 1, self._clock.utc(), seat, command_id, events)
        after = fold(before, entry, series)
        card = after.card
        try:
            await self._log.append(before.table_id, entry, None if card == before.card else card)
        except Unavailable:
            self._fail()
            raise
        self.outages.wrote(at)
        self.failed = False
        self.take_in(entry, after)
        return entry

    def take_in(self, entry: Entry, after: State) -> None:
        """Remember an entry that is in the log, and the state that it leads to."""
        self.history.remember(entry, self.state)
        self.state = after

    async def _read_on(self, follower: Follower) -> bool:
        """Take in what follows in the log; whether there was anything."""
        try:
            entries = await self._log.read(self.state.table_id, self.state.seq)
        except Unavailable:
            self._fail()
            raise
        try:
            for number, entry in enumerate(entries, 1):
                before = self.state
                self.take_in(entry, fold(before, entry))
                follower.follow(entry, before)
                if not number % SLICE:
                    await asyncio.sleep(0)
        finally:
            # Also when called off half way: the clock is that of the turn that was reached.
            if entries:
                follower.caught_up()
        return bool(entries)

    def _remove(self, follower: Follower) -> None:
        follower.remove()

    def _gone(self) -> NoSuchTable:
        return NoSuchTable("this table has been removed")

    def _fail(self) -> None:
        self.outages.failed()
        self.failed = True
