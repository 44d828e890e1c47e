"""The log of one match, what it amounts to, and its one writer (`table.one_writer`)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, Protocol

from keypeg.matches.decisions import decide
from keypeg.matches.errors import NoSuchMatch
from keypeg.matches.state import SPECTATORS, State, fold
from keypeg.store.errors import Unavailable
from keypeg.store.matches import SLICE, MatchEntry
from keypeg.table.one_writer import OneWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from keypeg.matches.commands import AnyCommand
    from keypeg.matches.steady_clock import SteadyClock
    from keypeg.store.match_events import LoggedMatchEvent
    from keypeg.store.matches import MatchStore
    from keypeg.table.outages import Outages

    Notify = Callable[[str, int], None]


class Done(NamedTuple):
    """What a command has caused: the first event, and what each reader had been shown after it."""

    event: LoggedMatchEvent
    shown: Mapping[int, int]

    def seq_for(self, player: int) -> int:
        """How often what this player sees had changed."""
        return self.shown.get(player, self.shown[SPECTATORS])


class Follower(Protocol):
    """Whoever acts on what other processes do at a match."""

    def caught_up(self) -> None:
        """What other processes wrote has been taken in."""

    def remove(self) -> None:
        """The database does not have this match any more."""


class LogWriter(OneWriter["Follower"]):
    """Writes to one match's log, and folds what was written."""

    def __init__(
        self,
        state: State,
        store: MatchStore,
        clock: SteadyClock,
        outages: Outages,
        notify: Notify | None,
    ) -> None:
        super().__init__()
        self.state, self.outages = state, outages
        self.failed = False
        """Whether the last attempt to reach the database came to nothing."""
        self._done: dict[tuple[int, str], Done] = {}
        self._store, self._clock, self._notify = store, clock, notify

    def done(self, player: int, command_id: str) -> Done | None:
        """What a command of this id has caused, if it was carried out."""
        return self._done.get((player, command_id))

    async def write(
        self, player: int, command_id: str, command: AnyCommand, received: int
    ) -> MatchEntry:
        """Carry out a command and write down what it causes, or refuse it. In turn only."""
        before, began = self.state, self._clock.now()
        at = max(before.at, self._clock.utc())
        events = decide(before, player, command, at, received)
        entry = MatchEntry(before.seq + 1, at, player, command_id, events)
        after = fold(before, entry)
        try:
            await self._store.append(before.match.id, entry, after.card)
        except Unavailable:
            self._fail()
            raise
        self.outages.wrote(began)
        self.failed = False
        self.take_in(entry, after)
        if self._notify is not None:
            self._notify(before.match.id, entry.seq)
        return entry

    def take_in(self, entry: MatchEntry, after: State) -> None:
        """Remember an entry that is in the log, and the state that it leads to."""
        self._done[entry.player, entry.command_id] = Done(entry.events[0], after.shown)
        self.state = after

    async def _read_on(self, follower: Follower) -> bool:
        """Take in what follows in the log; whether there was anything."""
        try:
            entries = await self._store.read(self.state.match.id, self.state.seq)
        except Unavailable:
            self._fail()
            raise
        try:
            for number, entry in enumerate(entries, 1):
                self.take_in(entry, fold(self.state, entry))
                if not number % SLICE:
                    await asyncio.sleep(0)
        finally:
            if entries:
                follower.caught_up()
        return bool(entries)

    def _remove(self, follower: Follower) -> None:
        follower.remove()

    def _gone(self) -> NoSuchMatch:
        return NoSuchMatch("this match has been removed")

    def _fail(self) -> None:
        self.outages.failed()
        self.failed = True
