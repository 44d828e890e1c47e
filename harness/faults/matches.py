"""Servers that are killed while races and duels are played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.faults.rounds import LIMIT, Size, Tally, died_at_failpoint, within
from harness.match_guests import MatchHistory, check_matches_played, match_guests
from harness.servers.restartable import failpoint, restartable_server

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from harness.servers.restartable import RestartableServer


async def play_and_kill(
    servers: Sequence[RestartableServer],
    size: Size,
    history: MatchHistory,
    rng: random.Random,
    patience: float = LIMIT,
) -> int:
    """Play through kills, at named points too; gives how many were at these.

    `patience` is for how many seconds more it is waited for the moves after the last kill.
    """
    named = 0
    async with match_guests([server.port for server in servers], size.tables, history, rng):
        for _ in range(size.faults):
            server, wanted = (
                rng.choice(servers),
                history.acknowledged + rng.randint(1, size.between),
            )
            await _until(history, server, wanted, 3 + size.between / 20)
            named += died_at_failpoint(server)
            await server.end()
            server.start(**failpoint(rng))
        for server in servers:
            if not server.alive:
                server.start()
        await within(patience + size.moves / 50, lambda: history.acknowledged >= size.moves)
    return named


async def _until(
    history: MatchHistory, server: RestartableServer, wanted: int, seconds: float
) -> None:
    await within(seconds, lambda: history.acknowledged >= wanted or not server.alive)


async def kills_at_matches(folder: Path, rng: random.Random, size: Size) -> Tally:
    """On SQLite, while races and duels of all kinds are played."""
    history, database = MatchHistory(), f"sqlite:///{folder}/keypeg.db"
    with restartable_server(database, folder) as server:
        named = await play_and_kill([server], size, history, rng)
        await server.end()
    found = await check_matches_played(database, history)
    return Tally(size.faults, 0, *found, named=named)
