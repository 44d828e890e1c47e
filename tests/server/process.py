"""`keypeg` for tests that kill it: forked from a process that has loaded everything already.

Run with arguments it is `keypeg` itself. Run as `nursery` it is what tests/server/nurse.py
orders servers from.

To show that the tests would notice, KEYPEG_TEST_EARLY_ACK=1 acknowledges before the commit,
KEYPEG_TEST_SYNCHRONOUS=NORMAL or OFF lets SQLite sync less often, KEYPEG_TEST_DEAF=1 takes a
disk error for a passing trouble, KEYPEG_TEST_WALL_CLOCK=1 keeps deadlines on the wall clock,
KEYPEG_TEST_FORGETFUL=1 takes a repeated command for a new one, and KEYPEG_TEST_STUBBORN=1 reads
nothing that other servers wrote. They exist here only; no shipped program knows them. Nor does
any know of forked thinkers; KEYPEG_TEST_SPAWN=1 has them started as a shipped program does.
"""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType

from keypeg import cli
from keypeg.cli import main
from keypeg.client import Client
from keypeg.store import engines, failpoints, faults
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table import Reply, Seat, Table
from keypeg.table.clock import SystemClock
from keypeg.table.commands import Command
from tests import forked
from tests.programs import SECONDS
from tests.server.running import running, seated


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


def run() -> None:
    """Be `keypeg`, with the switches that the environment sets."""
    importlib.reload(failpoints)
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
    main()


async def serve_once() -> None:
    """Load whatever a server needs, also for its first requests and sockets."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            asyncio.timeout(SECONDS),
            running(Path(folder)) as server,
            Client(server.url) as client,
        ):
            one, two = await seated(client)
            async with one.connect() as maker, two.connect() as breaker:
                await maker.set_secret((1, 2, 3, 4))
                await breaker.guess((1, 2, 3, 4))


def ready_thinkers() -> None:
    """Have a process from which servers fork their thinkers, with the solver loaded."""
    multiprocessing.set_forkserver_preload(["tests.server.warmed"])
    forkserver.ensure_running()


def forked_run() -> None:
    """The same in a process that was forked from the nursery."""
    # A thinker has no use for what is loaded here.
    sys.modules["__main__"] = ModuleType("__main__")
    if not os.environ.get("KEYPEG_TEST_SPAWN"):
        fork_thinkers()
    run()


def fork_thinkers() -> None:
    """Let thinkers be forked, and not be interpreters of their own."""
    # What they are forked from is no child of this process, which cannot look whether it lives.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[method-assign]
    context = multiprocessing.get_context("forkserver")
    multiprocessing.get_context = lambda _method=None: context  # type: ignore[assignment]


def nurse(descriptor: int) -> None:
    """Fork a server for each order that comes by this socket."""
    ready_thinkers()
    importlib.import_module("asyncpg")
    asyncio.run(serve_once())
    cli.main = forked_run  # type: ignore[assignment] # what a forked program runs
    with socket.socket(fileno=descriptor) as orders:
        forked.serve(orders)


if __name__ == "__main__":
    if sys.argv[1] == "nursery":
        nurse(int(sys.argv[2]))
    else:
        run()
