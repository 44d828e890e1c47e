"""Strangers who begin handshakes and never finish them, while a game goes on."""

from __future__ import annotations

import asyncio
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from uvloop import new_event_loop

from bench import Row, bench, percentile
from bench.load.measured import server
from keypeg.client import Client
from keypeg.rules.series import Seat

if TYPE_CHECKING:
    from collections.abc import Iterator

STRANGERS: Final = 20_000
OTHERS: Final = 500
"""Open files for everything else."""
MOVES: Final = 90
AT_ONCE: Final = 500
HEAD: Final = b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


async def besiege(port: int, count: int) -> list[asyncio.Transport]:
    """Begin `count` handshakes."""
    loop, begun = asyncio.get_running_loop(), list[asyncio.Transport]()
    for start in range(0, count, AT_ONCE):
        opening = (
            loop.create_connection(asyncio.Protocol, "127.0.0.1", port)
            for _ in range(min(AT_ONCE, count - start))
        )
        for transport, _ in await asyncio.gather(*opening):
            transport.write(HEAD)
            begun.append(transport)
    return begun


async def siege(url: str, pid: int, count: int) -> tuple[float, float]:
    """The 99th percentile of the moves played meanwhile, and the seconds until all that the
    strangers held was given back."""
    times: list[float] = []
    async with Client(url) as client:
        one = await client.open_table(board="4x6/99")
        two = await client.take_seat(one.table, Seat.TWO)
        async with one.connect() as maker, two.connect() as breaker:
            await maker.set_secret((1, 2, 3, 4))
            base = open_files(pid)
            besieging = asyncio.create_task(besiege(int(url.rpartition(":")[2]), count))
            for _ in range(MOVES):
                began = time.perf_counter()
                await breaker.guess((5, 5, 6, 6))
                times.append(time.perf_counter() - began)
                await asyncio.sleep(0.05)
            transports = await besieging
            began = time.perf_counter()
            while open_files(pid) > base + 1:
                await asyncio.sleep(0.05)
            gone = time.perf_counter() - began
            for transport in transports:
                transport.close()
    return percentile(times, 0.99), gone


@bench
def strangers() -> Iterator[Row]:
    """As many as the system's limit on open files allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(STRANGERS, hard - OTHERS)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + OTHERS), hard))
    with server() as running, asyncio.Runner(loop_factory=new_event_loop) as runner:
        late, gone = runner.run(siege(running.url, running.pid, count))
    yield Row(f"{count:,} half-open handshakes: moves meanwhile, p99", late, 0.150)
    yield Row(f"{count:,} half-open handshakes: all given back after", gone, 30.0)
