"""Bad weather: commands that are doubled, held back, or overtaken, and replies that are late."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from harness.checker import check_log_of_server
from harness.clients.guests import Weather, guests
from harness.faults.rounds import Size, Tally, checked
from harness.history import History
from harness.servers.restartable import restartable_server

if TYPE_CHECKING:
    import random
    from pathlib import Path

SHARE: Final = 0.15
"""Of the commands that are doubled, of those held back, and of the replies that are late."""


async def bad_weather(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """Commands doubled, held back, and overtaken by the next; replies late."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    weather = Weather(SHARE)
    with restartable_server(database, folder, **more) as servers:
        async with guests([servers.port], size.tables, history, rng, weather=weather):
            deadline = time.monotonic() + 60 + size.moves / 5
            while history.acknowledged < size.moves and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        await servers.end()
    check_log_of_server(servers.log)
    return Tally(0, weather.faults, **await checked(database, history))
