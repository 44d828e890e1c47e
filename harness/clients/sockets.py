"""Sockets that send exactly what a caller gives them, and decode what they receive.

Bots and the terminal play through `keypeg.client`; here a test decides about every message.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket

from keypeg import messages as wire
from keypeg.rules.series import Seat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from keypeg.client import Client, Player

PATIENCE = 60.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""

_decoder = msgspec.json.Decoder(wire.ClientOut)


class Raw:
    """A socket that sends exactly what the caller gives it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, message: str | bytes | msgspec.Struct) -> None:
        text = message if isinstance(message, str | bytes) else msgspec.json.encode(message)
        await self.socket.send(text if isinstance(message, bytes) else _text(text))

    async def hear(self) -> wire.ClientOut:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            heard: wire.ClientOut = _decoder.decode(await self.socket.recv())
        return heard

    async def hear_a(self, kind: type[Any]) -> Any:
        """The next message of a kind, whatever comes before it."""
        while True:
            heard = await self.hear()
            if isinstance(heard, kind):
                return heard

    async def closed(self, seconds: float | None = None) -> int:
        """The code that the server closes the socket with."""
        async with asyncio.timeout(seconds or PATIENCE):
            await self.socket.wait_closed()
        assert self.socket.close_code is not None
        return self.socket.close_code


def _text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.decode()


@asynccontextmanager
async def raw(port: int, **options: Any) -> AsyncIterator[Raw]:
    """A socket that has not said hello."""
    address = f"ws://127.0.0.1:{port}/api/live"
    options = {"compression": None, "proxy": None, "max_size": None, **options}
    async with open_socket(address, **options) as socket:
        yield Raw(socket)


@asynccontextmanager
async def greeted(port: int, player: Player, seq: int | None = None) -> AsyncIterator[Raw]:
    """A socket that has said hello with a good ticket."""
    async with raw(port) as socket:
        ticket = await player.ticket()
        hello = wire.Hello(ticket=ticket) if seq is None else wire.Hello(ticket=ticket, seq=seq)
        await socket.say(hello)
        yield socket


async def seated(client: Client, **settings: Any) -> tuple[Player, Player]:
    """Two people at a new table."""
    one = await client.open_table(name="Ann", **settings)
    return one, await client.take_seat(one.table, Seat.TWO, "Bob")
