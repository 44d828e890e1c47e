"""Servers that start and are killed, one after another, on one database and a simulated clock.

The arguments are a database and a list of starts in JSON, each a time and a failpoint. A server is
forked for each start, and prints how much time each table's turn has left before it is killed.

To show that the tests would notice, KEYPEG_TEST_CREDIT=none credits no time, and
KEYPEG_TEST_CREDIT=again ignores what an earlier, interrupted start has credited.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sys

from harness.tables import FakeClock
from keypeg.store import failpoints
from keypeg.store.sql import SqlLog
from keypeg.table import tables
from keypeg.table.commands import CreditTime
from keypeg.table.tables import Tables

KEY = bytes(32)
LIFE = 20.0
"""Seconds that a server lives; it writes a heartbeat just before it dies."""
KILLED = 9


async def give_nothing_back(ours: Tables, name: str, _heartbeat: int | None) -> None:
    await ours.get(name)


async def give_back_again(ours: Tables, name: str, heartbeat: int | None) -> None:
    table, now = await ours.get(name), ours.clock.utc()
    async with table._writer._lock:
        await table._write(None, f"outage-{now}", CreditTime(now - (heartbeat or 0)))


_OFF = {"none": give_nothing_back, "again": give_back_again}


async def serve(address: str, at: float) -> list[float]:
    """Start and live; the time that each turn has left then."""
    tables.AT_ONCE = 1  # type: ignore[misc] # so that a start can be interrupted after each table
    clock = FakeClock()
    clock.turn(at)
    log = await SqlLog.open(address, KEY)
    ours = Tables(log, clock)
    await ours.start()
    clock.turn(LIFE)
    await log.heartbeat(clock.utc())
    found = [await ours.get(name) for name in sorted(await log.running())]
    return [table.deadline - clock.now() for table in found if table.deadline is not None]


def main(address: str, starts: list[tuple[float, str]]) -> None:
    if off := os.environ.get("KEYPEG_TEST_CREDIT"):
        Tables._resume = _OFF[off]  # type: ignore[method-assign, assignment]
    importlib.import_module("aiosqlite")
    importlib.import_module("asyncpg")
    for at, failpoint in starts:
        child = os.fork()
        if child == 0:
            os.environ["KEYPEG_FAILPOINT"] = failpoint
            importlib.reload(failpoints)
            sys.stdout.write(json.dumps([at, asyncio.run(serve(address, at))]) + "\n")
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == KILLED


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
