"""Connections that are held, or come and go, for their own sake."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from bench.attack.attacks.requests import UPGRADE, get
from bench.attack.registry import attack

if TYPE_CHECKING:
    from bench.attack.registry import Target

SLOW: Final = 400
ARRIVING: Final = 2_000
KEPT: Final = get("/healthz")


@attack
async def slow_clients(target: Target) -> int:
    """400 connections that send a byte of a request each quarter of a second."""

    async def dawdle(transport: asyncio.Transport) -> None:
        for byte in 1000 * get("/api/choices"):
            if not target.going() or transport.is_closing():
                return
            transport.write(bytes([byte]))
            await asyncio.sleep(0.25)

    return await held(target, SLOW, dawdle)


@attack
async def kept_connections(target: Target) -> int:
    """400 connections that ask for the server's health every two seconds."""

    async def keep(transport: asyncio.Transport) -> None:
        while target.going() and not transport.is_closing():
            transport.write(KEPT)
            await asyncio.sleep(2.0)

    return await held(target, SLOW, keep)


@attack
async def silent_sockets(target: Target) -> int:
    """400 handshakes at once, and no hello."""

    async def shake(transport: asyncio.Transport) -> None:
        transport.write(get("/api/live", more=UPGRADE))
        while target.going() and not transport.is_closing():
            await asyncio.sleep(0.25)

    return await held(target, SLOW, shake)


@attack
async def arrival(target: Target) -> int:
    """2,000 connections at once that send nothing, again and again."""

    async def wait(transport: asyncio.Transport) -> None:
        while target.going() and not transport.is_closing():
            await asyncio.sleep(0.5)

    return await held(target, ARRIVING, wait)


async def held(target: Target, count: int, use: object) -> int:
    """Keep this many connections open and in use; how often one was opened."""
    loop, opened = asyncio.get_running_loop(), 0

    async def hold() -> None:
        nonlocal opened
        while target.going():
            with contextlib.suppress(OSError):
                transport, _ = await loop.create_connection(
                    asyncio.Protocol, "127.0.0.1", target.port, local_addr=(target.source, 0)
                )
                opened += 1
                await use(transport)  # type: ignore[operator]
                transport.abort()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(hold() for _ in range(count)))
    return opened
