"""A contest whose breakers all play at once: how long an answer takes, and the results after it."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.clients.light import Http

if TYPE_CHECKING:
    from collections.abc import Sequence

CODE: Final = [1, 2, 3, 4]
GUESSES: Final = ([1, 1, 2, 2], [3, 3, 4, 4], [4, 3, 2, 1], [2, 1, 4, 3], CODE)
AT_ONCE: Final = 100
"""Connections that the breakers share."""


class Contested(NamedTuple):
    """What one contest measured."""

    answered: list[float]
    """Seconds for each guess, with the wait for a connection that is free."""
    seconds: float
    """From the first guess to the last answer."""
    results: float
    """Seconds for the results of everybody."""
    lines: int
    wrong: int
    """Answers that were not those of a row of its own, in order."""


async def contested(port: int, breakers: int) -> Contested:
    """All break a code in five rows; each sends a row when the one before is answered."""
    http = Http(port, at_once=AT_ONCE)
    made = await http.post("/api/contests", {"id": "x", "codes": [CODE]}, _token())
    path, tokens = f"/api/contests/{made['id']}", [_token() for _ in range(breakers)]
    await asyncio.gather(*(http.post(f"{path}/entrants", {}, token) for token in tokens))
    times: list[float] = []
    began = time.perf_counter()
    rows = await asyncio.gather(*(_break(http, path, token, times) for token in tokens))
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    status, body = await http.ask("GET", f"{path}/codes/1/results", None, tokens[0])
    shown: dict[str, Any] = json.loads(body) if status == 200 else {"lines": []}
    took = time.perf_counter() - began
    http.close()
    right = [*range(1, len(GUESSES) + 1)]
    return Contested(times, seconds, took, len(shown["lines"]), sum(one != right for one in rows))


async def _break(http: Http, path: str, token: str, times: list[float]) -> Sequence[int]:
    rows = []
    for number, code in enumerate(GUESSES):
        began = time.perf_counter()
        answer = await http.post(
            f"{path}/codes/1/guesses", {"id": f"g{number}", "code": code}, token
        )
        times.append(time.perf_counter() - began)
        rows.append(answer["row"])
    return rows


def _token() -> str:
    return secrets.token_urlsafe(32)
