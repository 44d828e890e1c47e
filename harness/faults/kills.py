"""One server, killed with SIGKILL at random moments and at named points."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from harness.checker import check_log_of_server
from harness.databases import postgresql_address, postgresql_server
from harness.faults.rounds import Size, Tally, busy_guests, checked, died_at_failpoint, until_done
from harness.history import History
from harness.servers.restartable import failpoint, restartable_server

if TYPE_CHECKING:
    import random
    from pathlib import Path


async def _kills(database: str, folder: Path, rng: random.Random, size: Size) -> Tally:
    history, named = History(), 0
    with restartable_server(database, folder) as servers:
        async with busy_guests(servers, size, history, rng):
            for left in range(size.faults, 0, -1):
                moves = rng.randint(1, max(1, 2 * (size.moves - history.acknowledged) // left))
                await until_done(servers, history, moves, 3 + moves / 20)
                named += died_at_failpoint(servers)
                await servers.end()
                servers.start(**failpoint(rng))
            await until_done(
                servers, history, size.moves - history.acknowledged, 5 + size.moves / 100
            )
        await servers.end()
    check_log_of_server(servers.log)
    return Tally(size.faults, 0, **await checked(database, history), named=named)


async def kills_on_sqlite(folder: Path, rng: random.Random, size: Size) -> Tally:
    """On SQLite."""
    return await _kills(f"sqlite:///{folder}/keypeg.db", folder, rng, size)


async def kills_on_postgresql(folder: Path, rng: random.Random, size: Size) -> Tally:
    """On PostgreSQL."""
    with postgresql_server() as server:
        database = await asyncio.to_thread(postgresql_address, server)
        return await _kills(database, folder, rng, size)
