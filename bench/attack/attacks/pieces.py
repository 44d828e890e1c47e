"""What is legal, sent a byte at a time: each byte is a segment that the server reads by itself."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Final

from bench.attack.attacks.connections import held
from bench.attack.attacks.frames import SAID
from bench.attack.attacks.requests import UPGRADE, get
from bench.attack.registry import attack
from harness.clients.light import Http, connect, new_table, new_ticket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.attack.registry import Target

CONNECTIONS: Final = 50
SLOW: Final = 0.25
"""Seconds between two bytes that are sent slowly."""
AT_ONCE: Final = 64
"""Bytes that are sent before others have their turn."""
HEAD: Final = get("/api/choices", more=b"x:" + 16_000 * b"x" + b"\r\n")
BODY: Final = b'{"type":"guess","id":"x","code":' + 16_000 * b" " + b"[]}"
POST: Final = (
    b"POST /api/tables/" + 22 * b"x" + b"/commands HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: %d\r\n\r\n" % len(BODY)
)
LONG: Final = b'{"type":"ping"' + 4_000 * b" " + b"}"
FRAME: Final = b"\x81\xfe" + len(LONG).to_bytes(2, "big") + b"\0\0\0\0" + LONG
SHORT: Final = bytes([0x81, 0x80 | len(SAID)]) + b"\0\0\0\0" + SAID


@attack
async def heads_in_bytes(target: Target) -> int:
    """Heads of 16,000 bytes, each byte in a segment, on 50 connections."""
    return await _pieces(target, b"", HEAD)


@attack
async def bodies_in_bytes(target: Target) -> int:
    """Bodies of 16,000 bytes, each byte in a segment, on 50 connections."""
    return await _pieces(target, POST, BODY)


@attack
async def frames_in_bytes(target: Target) -> int:
    """Messages of 4,000 bytes, each byte in a segment, on 50 sockets of spectators."""
    return await _on_sockets(target, FRAME, 0.0)


@attack
async def slow_bodies(target: Target) -> int:
    """Bodies on 400 connections, a byte each quarter of a second."""

    async def dawdle(transport: asyncio.Transport) -> None:
        transport.write(POST)
        for _ in range(1000):
            if not target.going() or transport.is_closing():
                return
            transport.write(b" ")
            await asyncio.sleep(SLOW)

    return await held(target, 400, dawdle)


@attack
async def slow_handshakes(target: Target) -> int:
    """Handshakes on 400 connections, a byte each quarter of a second."""

    async def dawdle(transport: asyncio.Transport) -> None:
        for byte in get("/api/live", more=UPGRADE):
            if not target.going() or transport.is_closing():
                return
            transport.write(bytes([byte]))
            await asyncio.sleep(SLOW)

    return await held(target, 400, dawdle)


@attack
async def slow_frames(target: Target) -> int:
    """Short messages on 50 sockets, a byte each quarter of a second."""
    return await _on_sockets(target, SHORT, SLOW)


async def _pieces(target: Target, first: bytes, pieces: bytes) -> int:
    """How many bytes were sent in segments of their own."""
    sent = 0

    async def send(transport: asyncio.Transport) -> None:
        nonlocal sent
        _without_delay(transport)
        transport.write(first)
        sent += await _bytewise(target, transport, pieces)

    await held(target, CONNECTIONS, send)
    return sent


async def _on_sockets(target: Target, frame: bytes, pause: float) -> int:
    http, sent = Http(target.port, target.source, 4), 0
    [(path, _), _] = await new_table(http)

    async def watch() -> None:
        nonlocal sent
        while target.going():
            with contextlib.suppress(OSError, EOFError):
                ticket = await new_ticket(http, path)
                one = await connect(target.port, ticket, lambda *_: None, source=target.source)
                _without_delay(one.transport)
                while target.going() and not one.transport.is_closing():
                    sent += await _bytewise(
                        target, one.transport, frame if one.open else b"", pause
                    )
                    await asyncio.sleep(0.01)
                one.transport.abort()
            await asyncio.sleep(0.2)

    await asyncio.gather(*(watch() for _ in range(CONNECTIONS)))
    http.close()
    return sent


async def _bytewise(
    target: Target, transport: asyncio.Transport, data: Iterable[int], pause: float = 0.0
) -> int:
    sent = 0
    for byte in data:
        if not target.going() or transport.is_closing():
            break
        transport.write(bytes([byte]))
        sent += 1
        if pause or not sent % AT_ONCE:
            await asyncio.sleep(pause)
    return sent


def _without_delay(transport: asyncio.Transport) -> None:
    """Send each byte as soon as it is written."""
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
