"""How much of long tables one address may read: whole tables and records, charged by their size.

A short table costs next to nothing. A client that keeps reading the longest ones has to wait.
"""

from __future__ import annotations

import asyncio
from typing import Final

from keypeg.server.limits import Buckets
from keypeg.server.solver_worker import Busy

ENTRIES_PER_SECOND: Final = 50_000
ENTRIES_AT_ONCE: Final = 500_000
FREE: Final = 200
"""Entries that cost nothing: a request is counted already."""
PATIENCE_SECONDS: Final = 5.0


class ReadBudget:
    """Entries that each address may read."""

    def __init__(self) -> None:
        self._buckets = Buckets(ENTRIES_PER_SECOND, ENTRIES_AT_ONCE)

    async def spend(self, address: str, entries: int, patience: float = PATIENCE_SECONDS) -> None:
        """Take what it costs to read these entries, and wait for it if necessary.

        Refuses if the wait is longer than `patience`, in seconds.
        """
        cost = min(max(0, entries - FREE), ENTRIES_AT_ONCE)
        if not cost:
            return
        bucket, waited = self._buckets.of(address), 0.0
        while not bucket.take(cost):
            wait = max(bucket.wait(cost), 0.01)
            if waited + wait > patience:
                raise Busy("your address reads too many long tables; wait a little")
            waited += wait
            await asyncio.sleep(wait)
