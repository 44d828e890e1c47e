"""The server's solver: how soon the computer guesses, and what that costs other tables."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import httpx

from bench import Row, bench, percentile
from bench.load.crew import Crew, crew
from bench.load.measured import MeasuredServer, server
from bench.load.scenarios import Figures, Load, drive
from keypeg import messages as wire
from keypeg.client import Client, Connection
from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.events import Guessed, Revealed
from keypeg.server.opponent import Opponent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

GAMES = 10
TABLES = 8
LOAD = Load(sockets=400, rate=200, seconds=5, clients=1)
ROUNDS = 6
"""How often moves at rest and beside a busy solver are measured, in turn: whatever else the machine
does then slows down both."""
WARMING_SECONDS = 30
SETTLING_SECONDS = 1
HARD = "12x20/99"
LONG = {
    "board": "16x2",
    "rows": [
        {"code": [1 + (row >> hole & 1) for hole in range(16)], "black": 8, "white": 0}
        for row in range(30)
    ],
}


@bench
def computer() -> Iterator[Row]:
    """The computer's guesses, by the times in the log: from one stored entry to the next."""
    with server() as running, asyncio.Runner() as runner:
        url = running.url
        for board, target in (("classic", 0.05), ("advanced", 0.2)):
            for level in Opponent.levels:
                times = runner.run(_guesses(url, board, level))
                what = f"G10: {board}, {level}: p95 of {len(times)} guesses"
                yield Row(what, percentile(times, 0.95), target)
        refusals = runner.run(_refusals(url))
        yield Row("G10: 12x20: a hint refused, p95", percentile(refusals, 0.95), 0.005)


async def _guesses(url: str, board: str, level: str) -> list[float]:
    """Seconds for each guess of some games; not of the first, in which the worker warms up."""
    times: list[float] = []
    async with Client(url, timeout=60) as client:
        for game in range(GAMES + 1):
            person = await client.open_table(board=board, opponent=level)
            async with person.connect() as maker:
                await maker.set_secret(draw_code(Board.parse(board)))
                await maker.wait_for(lambda maker=maker: _over(maker))  # type: ignore[misc]
                if game:
                    times += _gaps(maker)
    return times


def _over(maker: Connection) -> bool:
    return any(
        isinstance(e, wire.sent_as(Revealed)) for entry in maker.entries for e in entry.events
    )


def _gaps(maker: Connection) -> list[float]:
    entries = maker.entries
    return [
        (entry.at - before.at) / 1000
        for before, entry in pairwise(entries)
        if isinstance(entry.events[0], wire.sent_as(Guessed))
    ]


async def _refusals(url: str) -> list[float]:
    times = []
    async with httpx.AsyncClient(base_url=url) as http:
        for _ in range(100):
            began = time.perf_counter()
            answer = await http.post("/api/hints", json={"board": "12x20"})
            times.append(time.perf_counter() - began)
            assert answer.status_code == 409
    return times


@bench
def saturation() -> Iterator[Row]:
    """Moves at other tables while computers think hard and advice is requested without pause."""
    rest, busy = list[float](), list[float]()
    with server() as running, crew(running.port, LOAD.clients) as clients:
        clients.do({"seat": LOAD.sockets})
        asyncio.run(_warmed(running.url))
        for _ in range(ROUNDS):
            rest += drive(running, clients, LOAD, LOAD.sockets).times
            busy += asyncio.run(_while_busy(running, clients)).times
    kind = f"{TABLES} hard computers and {TABLES} askers"
    for name, share, target in (("p50", 0.5, 1.2), ("p99", 0.99, 2.0)):
        times = percentile(busy, share) / percentile(rest, share)
        yield Row(f"{kind}: {name} against at rest", times, target, unit="x")


async def _warmed(url: str) -> None:
    """Have the solver's processes compiled and loaded."""
    async with Client(url, timeout=60) as client, _thinking(client):
        await asyncio.sleep(WARMING_SECONDS)


async def _while_busy(running: MeasuredServer, clients: Crew) -> Figures:
    async with Client(running.url, timeout=60) as client, _thinking(client):
        figures = await asyncio.to_thread(drive, running, clients, LOAD, LOAD.sockets)
    await asyncio.sleep(SETTLING_SECONDS)  # the searches that were under way end
    return figures


@asynccontextmanager
async def _thinking(client: Client) -> AsyncIterator[None]:
    work = [asyncio.create_task(_play(client)) for _ in range(TABLES)]
    work += [asyncio.create_task(_ask(client.url, f"127.0.1.{n + 1}")) for n in range(TABLES)]
    await asyncio.sleep(SETTLING_SECONDS)
    try:
        yield
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)


async def _play(client: Client) -> None:
    """One game against the computer after another, on a board where each guess is hard."""
    while True:
        person = await client.open_table(board=HARD, opponent="perfect")
        async with person.connect() as maker:
            await maker.set_secret(draw_code(Board.parse(HARD)))
            await maker.wait_for(lambda maker=maker: _over(maker))  # type: ignore[misc]


async def _ask(url: str, source: str) -> None:
    """One question after another from an address of its own, so that all of them have to wait."""
    transport = httpx.AsyncHTTPTransport(local_address=source)
    async with httpx.AsyncClient(base_url=url, transport=transport, timeout=60) as http:
        while True:
            await http.post("/api/reviews", json=LONG)
