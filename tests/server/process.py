"""`keypeg` for tests that kill it: forked from a process that has loaded everything already.

Run with arguments it is `keypeg` itself. Run as `nursery` it reads a line for each server to
start, a JSON object with its arguments and environment, and says the new process's id. A server
that ends of itself leaves a file that is named for it.

To show that the tests would notice, KEYPEG_TEST_EARLY_ACK=1 acknowledges before the commit,
KEYPEG_TEST_SYNCHRONOUS=NORMAL or OFF lets SQLite sync less often, KEYPEG_TEST_DEAF=1 takes a
disk error for a passing trouble, KEYPEG_TEST_WALL_CLOCK=1 keeps deadlines on the wall clock,
KEYPEG_TEST_FORGETFUL=1 takes a repeated command for a new one, and KEYPEG_TEST_STUBBORN=1 reads
nothing that other servers wrote. They exist here only; no shipped program knows them.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from keypeg.cli import main
from keypeg.store import engines, failpoints, faults
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table import Reply, Seat, Table
from keypeg.table.clock import SystemClock
from keypeg.table.commands import Command
from tests.server.running import running


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


def take_repeats_for_new_commands() -> None:
    """Give each copy of a command an id of its own."""
    copies = Counter[tuple[str, Seat, str]]()
    handle = Table.handle

    async def forgetful(
        self: Table,
        seat: Seat,
        command_id: str,
        command: Command,
        received_at: float,
        *,
        expected: int | None = None,
    ) -> Reply:
        copies[self.id, seat, command_id] += 1
        number = copies[self.id, seat, command_id]
        id_ = command_id if number == 1 else f"{command_id}-{number}"
        return await handle(self, seat, id_, command, received_at, expected=expected)

    Table.handle = forgetful  # type: ignore[method-assign]


async def read_nothing_more(_table: Table) -> bool:
    return False


def run(arguments: list[str]) -> None:
    if os.environ.get("KEYPEG_TEST_EARLY_ACK"):
        acknowledge_before_the_commit()
    if level := os.environ.get("KEYPEG_TEST_SYNCHRONOUS"):
        engines._PRAGMAS = (*engines._PRAGMAS, f"synchronous = {level}")  # type: ignore[misc, assignment]
    if os.environ.get("KEYPEG_TEST_DEAF"):
        faults._BROKEN_SQLITE = ("nothing",)  # type: ignore[misc, assignment]
    if os.environ.get("KEYPEG_TEST_WALL_CLOCK"):
        SystemClock.now = lambda _: time.time()  # type: ignore[method-assign, assignment]
    if os.environ.get("KEYPEG_TEST_FORGETFUL"):
        take_repeats_for_new_commands()
    if os.environ.get("KEYPEG_TEST_STUBBORN"):
        Table._read_on = read_nothing_more  # type: ignore[method-assign, assignment]
    sys.argv = ["keypeg", *arguments]
    main()


async def serve_once() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running(Path(folder)), asyncio.timeout(60):
            pass


def nurse() -> None:
    """Fork a server for each line of standard input."""
    # All that a server needs is loaded once, here, and not at each of many starts.
    importlib.import_module("asyncpg")
    asyncio.run(serve_once())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        hears, go = os.pipe()
        child = os.fork()
        if child == 0:
            os.read(hears, 1)  # its id is told before anything it says
            os.close(hears)
            os.close(go)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.update(order["environment"])
            importlib.reload(failpoints)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            try:
                run(order["arguments"])
            finally:
                # One that was killed says nothing.
                Path(order["ended"]).with_suffix(f".{os.getpid()}").touch()
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.write(go, b"!")
        os.close(hears)
        os.close(go)


if __name__ == "__main__":
    nurse() if sys.argv[1:] == ["nursery"] else run(sys.argv[1:])
