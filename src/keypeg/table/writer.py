"""A table's log, what it amounts to, and its one writer.

Work on a table waits for its turn. Other processes may write to the same log: whoever finds that
one did reads on and tries again, and only the whole log refuses a command.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from keypeg.rules.errors import AgainstTheRules
from keypeg.store.errors import Moved, Unavailable
from keypeg.store.log import SLICE, Entry
from keypeg.table.decisions import decide
from keypeg.table.errors import NoSuchTable, Stale
from keypeg.table.history import History
from keypeg.table.outages import Outages
from keypeg.table.state import State, fold
from keypeg.table.write_lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from keypeg.rules.series import Seat
    from keypeg.store.log import Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Command, OwnCommand

ATTEMPTS: Final = 8
_T = TypeVar("_T")


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


class Writer:
    """Writes to one table's log, and folds what was written."""

    def __init__(self, state: State, log: Log, clock: Clock) -> None:
        self.state = state
        self.history = History()
        self.outages = Outages(clock)
        """One for all tables of a process, where there are several."""
        self.failed = False
        """Whether the last attempt to reach the database came to nothing."""
        self.removed = False
        """Whether the log does not have this table any more."""
        self._log, self._clock, self._lock = log, clock, WriteLock()

    @property
    def busy(self) -> bool:
        """Whether somebody is at work."""
        return self._lock.locked()

    async def in_turn(
        self, follower: Follower, work: Callable[..., Awaitable[_T]], *arguments: object
    ) -> _T:
        """Do some work while nobody else does any; again, if another process was faster."""
        async with self._lock:
            if self.removed:
                raise NoSuchTable("this table has been removed")
            for _ in range(ATTEMPTS):
                try:
                    return await work(*arguments)
                except Moved:
                    if not await self._read_on(follower):
                        follower.remove()
                        raise NoSuchTable("this table has been removed") from None
                except (AgainstTheRules, Stale):
                    if not await self._read_on(follower):
                        raise
        raise Unavailable("other servers keep writing to this table; try again")

    async def catch_up(self, follower: Follower) -> None:
        """Take in what other processes wrote."""
        async with self._lock:
            await self._read_on(follower)

    async def finish(self) -> None:
        """Wait until what is being written is written."""
        async with self._lock:
            pass

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

    def _fail(self) -> None:
        self.outages.failed()
        self.failed = True
