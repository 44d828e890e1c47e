"""What all faults share: how large a round is, what it counted, and waiting for moves.

A round gets an empty folder, a random generator and a size. It raises a Violation when a promise
is broken, and Impossible where this machine cannot produce the fault.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.checker import SLACK, Violation, check, count, read_back
from harness.clients.guests import WITHOUT_COMPUTER, guests
from harness.clients.sockets import PATIENCE

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from harness.history import History
    from harness.servers.restartable import RestartableServer

TABLES: Final = 12
FEW: Final = 0.02
"""The share of slips where the number of moves counts."""
LIMIT: Final = 60.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""


class Tally(NamedTuple):
    """What one round did: processes killed, some of them at named points; faults of other kinds, or
    events whose order was checked; acknowledged moves, all compared with the log.
    """

    kills: int
    faults: int
    moves: int
    lost: int = 0
    doubled: int = 0
    named: int = 0
    kinds: dict[str, int] = {}  # noqa: RUF012 - never changed


if TYPE_CHECKING:
    Scenario = Callable[[Path, random.Random, "Size"], Coroutine[Any, Any, Tally]]


class Size(NamedTuple):
    """How large a round is."""

    faults: int
    moves: int
    tables: int = TABLES

    @property
    def between(self) -> int:
        """Moves between two faults."""
        return max(1, self.moves // self.faults)


def busy_guests(
    server: RestartableServer, size: Size, history: History, rng: random.Random
) -> AbstractAsyncContextManager[None]:
    """Guests who make as many moves as they can; none of them needs the computer."""
    kinds = WITHOUT_COMPUTER
    return guests([server.port], size.tables, history, rng, kinds=kinds, slips=FEW, pause=0)


async def checked(
    database: str, history: History, slack: int = SLACK, **options: Any
) -> dict[str, Any]:
    """Check all invariants, and count for a tally."""
    logs, cards = await read_back(database, history)
    found = count(history, logs)
    try:
        check(history, logs, cards, slack, **options)
    except Violation as violation:
        violation.count = found
        raise
    return {"moves": found.acknowledged, "lost": found.lost, "doubled": found.doubled}


def died_at_failpoint(server: RestartableServer) -> bool:
    """Whether a server was killed at a named point; none may die for another reason."""
    if not server.alive and not server.died_at_failpoint:
        raise Violation(f"a server died by itself: {server.log.read_text()[-500:]}")
    return server.died_at_failpoint


async def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Wait for something to come true; whether it did in time."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    return true()


async def until_done(
    server: RestartableServer, history: History, moves: int, seconds: float = PATIENCE
) -> None:
    """Wait for `moves` acknowledgements, until the server dies or the time is up."""
    wanted, deadline = history.acknowledged + moves, time.monotonic() + seconds
    while history.acknowledged < wanted and server.alive and not history.gone:
        if time.monotonic() > deadline:
            return
        await asyncio.sleep(0.005)
