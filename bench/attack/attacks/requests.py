"""Floods of requests over kept connections."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from bench.attack.registry import attack
from harness.clients.light import Http, new_table

if TYPE_CHECKING:
    from bench.attack.registry import Target

LONG_HOST: Final = "x" * 2_250
MANY_HEADERS: Final = b"".join(b"a:\r\n" for _ in range(12_000))
UPGRADE: Final = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


@attack
async def codes(target: Target) -> int:
    """QR codes of a table's address with a Host of 2,250 bytes, as often as is allowed."""
    path = await table(target)
    request = get(f"{path}/qr.svg".removeprefix("/api").replace("tables", "table"), LONG_HOST)
    return await repeat(target, request, connections=4, pause=0.2)


@attack
async def headers(target: Target) -> int:
    """Requests with 12,000 headers."""
    return await repeat(target, get("/api/choices", more=MANY_HEADERS), connections=4, pause=0.2)


@attack
async def headed_handshakes(target: Target) -> int:
    """Handshakes with 12,000 headers."""
    request = get("/api/live", more=UPGRADE + MANY_HEADERS)
    return await repeat(target, request, connections=4, pause=0.2)


@attack
async def metrics(target: Target) -> int:
    """The figures for Prometheus, on 200 connections."""
    return await repeat(target, get("/metrics"), connections=200)


@attack
async def health(target: Target) -> int:
    """The server's health, on 200 connections."""
    return await repeat(target, get("/healthz"), connections=200)


@attack
async def pages(target: Target) -> int:
    """The modules of the pages, on 50 connections."""
    return await repeat(target, get("/web/0/pages/table.js"), connections=50)


@attack
async def refused(target: Target) -> int:
    """Requests over the limit, on 50 connections."""
    return await repeat(target, get("/api/choices"), connections=50)


@attack
async def malformed(target: Target) -> int:
    """What is not HTTP, on 50 connections, each of them new."""
    return await repeat(target, b"?\r\n\r\n", connections=50)


@attack
async def handshakes(target: Target) -> int:
    """Handshakes, refused and not, on 50 connections at once."""
    return await repeat(target, get("/api/live", more=UPGRADE), connections=50, hang_up=True)


async def table(target: Target) -> str:
    http = Http(target.port, target.source, 1)
    [(path, _), _] = await new_table(http)
    http.close()
    return path


def get(path: str, host: str = "localhost", more: bytes = b"") -> bytes:
    """The bytes of a request."""
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n".encode() + more + b"\r\n"


async def repeat(
    target: Target, request: bytes, *, connections: int, pause: float = 0.0, hang_up: bool = False
) -> int:
    """Send a request again and again, and read what comes; how often it was sent."""
    sent = 0

    async def ask() -> None:
        nonlocal sent
        while target.going():
            with contextlib.suppress(OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
                local = (target.source, 0)
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", target.port, local_addr=local
                )
                try:
                    while target.going() and not writer.transport.is_closing():
                        writer.write(request)
                        sent += 1
                        async with asyncio.timeout(10):
                            await answered(reader)
                        if hang_up:
                            break
                        await asyncio.sleep(pause)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(pause or 0.01)

    await asyncio.gather(*(ask() for _ in range(connections)))
    return sent


async def answered(reader: asyncio.StreamReader) -> None:
    """Read an answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].split(b"\r\n")[0]
    if length:
        await reader.readexactly(int(length))
