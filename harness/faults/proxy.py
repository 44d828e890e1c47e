"""A proxy between client and server that doubles, holds back and swaps what clients say.

Requests pass as they are. Once a connection has become a socket, whole frames of the client
are delayed, sent twice, or overtaken by the next one; what the server says is delayed only,
since no network shows one connection's bytes in another order.
"""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator

_TEXT = 1


class Proxy:
    """One server seen through bad weather."""

    def __init__(self, port: int, rng: random.Random) -> None:
        self._port, self._rng = port, rng
        self.doubled = self.swapped = self.held = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        ways = [
            asyncio.create_task(self._forth(reader, back)),
            asyncio.create_task(self._back(there, writer)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for end in (writer, back):
            end.close()
            with contextlib.suppress(OSError):
                await end.wait_closed()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self._rng.random() < 0.05:
                await asyncio.sleep(self._rng.uniform(0, 0.05))
            writer.write(data)
            await writer.drain()

    async def _forth(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.readuntil(b"\r\n\r\n"):
            writer.write(data)
            head = data.lower()
            if b"upgrade: websocket" in head:
                await self._frames(reader, writer)
            found = head.partition(b"content-length:")[2].split(b"\r\n")[0].strip()
            writer.write(await reader.readexactly(int(found or 0)))
            await writer.drain()

    async def _frames(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await _frame(reader))[1])  # hello, which must come first
        following = asyncio.ensure_future(_frame(reader))
        try:
            while True:
                opcode, frame = await following
                following = asyncio.ensure_future(_frame(reader))
                whim = self._rng.random() if opcode == _TEXT else 1.0
                if whim < 0.1:
                    # Held back: the next one overtakes it, if it comes soon.
                    await asyncio.wait([following], timeout=0.05)
                    self.held += 1
                    if following.done():
                        writer.write((await following)[1])
                        following = asyncio.ensure_future(_frame(reader))
                        self.swapped += 1
                writer.write(frame)
                if 0.1 <= whim < 0.3:
                    writer.write(frame)
                    self.doubled += 1
                await writer.drain()
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


async def _frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The opcode and all bytes of the client's next frame."""
    head = await reader.readexactly(2)
    size, more = head[1] & 127, b""
    if size == 126:
        more = await reader.readexactly(2)
        size = int.from_bytes(more, "big")
    body = await reader.readexactly(4 + size)
    return head[0] & 15, head + more + body


@asynccontextmanager
async def proxy(port: int, rng: random.Random) -> AsyncIterator[tuple[str, Proxy]]:
    """A proxy in front of a server, and the address to reach it by."""
    weather = Proxy(port, rng)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError, asyncio.CancelledError):
            await weather.serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", weather
    finally:
        server.close()
