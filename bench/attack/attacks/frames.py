"""Floods of frames on a socket that is open, of every kind that a client may send."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

from bench.attack.registry import attack
from harness.clients.light import Http, connect, new_table, new_ticket

if TYPE_CHECKING:
    from bench.attack.registry import Target

PONG: Final = b"\x8a\x80\0\0\0\0"
PING: Final = b"\x89\x80\0\0\0\0"
FRAGMENT: Final = b"\x01\x80\0\0\0\0" + b"\0\x80\0\0\0\0" * 62 + b"\x80\x80\0\0\0\0"
SAID: Final = json.dumps({"type": "ping"}).encode()
TEXT: Final = bytes([0x81, 0x80 | len(SAID)]) + b"\0\0\0\0" + SAID
CHUNK: Final = 44_000
"""Bytes each 20 ms: 2.2 MB a second."""
AGAIN: Final = 0.2
"""Seconds until a socket that was closed is opened again."""


@attack
async def pongs(target: Target) -> int:
    """2.2 MB of empty pongs a second."""
    return await flood(target, PONG)


@attack
async def pings(target: Target) -> int:
    """2.2 MB of empty pings a second."""
    return await flood(target, PING)


@attack
async def texts(target: Target) -> int:
    """2.2 MB of short messages a second."""
    return await flood(target, TEXT)


@attack
async def fragments(target: Target) -> int:
    """2.2 MB of messages a second that consist of 64 empty fragments."""
    return await flood(target, FRAGMENT)


async def flood(target: Target, frame: bytes) -> int:
    """As many frames as fit, on a spectator's socket that is opened again whenever it is closed."""
    http = Http(target.port, target.source, 1)
    [(path, _), _] = await new_table(http)
    sent, count = 0, CHUNK // len(frame)
    while target.going():
        try:
            ticket = await new_ticket(http, path)
            socket = await connect(target.port, ticket, lambda *_: None, source=target.source)
        except OSError:
            await asyncio.sleep(AGAIN)
            continue
        while target.going() and not socket.transport.is_closing():
            if socket.open and socket.transport.get_write_buffer_size() < 16 * CHUNK:
                socket.transport.write(count * frame)
                sent += count
            await asyncio.sleep(0.02)
        socket.transport.abort()
        await asyncio.sleep(AGAIN)
    return sent
