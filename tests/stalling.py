"""A database behind a proxy that can stall: connections stay open, and nothing comes through."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import make_url

from harness.databases import postgresql_address


class Line:
    """The proxy between a program and its database."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._open = asyncio.Event()
        self._open.set()
        self._calls: set[asyncio.Task[None]] = set()
        self.connections = 0

    def stall(self) -> None:
        self._open.clear()

    def resume(self) -> None:
        self._open.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there, back = await asyncio.open_unix_connection(self._socket)
        ways = [
            asyncio.create_task(self._pass_on(reader, back)),
            asyncio.create_task(self._pass_on(there, writer)),
        ]
        self._calls.update(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for end in (back, writer):
            end.close()
        for way in ways:
            way.cancel()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()

    async def hang_up(self) -> None:
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)


@asynccontextmanager
async def stalling(postgresql: Any) -> AsyncIterator[tuple[str, Line]]:
    """The address of an empty PostgreSQL database, and the proxy in front of it."""
    url = make_url(await asyncio.to_thread(postgresql_address, postgresql))
    line = Line(f"{url.query['host']}/.s.PGSQL.{url.port or 5432}")
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"postgresql://{url.username}@127.0.0.1:{port}/{url.database}", line
    finally:
        await line.hang_up()
        server.close()
