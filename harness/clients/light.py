"""Clients that cost little: requests over kept connections, and sockets for text frames only."""

from __future__ import annotations

import asyncio
import json
import resource
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable


FILES: Final = 65_536
ANSWER_SECONDS: Final = 120
"""A request that takes longer has failed."""


def raise_limits() -> None:
    """Allow this process, and those it starts, as many open files as possible."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        # Root may have more than it is given.
        wanted = max(most, FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
    except (OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Rejected(OSError):
    """A request was answered with an error."""

    def __init__(self, path: str, status: int, answer: bytes) -> None:
        super().__init__(f"{path} was answered {status}: {answer[:200]!r}")
        self.status = status


class Http:
    """Requests to one server, over a few connections that are kept open."""

    def __init__(self, port: int, source: str = "127.0.0.1", at_once: int = 8) -> None:
        self._port, self._source = port, source
        self._free: asyncio.LifoQueue[_Streams | None] = asyncio.LifoQueue()
        for _ in range(at_once):
            self._free.put_nowait(None)

    async def post(self, path: str, body: object, token: str | None = None) -> Any:
        """The answer to a POST."""
        status, answer = await self.ask("POST", path, body, token)
        if status >= 400:
            raise Rejected(path, status, answer)
        return json.loads(answer)

    async def ask(
        self, method: str, path: str, body: object = None, token: str | None = None
    ) -> tuple[int, bytes]:
        """Status and body of the answer to a request; tried again if the connection was closed."""
        data = b"" if body is None else json.dumps(body).encode()
        bearer = f"Authorization: Bearer {token}\r\n" if token else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        head += f"Content-Length: {len(data)}\r\n{bearer}\r\n"
        streams = await self._free.get()
        try:
            for attempt in range(2):
                if streams is None:
                    streams = await self._connect()
                try:
                    return await _exchange(streams, head.encode() + data)
                except (OSError, EOFError):
                    streams[1].close()
                    streams = None
                    if attempt:
                        raise
                except asyncio.CancelledError:
                    # The answer may still come, and is not that to the next request.
                    streams[1].close()
                    streams = None
                    raise
            raise OSError("the server does not answer")
        finally:
            self._free.put_nowait(streams)

    async def _connect(self) -> _Streams:
        local = (self._source, 0)
        return await asyncio.open_connection("127.0.0.1", self._port, local_addr=local)

    def close(self) -> None:
        """Close the connections."""
        while not self._free.empty():
            streams = self._free.get_nowait()
            if streams is not None:
                streams[1].close()


_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _exchange(streams: _Streams, request: bytes) -> tuple[int, bytes]:
    reader, writer = streams
    writer.write(request)
    async with asyncio.timeout(ANSWER_SECONDS):
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        return int(head[9:12]), await reader.readexactly(size)


class Socket(asyncio.Protocol):
    """A WebSocket client that masks with zeros and reads text frames only."""

    def __init__(self, hello: str, heard: Callable[[Socket, bytes], None]) -> None:
        self.hello, self.heard = hello, heard
        self.lost: Callable[[Socket], None] | None = None
        self.buffer = b""
        self.open = False
        self.closed_with: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(
            b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        if self.lost is not None:
            self.lost(self)

    def say(self, text: str) -> None:
        data = text.encode()
        size = (
            bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        )
        self.transport.write(b"\x81" + size + b"\0\0\0\0" + data)

    def data_received(self, data: bytes) -> None:
        data = self.buffer + data
        if not self.open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self.buffer = head
                return
            self.open = True
            self.say(self.hello)
        at = 0
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            if size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if len(data) < start + size:
                break
            self._frame(data[at] & 15, data[start : start + size])
            at = start + size
        self.buffer = data[at:]

    def _frame(self, opcode: int, payload: bytes) -> None:
        if opcode == 1:
            self.heard(self, payload)
        elif opcode == 9:
            self.transport.write(b"\x8a" + bytes([0x80 | len(payload)]) + b"\0\0\0\0" + payload)
        elif opcode == 8:
            self.closed_with = int.from_bytes(payload[:2], "big")
            self.transport.close()


async def connect(
    port: int, ticket: str, heard: Callable[[Socket, bytes], None], **options: Any
) -> Socket:
    """An open socket that says hello as soon as it may."""
    more = f',"seq":{options["seq"]}' if options.get("seq") is not None else ""
    socket = Socket(f'{{"type":"hello","ticket":"{ticket}"{more}}}', heard)
    local = (options.get("source", "127.0.0.1"), 0)
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: socket, "127.0.0.1", port, local_addr=local)
    return socket


async def new_table(http: Http, rows: int = 99) -> list[tuple[str, str]]:
    """A table for a long game: its address, with the token of the maker and of the breaker."""
    one = await http.post("/api/tables", {"board": f"4x6/{rows}", "games": 100})
    path = f"/api/tables/{one['table']}"
    two = await http.post(f"{path}/seats", {"seat": "two"})
    return [(path, one["token"]), (path, two["token"])]


async def new_ticket(http: Http, path: str, token: str | None = None) -> str:
    return str((await http.post(f"{path}/tickets", {}, token))["ticket"])
