"""Who watches a match, and the sockets on which it is sent.

A match is sent whole, as its reader sees it, at first and whenever that has changed. The newest
view takes the place of older ones that a slow reader has not been sent yet.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from keypeg.messages import Error, Hello, MatchUpdate, Ping, Time, read_message
from keypeg.messages.matches import match_out
from keypeg.rules.errors import CannotRead
from keypeg.server.asgi import Disconnected
from keypeg.server.encoding import as_text
from keypeg.server.limits import Bucket
from keypeg.server.outbox import Outbox
from keypeg.server.places import nothing
from keypeg.server.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from keypeg.matches.live_match import LiveMatch
    from keypeg.server.asgi import Socket
    from keypeg.server.services import Services

    Close = Callable[[Socket, tuple[int, str]], Awaitable[None]]
    Known = tuple[int, frozenset[int]]
    """How often what a reader sees has changed, and who is here."""

MOST_ERRORS: Final = 10
TOO_MANY: Final = (1008, "too many messages")
GATHERING_SECONDS: Final = 0.5
"""The least time between two messages that say who is here; whoever comes and goes is gathered."""
TOO_WRONG: Final = (1008, "too many errors")
MATCH_REMOVED: Final = (4004, "there is no such match any more")


class MatchRoom:
    """The sockets at one match. Each kind of reader's view is made once for each change."""

    def __init__(self, match: LiveMatch) -> None:
        self.match = match
        self._sessions: set[MatchSession] = set()
        self._texts: dict[int | None, str] = {}
        self.told: frozenset[int] = frozenset()
        """The players who were here when everybody was told last."""
        self._telling: asyncio.TimerHandle | None = None
        """Runs for a while after everybody was told."""
        self._unwatch: Callable[[], None] = match.watch(self._moved, self._removed)

    @property
    def empty(self) -> bool:
        """Whether nobody is here."""
        return not self._sessions

    def enter(self, session: MatchSession) -> None:
        """Let somebody in, and send them the match."""
        self._sessions.add(session)
        if session.player is not None:
            self.match.arrive(session.player)
            self._tell_presence()
        self._texts.clear()
        session.show()

    def leave(self, session: MatchSession) -> None:
        """Let somebody out."""
        self._sessions.discard(session)
        if session.player is not None:
            self.match.leave(session.player)
            self._tell_presence()

    def _tell_presence(self) -> None:
        """Send the match again if others are here than everybody was told, but not too often."""
        if self._telling is not None or self.match.present == self.told:
            return
        self.told = self.match.present
        loop = asyncio.get_running_loop()
        self._telling = loop.call_later(GATHERING_SECONDS, self._gathered)
        self._show()

    def _gathered(self) -> None:
        self._telling = None
        self._tell_presence()

    def _show(self) -> None:
        self._texts.clear()
        for session in tuple(self._sessions):
            session.show()

    def close(self) -> None:
        """Stop watching the match."""
        self._unwatch()
        if self._telling is not None:
            self._telling.cancel()

    def text(self, player: int | None) -> str:
        """The match as this player sees it, as a message."""
        if player not in self._texts:
            self._texts[player] = as_text(MatchUpdate(match=match_out(self.match.seen(player))))
        return self._texts[player]

    def _moved(self, _seq: int) -> None:
        self._show()

    def _removed(self) -> None:
        for session in tuple(self._sessions):
            session.close(MATCH_REMOVED)


class MatchSession:
    """One socket at one match. It only listens: commands are HTTP requests."""

    def __init__(
        self,
        services: Services,
        socket: Socket,
        room: MatchRoom,
        player: int | None,
        client: str,
        close: Close,
    ) -> None:
        self.player, self.room = player, room
        self._known: Known | None = None
        self.used: Callable[[], None] = nothing
        self._socket, self._services, self._close_socket = socket, services, close
        self._outbox = Outbox()
        self._errors = 0
        self._writer: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        settings, plays = services.settings, player is not None
        rate = settings.messages_per_second if plays else settings.spectator_messages_per_second
        self._bucket = Bucket(rate, settings.messages_at_once)
        self._messages = services.budget.messages(client, seat=plays)

    @property
    def unfinished(self) -> bool:
        """Whether something waits to be sent."""
        return self._closing is None and self._writer is not None

    def show(self) -> None:
        """Send the match, if what this reader sees has changed."""
        newest = self._newest()
        if newest == self._known:
            return
        self._known = newest
        if self._writer is None and self._socket.write(self.room.text(self.player)):
            return
        self._outbox.coalesce(self._latest)
        self._start_writing()

    def _newest(self) -> Known:
        """What says whether this reader has to be sent the match.

        That is who was here when all were told: if it were who is here now, the message that is
        not sent yet would come when somebody plays a row that may not be noticed.
        """
        return self.room.match.state.seq_for(self.player), self.room.told

    def _latest(self) -> str:
        self._known = self._newest()
        return self.room.text(self.player)

    def close(self, why: tuple[int, str]) -> None:
        """Close the socket without waiting for it."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close(why))

    async def run(self) -> None:
        """Send the match, then read until the socket closes."""
        self.room.enter(self)
        try:
            while True:
                await self._take(await self._socket.receive())
        finally:
            self.room.leave(self)
            self._stop_writing()
            if self._closing is not None:
                await self._closing
                self._closing = None

    def _start_writing(self) -> None:
        if self._writer is None and self._closing is None:
            self._writer = asyncio.get_running_loop().create_task(self._write())

    async def _close(self, why: tuple[int, str]) -> None:
        self._stop_writing()
        await self._close_socket(self._socket, why)

    def _stop_writing(self) -> None:
        if self._writer is not None:
            self._writer.cancel()
            self._writer = None
        self._outbox.drop()

    async def _write(self) -> None:
        with suppress(Disconnected):
            while not self._outbox.empty:
                await self._socket.send(self._outbox.take())
        self._writer = None

    async def _take(self, text: str) -> None:
        if not self._bucket.take():
            self.close(TOO_MANY)
            raise Disconnected
        if wait := self._messages.wait():
            await asyncio.sleep(wait)
        try:
            message = read_message(text)
            if isinstance(message, Hello):
                raise CannotRead("hello is said once")
            if not isinstance(message, Ping):
                raise CannotRead("commands at a match are HTTP requests; here one only listens")
        except CannotRead as error:
            self._errors += 1
            if self._errors > MOST_ERRORS:
                self.close(TOO_WRONG)
                raise Disconnected from None
            self._tell(as_text(Error(kind_of(error).code, str(error))))
            return
        self._tell(as_text(Time(self._services.matches.clock.utc())))

    def _tell(self, text: str) -> None:
        """Send a message, unless a newer view of the match waits to be sent."""
        if self._writer is None and self._socket.write(text):
            return
        if self._outbox.put(text):
            self._start_writing()
