"""Where races and duels are played from a terminal: at a server."""

from __future__ import annotations

import re
import shlex
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from keypeg.client import Client
from keypeg.rules.errors import CannotRead, quoted
from keypeg.rules.match.state import MatchStage
from keypeg.store.paths import data_folder
from keypeg.terminal.remote import PATIENCE, read_server
from keypeg.terminal.saved_daily import FILE as TOKENS
from keypeg.terminal.saved_daily import SavedDaily
from keypeg.terminal.saved_matches import FILE as MATCHES
from keypeg.terminal.saved_matches import SavedMatch, SavedMatches

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from keypeg.client import LiveView, Match
    from keypeg.messages import MatchCommand, MatchOut

_LINK: Final = re.compile(r"(https?://.+)/match/([A-Za-z0-9_-]{22})/?")


class MatchSitting(Protocol):
    """A match, as somebody here sees and plays it."""

    link: str | None
    """Where others join it."""
    way_back: str
    """How to come back to it."""

    @property
    def view(self) -> MatchOut:
        """The match as it is now."""
        ...

    @property
    def now(self) -> float:
        """The time by the match's clock, in milliseconds since the epoch."""
        ...

    async def changed(self, seen: MatchOut) -> None:
        """Wait until there is another view than this one."""
        ...

    async def do(self, command: MatchCommand) -> None:
        """Have a command carried out; when this returns it is on disk, and seen here."""
        ...


class MatchSource(Protocol):
    """A server that has matches, or this machine."""

    def opened(self, **wanted: Any) -> AbstractAsyncContextManager[MatchSitting]:
        """A new match, set as in `messages.NewMatch`."""
        ...

    def joined(self, id_: str, name: str | None) -> AbstractAsyncContextManager[MatchSitting]:
        """A place in a match: the one taken from here before, or a free one."""
        ...

    def watched(self, id_: str) -> AbstractAsyncContextManager[MatchSitting]:
        """A match, as a spectator."""
        ...


class RemoteMatch:
    """A match at a server, over a socket."""

    def __init__(self, match: Match, live: LiveView) -> None:
        view = live.view
        way = "--watch" if view.you is None else "--join"
        self.link: str | None = match.link
        self.way_back = f"keypeg {view.kind.value} {way} {shlex.quote(match.link)}"
        self._match, self._live = match, live
        self._ahead = view.now - time.time() * 1000
        """How far the server's clock is ahead of ours, in milliseconds."""

    @property
    def view(self) -> MatchOut:
        """The match as it is now."""
        return self._live.view

    @property
    def now(self) -> float:
        """The time by the server's clock, in milliseconds since the epoch."""
        return time.time() * 1000 + self._ahead

    async def changed(self, seen: MatchOut) -> None:
        """Wait until there is another view than this one."""
        await self._live.wait_for(lambda view: view is not seen)

    async def do(self, command: MatchCommand) -> None:
        """Have the server carry it out; when this returns it is on disk there, and seen here."""
        after = await self._match.do(command)
        await self._live.wait_for(lambda view: view.seq >= after.seq)


class RemoteMatches:
    """The matches of a server, as played with the token that is saved for it."""

    def __init__(self, client: Client, saved: SavedDaily, matches: SavedMatches) -> None:
        self._client, self._token, self._matches = client, saved.token(client.url), matches

    @asynccontextmanager
    async def opened(self, **wanted: Any) -> AsyncIterator[MatchSitting]:
        """A new match, set as in `messages.NewMatch`."""
        match = await self._client.open_match(self._token, **wanted)
        async with match.connect(patience=PATIENCE) as live:
            self._keep(match, live)
            yield RemoteMatch(match, live)

    @asynccontextmanager
    async def joined(self, id_: str, name: str | None) -> AsyncIterator[MatchSitting]:
        """A place in a match: the one taken from here before, or a free one."""
        match = self._client.match(id_, self._token)
        seen = await match.look()
        if seen.you is None or (name is not None and seen.stage is MatchStage.WAITING):
            await match.join(name)
        async with match.connect(patience=PATIENCE) as live:
            self._keep(match, live)
            yield RemoteMatch(match, live)

    @asynccontextmanager
    async def watched(self, id_: str) -> AsyncIterator[MatchSitting]:
        """A match, as a spectator."""
        match = self._client.match(id_)
        await match.look()  # whether there is such a server, and such a match
        async with match.connect(patience=PATIENCE) as live:
            yield RemoteMatch(match, live)

    def _keep(self, match: Match, live: LiveView) -> None:
        self._matches.keep(SavedMatch(self._client.url, match.id, live.view.kind.value))


@asynccontextmanager
async def matches_at(server: str) -> AsyncIterator[RemoteMatches]:
    """The matches of a server."""
    async with Client(read_server(server)) as client:
        yield RemoteMatches(client, saved_tokens(), saved_matches())


def saved_matches() -> SavedMatches:
    """The matches joined from this machine."""
    return SavedMatches(data_folder() / MATCHES)


def saved_tokens() -> SavedDaily:
    """The tokens of this machine; one serves for daily codes, contests and matches of a server."""
    return SavedDaily(data_folder() / TOKENS)


def parse_match_link(link: str) -> tuple[str, str]:
    """The server and the id in the link of a match; an id is enough of one joined from here."""
    for saved in saved_matches().at_servers():
        if saved.match == link:
            return saved.address, saved.match
    found = _LINK.fullmatch(link)
    if found is None:
        raise CannotRead(
            f"{quoted(link, 80)} is not the link of a match; use http://host:port/match/... "
            "as 'keypeg race --open SERVER' prints it"
        )
    return found[1], found[2]
