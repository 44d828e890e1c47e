"""Races and duels on this machine, against the computer: in the same process, on its database."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from keypeg.draw import new_id
from keypeg.matches.commands import Open
from keypeg.matches.errors import NoPlace
from keypeg.matches.matches import Matches
from keypeg.messages.matches import AnotherMatch, NewMatch, match_command_in, match_out
from keypeg.messages.matches import match_terms as terms_of
from keypeg.rules.errors import KeypegError
from keypeg.table.clock import SystemClock
from keypeg.table.names import read_name
from keypeg.table.outages import Outages
from keypeg.table.player import SolverPlayer
from keypeg.table.tables import Tables
from keypeg.table.tokens import hashed
from keypeg.terminal.match_sources import saved_matches, saved_tokens
from keypeg.terminal.saved_matches import SavedMatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from keypeg.matches.live_match import LiveMatch
    from keypeg.messages import MatchCommand, MatchOut
    from keypeg.terminal.match_sources import MatchSitting
    from keypeg.terminal.saved_matches import SavedMatches

COMPUTER_SECONDS: Final = 8.0
"""How long the computer takes for a row, if a person types and not a program."""


class LocalMatch:
    """A match in this process, as the person here plays it."""

    def __init__(self, matches: Matches, match: LiveMatch, holder: str) -> None:
        self.link: str | None = None
        self._matches, self._match, self._holder = matches, match, holder
        self._view = self._seen()
        self._changed = asyncio.Event()
        self.way_back = f"keypeg {self._view.kind.value} --resume"
        self._stop = match.watch(self._moved)

    @property
    def view(self) -> MatchOut:
        """The match as it is now."""
        return self._view

    @property
    def now(self) -> float:
        """The time, in milliseconds since the epoch."""
        return self._matches.clock.utc()

    async def changed(self, seen: MatchOut) -> None:
        """Wait until there is another view than this one."""
        while self._view is seen:
            self._changed.clear()
            await self._changed.wait()

    async def do(self, command: MatchCommand) -> None:
        """Carry it out; when this returns it is on disk, and seen here."""
        received, number = self._matches.clock.now(), self._match.state.number_of(self._holder)
        if number is None:
            raise NoPlace("only the players of this match can do this")
        if isinstance(command, AnotherMatch):
            await self._matches.another(self._match, number, command.id, received)
        else:
            asked = match_command_in(command)
            await self._match.handle(number, command.id, asked, received)
        self._moved(0)

    def close(self) -> None:
        """Look no more."""
        self._stop()

    def _moved(self, _seq: int) -> None:
        self._view = self._seen()
        self._changed.set()

    def _seen(self) -> MatchOut:
        return match_out(self._match.seen(self._match.state.number_of(self._holder)))


class LocalMatches:
    """The matches in the database of this machine."""

    def __init__(self, address: str, matches: Matches, token: str, saved: SavedMatches) -> None:
        self._address, self._matches, self._saved = address, matches, saved
        self._holder = hashed(token)

    @asynccontextmanager
    async def opened(self, **wanted: Any) -> AsyncIterator[MatchSitting]:
        """A new match, set as in `messages.NewMatch`."""
        new = NewMatch(**{"id": new_id(), **wanted})
        name = None if new.name is None else read_name(new.name)
        asked = Open(terms_of(new), self._holder, name, new.computers)
        match = await self._matches.open(new.id, asked)
        async with self._sitting(match) as sitting:
            yield sitting

    @asynccontextmanager
    async def joined(self, id_: str, name: str | None) -> AsyncIterator[MatchSitting]:
        """A match that was played here before."""
        del name  # it was said when it was opened
        match = await self._matches.get(id_)
        async with self._sitting(match) as sitting:
            yield sitting

    def watched(self, id_: str) -> Any:
        """Nobody looks on here."""
        raise KeypegError(f"match {id_} cannot be watched without a server")

    @asynccontextmanager
    async def _sitting(self, match: LiveMatch) -> AsyncIterator[LocalMatch]:
        sitting = LocalMatch(self._matches, match, self._holder)
        kind = sitting.view.kind.value
        self._saved.keep(SavedMatch(self._address, match.id, kind))
        try:
            yield sitting
        finally:
            sitting.close()


@asynccontextmanager
async def matches_alone(address: str) -> AsyncIterator[LocalMatches]:
    """The matches in a database; their clocks run while it is open here."""
    from keypeg.store.sql import SqlLog  # noqa: PLC0415 - slow to import

    log, clock = await SqlLog.open(address), SystemClock()
    outages, player = Outages(clock), SolverPlayer()
    seconds = COMPUTER_SECONDS if sys.stdin.isatty() else 0.0
    matches = Matches(log, clock, player, outages, computer_seconds=seconds)
    tables = Tables(log, clock, player, companion=matches, outages=outages)
    try:
        await tables.start()
        yield LocalMatches(address, matches, saved_tokens().token(address), saved_matches())
    finally:
        await tables.close()
        await matches.close()
        await log.close()


def latest(address: str, kind: str) -> str:
    """The match that was played last in this database."""
    found = [one for one in saved_matches().all(address) if one.kind == kind]
    if not found:
        raise KeypegError(f"there is no {kind} to continue here; 'keypeg {kind} --help' tells more")
    return found[0].match
