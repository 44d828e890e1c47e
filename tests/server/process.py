"""`keypeg` for tests that kill it: forked from a process that has loaded everything already.

Run with arguments it is `keypeg` itself. Run as `nursery` it reads a line for each server to
start, a JSON object with its arguments and environment, and says the new process's id.

KEYPEG_TEST_EARLY_ACK=1 acknowledges before the commit, KEYPEG_TEST_NO_SYNC=1 lets SQLite leave
it to the system when to write, KEYPEG_TEST_DEAF=1 takes a disk error for a passing trouble, and
KEYPEG_TEST_WALL_CLOCK=1 keeps deadlines on the wall clock: to show that the tests would notice.
They exist here only; no shipped program knows them.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sys
import time

from keypeg.cli import main
from keypeg.store import engines, failpoints, faults
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table.clock import SystemClock


def acknowledge_before_the_commit() -> None:
    """Let `append` return at once and write a little later."""
    append = SqlLog.append
    tasks = set()

    async def late(log: SqlLog, table_id: str, entry: Entry, card: Card | None) -> None:
        await asyncio.sleep(0.02)
        await append(log, table_id, entry, card)

    async def early(self: SqlLog, table_id: str, entry: Entry, card: Card | None) -> None:
        task = asyncio.get_running_loop().create_task(late(self, table_id, entry, card))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    SqlLog.append = early  # type: ignore[method-assign]


def run(arguments: list[str]) -> None:
    if os.environ.get("KEYPEG_TEST_EARLY_ACK"):
        acknowledge_before_the_commit()
    if os.environ.get("KEYPEG_TEST_NO_SYNC"):
        engines._PRAGMAS = (*engines._PRAGMAS, "synchronous = OFF")  # type: ignore[misc, assignment]
    if os.environ.get("KEYPEG_TEST_DEAF"):
        faults._BROKEN_SQLITE = ("nothing",)  # type: ignore[misc, assignment]
    if os.environ.get("KEYPEG_TEST_WALL_CLOCK"):
        SystemClock.now = lambda _: time.time()  # type: ignore[method-assign, assignment]
    sys.argv = ["keypeg", *arguments]
    main()


def nurse() -> None:
    """Fork a server for each line of standard input."""
    # All that a server needs is loaded once, here, and not at each of many starts.
    importlib.import_module("keypeg.server.process")
    importlib.import_module("aiosqlite")
    importlib.import_module("asyncpg")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.update(order["environment"])
            importlib.reload(failpoints)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            run(order["arguments"])
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    nurse() if sys.argv[1:] == ["nursery"] else run(sys.argv[1:])
