"""All matches of this process: one object each, so that each has one writer."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
from typing import TYPE_CHECKING, Final

from keypeg.matches.commands import Another, Open
from keypeg.matches.decisions import opening
from keypeg.matches.errors import MatchReused, NoSuchLevel, NoSuchMatch
from keypeg.matches.live_match import LiveMatch
from keypeg.matches.state import begin, fold
from keypeg.matches.steady_clock import SteadyClock
from keypeg.rules.errors import KeypegError
from keypeg.rules.match.options import MatchOption, authorise
from keypeg.store.errors import Moved, Unavailable, Unreadable
from keypeg.store.matches import SLICE, MatchEntry, MatchStore
from keypeg.table.in_memory import InMemory
from keypeg.table.outages import Outage, Outages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from keypeg.matches.log_writer import Notify
    from keypeg.matches.state import State
    from keypeg.store.sql import SqlLog
    from keypeg.table.clock import Clock
    from keypeg.table.computer import Player

    MayBegin = Callable[[], Awaitable[object]]

PURPOSE: Final = "matches"
"""What ids are derived for."""
OPENING: Final = "open"
"""The command id of every match's first entry."""
IDLE_BYTES: Final = 64 * 1024 * 1024
"""Memory for matches that nobody uses, by default."""
MATCH_BYTES: Final = 12_000
ENTRY_BYTES: Final = 1_200
"""About what a match, and each entry of its log, take in memory."""
AT_ONCE: Final = 64
"""Matches resumed together after a restart."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_log = logging.getLogger("keypeg.matches")


class Matches:
    """Opens matches, finds them, and keeps those in memory that are in use."""

    def __init__(
        self,
        log: SqlLog,
        clock: Clock,
        player: Player,
        outages: Outages,
        *,
        shared: bool = False,
        notify: Notify | None = None,
        idle_bytes: int = IDLE_BYTES,
        computer_seconds: float = 0.0,
    ) -> None:
        """`computer_seconds` is how long the computer takes for a row at its own pace."""
        self.store: Final = MatchStore(log)
        self.clock: Final = SteadyClock(clock)
        self._derive, self._player, self._outages = log.derive, player, outages
        self._shared, self._notify = shared, notify
        self._computer_seconds = computer_seconds
        self._memory = InMemory[LiveMatch](idle_bytes, MATCH_BYTES, ENTRY_BYTES)

    @property
    def running(self) -> bool:
        """Whether any clock is running."""
        return any(match.running for match in self._memory.all)

    async def resume(self, heartbeat: int | None) -> None:
        """Take up every clock that ran when the server stopped, and credit the time since."""
        names = await self.store.running()
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            await asyncio.gather(*(self._resume(name, heartbeat) for name in some))

    async def _resume(self, match_id: str, heartbeat: int | None) -> None:
        try:
            match = await self.get(match_id)
        except (NoSuchMatch, Unreadable):
            return  # pruned just now; or it is left alone, which was logged
        now = self.clock.utc()
        await match.credit(Outage(heartbeat or 0, now, now))

    async def give_back(self) -> None:
        """Credit running clocks with what they lost by the last outage."""
        running = [match for match in self._memory.all if match.running]
        for start in range(0, len(running), AT_ONCE):
            given = (match.give_back() for match in running[start : start + AT_ONCE])
            for error in await asyncio.gather(*given, return_exceptions=True):
                if isinstance(error, Unavailable):
                    raise error

    async def open(
        self, request: str, command: Open, may_begin: MayBegin | None = None
    ) -> LiveMatch:
        """A new match, written down. The same request of the same holder opens it once.

        `may_begin` is called before a new match is opened, and raises if it may not.
        """
        match_id = self._id(f"{command.holder} {request}")
        match = await self._opened(match_id, command, may_begin)
        if not _is_as_wanted(match.state, command):
            raise MatchReused("this id was used for another match; make a new one")
        return match

    async def another(
        self,
        match: LiveMatch,
        player: int,
        command_id: str,
        received_at: float,
        may_begin: MayBegin | None = None,
    ) -> int:
        """Open another match under the same terms, and note it in the one that is over."""
        next_ = self._id(f"after {match.id}")
        if match.writer.done(player, command_id) is None:
            authorise(match.state.match, player, MatchOption.ANOTHER)
            person = match.state.people[player]
            levels = tuple(
                one.level
                for number, one in match.state.people.items()
                if one.level is not None and match.state.match.has(number)
            )
            wanted = Open(match.state.match.terms, person.holder or "", person.name, levels)
            await self._opened(next_, wanted, may_begin)
        return await match.handle(player, command_id, Another(next_), received_at)

    async def _opened(self, match_id: str, command: Open, may_begin: MayBegin | None) -> LiveMatch:
        """The match of this id, which is opened if there is none."""
        for level in command.levels:
            if level not in self._player.levels:
                raise NoSuchLevel(
                    f"the computer plays at {', '.join(self._player.levels)}, not {level}"
                )
        events = opening(command, match_id)
        async with self._memory.lock(match_id):
            try:
                return self.at_hand(match_id) or await self._load(match_id)
            except NoSuchMatch:
                pass
            if may_begin is not None:
                await may_begin()
            entry = MatchEntry(1, self.clock.utc(), 0, OPENING, events)
            card, began = begin(match_id, entry).card, self.clock.now()
            try:
                with self._outages.watching():
                    await self.store.append(match_id, entry, card)
            except Moved:
                return await self._load(match_id)
            self._outages.wrote(began)
            match = self._made(match_id, entry)
            self._take_up(match)
            return match

    async def get(self, match_id: str) -> LiveMatch:
        """The match of this id, with all that was written to it before this was asked."""
        match = self.at_hand(match_id)
        if match is not None:
            if self._shared:
                await match.catch_up()
            return match
        if not _ID.fullmatch(match_id):
            raise _no_such_match()
        async with self._memory.lock(match_id):
            return self.at_hand(match_id) or await self._load(match_id)

    def at_hand(self, match_id: str) -> LiveMatch | None:
        """The match of this id, if it is in memory."""
        return self._memory.at_hand(match_id)

    def watched(self) -> list[LiveMatch]:
        """The matches in memory at which something may happen without anybody's asking."""
        return [match for match in self._memory.all if match.busy and not match.removed]

    async def forget_removed(self) -> None:
        """Let go of matches that somebody took out of the database."""
        names = [match.id for match in self._memory.all]
        found = await self.store.last(names)
        self._memory.forget(name for name in names if name not in found)
        self._memory.let_go()  # matches grow while they are in use

    async def close(self) -> None:
        """Put every match away."""
        await asyncio.gather(*(match.close() for match in self._memory.all))
        await self.store.close()
        self._memory.clear()

    async def _load(self, match_id: str) -> LiveMatch:
        try:
            with self._outages.watching():
                entries = await self.store.read(match_id)
            if not entries:
                raise _no_such_match()
            return await self._rebuilt(match_id, entries)
        except Unreadable as error:
            self._refuse(match_id, error)
            raise
        except (NoSuchMatch, Unavailable):
            raise
        except KeypegError as error:
            self._refuse(match_id, error)
            raise Unreadable(f"match {match_id} is damaged") from error

    def _refuse(self, match_id: str, error: KeypegError) -> None:
        if self._memory.is_first_refusal(match_id):
            _log.error("a match is refused: %s", error, extra={"match": match_id})

    async def _rebuilt(self, match_id: str, entries: list[MatchEntry]) -> LiveMatch:
        first, *others = entries
        match = self._made(match_id, first)
        for number, entry in enumerate(others, 1):
            match.writer.take_in(entry, fold(match.state, entry))
            if not number % SLICE:
                await asyncio.sleep(0)
        self._take_up(match)
        return match

    def _made(self, match_id: str, first: MatchEntry) -> LiveMatch:
        """A match after its first entry."""
        state = begin(match_id, first)
        parts = (self.store, self.clock, self._player, self._outages, self._notify)
        match = LiveMatch(
            state, *parts, computer_seconds=self._computer_seconds, shared=self._shared
        )
        match.writer.take_in(first, state)
        return match

    def _take_up(self, match: LiveMatch) -> None:
        """Let the clocks of a match run, and keep it in memory."""
        match.take_up()
        self._memory.keep(match)

    def _id(self, secret: str) -> str:
        """The id of a match, which nobody can guess who does not have our key."""
        derived = self._derive(PURPOSE, secret)[:16]
        return base64.urlsafe_b64encode(derived).rstrip(b"=").decode()


def _is_as_wanted(state: State, command: Open) -> bool:
    """Whether a match was opened by this command."""
    opener = state.people[1]
    levels = tuple(person.level for person in state.people.values() if person.level is not None)
    return (
        state.match.terms == command.terms
        and opener.holder == command.holder
        and levels == command.levels
    )


def _no_such_match() -> NoSuchMatch:
    return NoSuchMatch("there is no such match; check the link")
