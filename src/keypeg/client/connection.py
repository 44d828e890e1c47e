"""A table over a socket: what happened there so far, and commands to it."""

from __future__ import annotations

import asyncio
import contextlib
from math import inf
from typing import TYPE_CHECKING, Any, Final

import msgspec
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from keypeg import messages as wire
from keypeg.client.errors import ConnectionLost, Refused
from keypeg.client.retries import PASSING, Backoff, is_final, retried
from keypeg.draw import new_id
from keypeg.rules.events import Answered

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.client.http import Player
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.series import Seat

LIVE_PATH: Final = "/api/live"
_decoder = msgspec.json.Decoder(wire.ClientOut)


class Connection:
    """A table while it is played: what happened, its status, and the commands to play."""

    def __init__(self, player: Player, patience: float) -> None:
        self.player = player
        self.entries: list[wire.EntryOut] = []
        """Everything that happened, in order, without gaps."""
        self.presence: wire.Present | None = None
        self.options: wire.Options = ()
        """What this seat may do now, as the server said."""
        self._status: wire.Status | None = None
        self._seconds = patience
        self._changed = asyncio.Condition()
        self._waiting: dict[str, tuple[str, asyncio.Future[int]]] = {}
        self._socket: Any = None
        self._welcomed = False
        self._lost: ConnectionLost | None = None
        self._repeats: set[asyncio.Task[None]] = set()

    @property
    def seat(self) -> Seat | None:
        """The seat that plays here."""
        return self.player.seat

    @property
    def seq(self) -> int:
        """The number of the last entry seen."""
        return self.entries[-1].seq if self.entries else 0

    @property
    def ready(self) -> bool:
        """Whether everything up to the opening of the connection has arrived."""
        return self._status is not None and self.seq >= self._status.seq

    @property
    def connected(self) -> bool:
        """Whether the server is there now; if not, it is tried again."""
        return self._socket is not None and self._welcomed

    @property
    def status(self) -> wire.Status:
        """The status of the table: whose turn it is, points, result."""
        if self._status is None:
            raise ConnectionLost("not connected yet")
        return self._status

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._lost is not None or condition())
        if self._lost is not None and not condition():
            raise self._lost

    async def look(self) -> wire.TableOut:
        """The whole table as this player sees it, as soon as the server can be asked."""

        def hopeless(error: Exception) -> bool:
            return self._lost is not None or is_final(error)

        try:
            return await retried(self.player.look, Backoff(inf), hopeless)
        except PASSING as error:
            if self._lost is None or is_final(error):
                raise
            raise self._lost from None

    async def set_secret(self, code: Code) -> int:
        """Set the secret behind the shield."""
        return await self.do(wire.SetSecret(id=new_id(), code=code))

    async def guess(self, code: Code) -> KeyPegs | None:
        """Play a row; gives its key pegs, if the referee places them."""
        seq = await self.do(wire.Guess(id=new_id(), code=code))
        await self.wait_for(lambda: self.seq >= seq)
        events = map(wire.event_in, self.entries[seq - 1].events)
        return next((event.keys for event in events if isinstance(event, Answered)), None)

    async def answer(self, keys: KeyPegs) -> int:
        """Place key pegs beside the row."""
        return await self.do(wire.Answer(id=new_id(), black=keys.black, white=keys.white))

    async def next_game(self) -> int:
        """Go on after a finished game."""
        return await self.do(wire.NextGame(id=new_id()))

    async def propose_limit(self, seconds: int | None) -> int:
        """Propose a turn limit in seconds for the rest of the series; None is no limit."""
        return await self.do(wire.ProposeLimit(id=new_id(), seconds=seconds))

    async def accept_limit(self, seconds: int | None) -> int:
        """Accept the turn limit that the opponent proposed: this one, and no other."""
        return await self.do(wire.AcceptLimit(id=new_id(), seconds=seconds))

    async def decline_limit(self) -> int:
        """Decline the turn limit that the opponent proposed."""
        return await self.do(wire.DeclineLimit(id=new_id()))

    async def withdraw_limit(self) -> int:
        """Withdraw the turn limit that this seat proposed."""
        return await self.do(wire.WithdrawLimit(id=new_id()))

    async def do(self, command: wire.CommandIn) -> int:
        """Have a command carried out; gives the number of its entry once that is on disk."""
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        text = msgspec.json.encode(command).decode()
        self._waiting[command.id] = (text, done)
        await self._send(text)
        try:
            return await done
        finally:
            self._waiting.pop(command.id, None)

    async def keep(self) -> None:
        """Stay connected, resuming where the connection broke off, as long as patience lasts."""
        patience = Backoff(self._seconds)
        try:
            await retried(lambda: self._stay(patience), patience, is_final)
        except PASSING as error:
            await self._give_up(str(error) if is_final(error) else "the server cannot be reached")

    async def _stay(self, patience: Backoff) -> None:
        """Connect, resume, and listen until the connection is lost, which raises."""
        self._welcomed = False
        address = self.player.client.url.replace("http", "ws", 1) + LIVE_PATH
        ticket = await self.player.ticket()
        async with open_socket(address, compression=None, proxy=None, max_size=2**20) as socket:
            hello = wire.Hello(ticket=ticket, seq=self.seq)
            await socket.send(msgspec.json.encode(hello).decode())
            self._socket = socket
            try:
                for text, _ in tuple(self._waiting.values()):
                    await socket.send(text)
                async for frame in socket:
                    await self._hear(_decoder.decode(frame))
                raise ConnectionClosed(None, None)
            finally:
                self._socket = None
                if self._welcomed:
                    patience.renew()
                await self._notify()

    async def _send(self, text: str) -> None:
        # With no socket now, the next one sends all that waits.
        with contextlib.suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(text)

    async def _hear(self, message: wire.ClientOut) -> None:
        match message:
            case wire.Welcome():
                self._welcomed = True
                self._stand(message)
            case wire.Missed():
                self._append(*message.entries)
                self._stand(message)
            case wire.Update():
                self._append(message.entry)
                self._stand(message)
            case wire.Present():
                self.presence = message
            case wire.Ack():
                self._settle(message.id, message.seq)
            case wire.Refused(code="unavailable"):
                # It may have been carried out; sending it again under the same id settles that.
                asyncio.get_running_loop().call_later(0.2, self._again, message.id)
            case wire.Refused():
                self._settle(message.id, Refused(message.code, message.message))
            case _:
                pass
        await self._notify()

    async def _notify(self) -> None:
        """Let those who wait look again."""
        async with self._changed:
            self._changed.notify_all()

    def _stand(self, message: wire.Welcome | wire.Missed | wire.Update) -> None:
        self._status, self.options = message.status, message.options

    def _append(self, *entries: wire.EntryOut) -> None:
        self.entries.extend(entry for entry in entries if entry.seq > self.seq)

    def _settle(self, command_id: str, outcome: int | Refused) -> None:
        _, done = self._waiting.get(command_id, (None, None))
        if done is None or done.done():
            return
        if isinstance(outcome, int):
            done.set_result(outcome)
        else:
            done.set_exception(outcome)

    def _again(self, command_id: str) -> None:
        waiting = self._waiting.get(command_id)
        if waiting is not None:
            repeat = asyncio.get_running_loop().create_task(self._send(waiting[0]))
            self._repeats.add(repeat)
            repeat.add_done_callback(self._repeats.discard)

    async def _give_up(self, why: str) -> None:
        self._lost = ConnectionLost(why)
        for _, done in self._waiting.values():
            if not done.done():
                done.set_exception(self._lost)
        await self._notify()
