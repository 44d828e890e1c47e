"""People who play at random over real sockets and note what they asked and were told."""

from __future__ import annotations

import asyncio
import contextlib
import random
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import WebSocketException

from harness.clients.diary import BOARD, Diary, utc
from harness.clients.sockets import PATIENCE, seated
from keypeg import messages as wire
from keypeg.client import Client, Player, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from harness.history import History, Op

_told = msgspec.json.Decoder(wire.ClientOut)
_LOST = (OSError, WebSocketException, httpx.TransportError, TimeoutError)


class Guest(Diary):
    """One who takes a moment before each move.

    `places` is the same seat through each of the servers; any of them is as good.
    """

    def __init__(self, places: Sequence[Player], history: History, rng: random.Random) -> None:
        super().__init__(places[0].table, places[0].seat, history, rng)
        self.places = places
        self.pause = 0.02

    async def play(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            with contextlib.suppress(Refused, *_LOST):
                async with self.socket() as socket:
                    await asyncio.gather(self.listen(socket), self.act(socket, stop))
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[ClientConnection]:
        player = self.rng.choice(self.places)
        if self.rng.random() < 0.2:
            self.history.tables.append(await player.look())
        ticket = await player.ticket()
        if len(self.places) > 1:
            # The ticket is good at any server.
            player = self.rng.choice(self.places)
        address = player.client.url.replace("http", "ws", 1) + "/api/live"
        async with asyncio.timeout(PATIENCE):
            socket = await open_socket(address, compression=None, proxy=None, close_timeout=0.2)
        try:
            await socket.send(self.arrive(ticket))
            yield socket
        finally:
            await socket.close()

    async def listen(self, socket: ClientConnection) -> None:
        try:
            async for frame in socket:
                self.hear(_told.decode(frame))
        finally:
            await socket.close()

    async def send(self, socket: ClientConnection, op: Op, text: str) -> None:
        """Send a copy; one that is lost with its socket is never answered, and never forgotten."""
        op.copies += 1
        op.sent_again_utc = utc()
        await socket.send(text)

    async def act(self, socket: ClientConnection, stop: asyncio.Event) -> None:
        """Send one thing after another until the socket is lost, or thrown away on purpose."""
        while not stop.is_set() and self.seat is not None:
            await asyncio.sleep(self.rng.uniform(0, self.pause))
            whim = self.rng.random()
            if whim < 0.02:
                await socket.close()
            elif whim < 0.15 and self.past:
                await socket.send(self.rng.choice(list(self.past))[1])
            elif self.open and whim < 0.3:
                await self.send(socket, *self.rng.choice(list(self.open.values())))
            elif self.status is not None and (self.wanted or whim > 0.9):
                await self.send(socket, *self.devise(self.seat, self.status))
        if self.seat is None:
            await stop.wait()
        await socket.close()


@asynccontextmanager
async def party(
    urls: Sequence[str],
    tables: int,
    history: History,
    rng: random.Random,
    *,
    certain: bool = True,
) -> AsyncIterator[None]:
    """Guests at some tables, of every kind, who play for as long as the block lasts."""
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(url)) for url in urls]
        guests = []
        for number in range(tables):
            for place in await _sit_down(clients[0], _settings(number)):
                places = [Player(one, place.table, place.seat, place.token) for one in clients]
                guests.append(Guest(places, history, random.Random(rng.random())))
                guests[-1].certain = certain
        for guest in guests:
            # A crowd takes its time, or it would be busy with itself alone.
            guest.pause *= max(1.0, len(guests) / 40)
        playing = [asyncio.create_task(guest.play(stop)) for guest in guests]
        try:
            yield
        finally:
            stop.set()
            await asyncio.gather(*playing)


def _settings(number: int) -> dict[str, Any]:
    more = ({}, {"key_pegs": "by-hand"}, {"turn_seconds": 1}, {"opponent": "perfect"})[number % 4]
    return {"board": str(BOARD), "games": 100, **more}


async def _sit_down(client: Client, settings: dict[str, Any]) -> list[Player]:
    if "opponent" in settings:
        one = await client.open_table(**settings)
        return [one, client.watch(one.table)]
    one, two = await seated(client, **settings)
    return [one, two, client.watch(one.table)]
