"""A race or a duel, as a program takes part in it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from keypeg import messages as wire
from keypeg.client.connection import LIVE_PATH
from keypeg.client.errors import ConnectionLost
from keypeg.client.retries import PASSING, Backoff, is_final, retried
from keypeg.draw import new_id
from keypeg.rules.match.state import MatchStage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from keypeg.client.http import Client
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

_decoder = msgspec.json.Decoder(wire.ClientOut)


class Match:
    """A race or a duel at a server, seen by the holder of a token; None only looks on."""

    def __init__(self, client: Client, id_: str, token: str | None) -> None:
        self.client, self.id, self._token = client, id_, token

    def __repr__(self) -> str:
        return f"Match({self.id!r})"

    @property
    def link(self) -> str:
        """Where the match is in a browser."""
        return f"{self.client.url}/match/{self.id}"

    async def look(self) -> wire.MatchOut:
        """The match as you see it."""
        return await self.client.get(f"/api/matches/{self.id}", wire.MatchOut, self._token)

    async def join(self, name: str | None = None) -> wire.MatchOut:
        """Take a place, or another name before it begins."""
        path = f"/api/matches/{self.id}/players"
        wanted = wire.JoinMatch(name=name)
        return await self.client.insist(path, wanted, wire.MatchOut, self._token)

    async def start(self) -> wire.MatchOut:
        """Begin a race that you opened, with those who have joined."""
        return await self.do(wire.StartMatch(id=new_id()))

    async def leave(self) -> wire.MatchOut:
        """Leave before it begins; if you opened it, it is cancelled."""
        return await self.do(wire.LeaveMatch(id=new_id()))

    async def set_secret(self, code: Code) -> wire.MatchOut:
        """Set the code that the other player of a duel breaks."""
        return await self.do(wire.MatchSecret(id=new_id(), code=code))

    async def guess(self, row: int, code: Code) -> wire.MatchOut:
        """Fill your next row, which must be this one."""
        return await self.do(wire.MatchGuess(id=new_id(), row=row, code=code))

    async def answer(self, row: int, keys: KeyPegs) -> wire.MatchOut:
        """Place key pegs beside a row of the other player of a duel."""
        placed = wire.MatchAnswerByHand(id=new_id(), row=row, **keys._asdict())
        return await self.do(placed)

    async def challenge(self) -> wire.MatchOut:
        """Say that an answer placed by hand was wrong."""
        return await self.do(wire.MatchChallenge(id=new_id()))

    async def close(self) -> wire.MatchOut:
        """Accept the answers placed by hand, once your game is over."""
        return await self.do(wire.CloseMatch(id=new_id()))

    async def give_up(self) -> wire.MatchOut:
        """Play no more rows."""
        return await self.do(wire.GiveUpMatch(id=new_id()))

    async def another(self) -> Match:
        """Open another match under the same terms, once this one is over."""
        view = await self.do(wire.AnotherMatch(id=new_id()))
        return Match(self.client, view.next or self.id, self._token)

    async def do(self, command: wire.MatchCommand) -> wire.MatchOut:
        """Have a command carried out; when this returns it is stored. Gives the match after it."""
        path = f"/api/matches/{self.id}/commands"
        return (await self.client.insist(path, command, wire.MatchAnswer, self._token)).match

    async def ticket(self) -> str:
        """A ticket for one socket."""
        path = f"/api/matches/{self.id}/tickets"
        wanted = wire.AskMatchTicket()
        return (await self.client.post(path, wanted, wire.TicketOut, self._token)).ticket

    @contextlib.asynccontextmanager
    async def connect(self, *, patience: float = 30.0) -> AsyncIterator[LiveView]:
        """The match as it changes, until the block ends. Whoever joins meanwhile connects anew."""
        live = LiveView(self, patience)
        keeping = asyncio.create_task(live.keep())
        try:
            await live.wait_for(lambda _: True)
            yield live
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)


class LiveView:
    """A match over a socket: how it stands now. A lost connection is made again."""

    def __init__(self, match: Match, patience: float) -> None:
        self.match = match
        self.views = 0
        """How many views were received."""
        self._view: wire.MatchOut | None = None
        self._patience = patience
        self._changed = asyncio.Condition()
        self._lost: ConnectionLost | None = None

    @property
    def view(self) -> wire.MatchOut:
        """The match as you see it now."""
        if self._view is None:
            raise ConnectionLost("not connected yet")
        return self._view

    @property
    def over(self) -> bool:
        """Whether the match is over, or was cancelled."""
        return self.view.stage in (MatchStage.OVER, MatchStage.CANCELLED)

    async def wait_for(self, condition: Callable[[wire.MatchOut], Any]) -> wire.MatchOut:
        """Wait until a condition holds; gives the match as it is then."""

        def holds() -> bool:
            return self._view is not None and bool(condition(self._view))

        async with self._changed:
            await self._changed.wait_for(lambda: self._lost is not None or holds())
        if self._lost is not None and not holds():
            raise self._lost
        return self.view

    async def keep(self) -> None:
        """Stay connected as long as patience lasts."""
        patience = Backoff(self._patience)
        try:
            await retried(lambda: self._stay(patience), patience, is_final)
        except PASSING as error:
            why = str(error) if is_final(error) else "the server cannot be reached"
            self._lost = ConnectionLost(why)
            await self._notify()

    async def _stay(self, patience: Backoff) -> None:
        address = self.match.client.url.replace("http", "ws", 1) + LIVE_PATH
        ticket = await self.match.ticket()
        async with open_socket(address, compression=None, proxy=None, max_size=2**20) as socket:
            await socket.send(msgspec.json.encode(wire.Hello(ticket=ticket)).decode())
            async for frame in socket:
                message = _decoder.decode(frame)
                if isinstance(message, wire.MatchUpdate):
                    patience.renew()
                    await self._take(message.match)
            raise ConnectionClosed(None, None)

    async def _take(self, view: wire.MatchOut) -> None:
        """Take in a view, unless a newer one is here: several servers may not be equally fast."""
        self.views += 1
        if self._view is None or view.seq >= self._view.seq:
            self._view = view
        await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
