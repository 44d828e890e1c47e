"""What takes the server's thought: hints, reviews, opponents that nobody attends, long records."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final

from bench.attack.attacks.requests import get, repeat
from bench.attack.registry import attack
from harness.clients.light import Http, Rejected

if TYPE_CHECKING:
    from bench.attack.registry import Target

LARGE: Final = "16x20/99"
SECRET: Final = list(range(1, 17))
GUESS: Final = SECRET[::-1]
QUESTION: Final = {
    "board": "6x10/99",
    "rows": [{"code": [1, 2, 3, 4, 5, 6], "black": 0, "white": 1}] * 10,
}
OPPONENTS: Final = 20
ROWS: Final = 24


@attack
async def hints(target: Target) -> int:
    """Hints for a board of a million codes, three at a time, as one address may ask for them."""
    return await ask(target, "/api/hints")


@attack
async def reviews(target: Target) -> int:
    """Reviews of ten rows on the same board."""
    return await ask(target, "/api/reviews")


@attack
async def opponents(target: Target) -> int:
    """Twenty tables on the largest board, where the computer is to move and nobody attends."""
    http, opened = Http(target.port, target.source, 4), 0
    target.begin()
    while target.going():
        if opened < OPPONENTS:
            table = await post(http, "/api/tables", {"board": LARGE, "opponent": "strong"})
            await play(http, table, {"type": "set-secret", "id": "s", "code": SECRET})
            opened += 1
        await asyncio.sleep(0.05)
    http.close()
    return opened


@attack
async def records(target: Target) -> int:
    """The record of a series on the widest board, on 20 connections.

    A longer series is not played: the bystanders, who sit already, would run out of time.
    """
    http = Http(target.port, target.source, 4)
    one = await post(http, "/api/tables", {"board": f"16x20/{ROWS}", "name": "A"})
    path = f"/api/tables/{one['table']}"
    two = await post(http, f"{path}/seats", {"seat": "two", "name": "B"})
    number = 0
    for maker, breaker in ((one, two), (two, one)):
        moves = [(maker, {"type": "set-secret", "code": SECRET})]
        moves += [(breaker, {"type": "guess", "code": GUESS})] * ROWS
        moves += [(maker, {"type": "next-game"})] * (maker is one)
        for who, move in moves:
            number += 1
            await play(http, {**who, "table": one["table"]}, {**move, "id": f"m{number}"})
    http.close()
    return await repeat(target, get(f"{path}/record"), connections=20)


async def ask(target: Target, path: str) -> int:
    """Ask the same again and again, whatever the answer."""
    http, asked = Http(target.port, target.source, 6), 0

    async def on() -> None:
        nonlocal asked
        while target.going():
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await http.ask("POST", path, QUESTION)
                asked += 1
            await asyncio.sleep(0.02)

    await asyncio.gather(*(on() for _ in range(6)))
    http.close()
    return asked


async def play(http: Http, seated: dict[str, Any], command: dict[str, Any]) -> None:
    """Send a command of a seat."""
    await post(http, f"/api/tables/{seated['table']}/commands", command, seated["token"])


async def post(http: Http, path: str, body: object, token: str | None = None) -> Any:
    """The answer to a POST, which is sent again while there are too many."""
    while True:
        try:
            return await http.post(path, body, token)
        except Rejected as error:
            if error.status != 429:
                raise
        await asyncio.sleep(0.1)
