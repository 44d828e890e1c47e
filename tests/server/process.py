"""`keypeg` as the kill tests start it: with a switch that no shipped program has.

KEYPEG_TEST_EARLY_ACK=1 acknowledges before the commit, to show that the tests would notice.
"""

from __future__ import annotations

import asyncio
import os

from keypeg.cli import main
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog


def acknowledge_before_the_commit() -> None:
    """Let `append` return at once and write a little later."""
    append = SqlLog.append
    tasks = set()

    async def late(log: SqlLog, table_id: str, entry: Entry, card: Card | None) -> None:
        await asyncio.sleep(0.05)
        await append(log, table_id, entry, card)

    async def early(self: SqlLog, table_id: str, entry: Entry, card: Card | None) -> None:
        task = asyncio.get_running_loop().create_task(late(self, table_id, entry, card))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    SqlLog.append = early  # type: ignore[method-assign]


if __name__ == "__main__":
    if os.environ.get("KEYPEG_TEST_EARLY_ACK"):
        acknowledge_before_the_commit()
    main()
