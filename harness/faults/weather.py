"""Commands doubled, delayed and swapped on their way."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from harness.checker import check_log_of_server
from harness.clients.party import party
from harness.faults.proxy import proxy
from harness.faults.rounds import Size, Tally, checked
from harness.history import History
from harness.servers.restartable import restartable_server

if TYPE_CHECKING:
    import random
    from pathlib import Path


async def bad_weather(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """Commands doubled, held back and swapped on their way."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    with restartable_server(database, folder, **more) as servers:
        async with (
            proxy(servers.port, rng) as (url, weather),
            party([url], size.tables, history, rng, certain=False),
        ):
            deadline = time.monotonic() + 5 + size.moves / 20
            while history.acknowledged < size.moves and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        await servers.end()
    check_log_of_server(servers.log)
    faults = weather.doubled + weather.swapped + weather.held
    return Tally(0, faults, **await checked(database, history))
