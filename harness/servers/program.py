"""`keypeg` with switches that turn its defences off, to show that tests would notice.

KEYPEG_TEST_EARLY_ACK=1 acknowledges before the commit, KEYPEG_TEST_SYNCHRONOUS=NORMAL or OFF lets
SQLite sync less often, KEYPEG_TEST_DEAF=1 takes a disk error for a temporary one,
KEYPEG_TEST_WALL_CLOCK=1 keeps deadlines by the wall clock, KEYPEG_TEST_FORGETFUL=1 takes a repeated
command for a new one, KEYPEG_TEST_STUBBORN=1 reads nothing that other servers wrote, and
KEYPEG_TEST_SHOW_KEY=1 leaves the key in the environment. No shipped program has these switches.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from keypeg.cli import main
from keypeg.store import engines, failpoints, faults
from keypeg.store.matches import MatchStore
from keypeg.store.sql import SqlLog
from keypeg.table import Reply, Seat, Table
from keypeg.table.clock import SystemClock
from keypeg.table.writer import Follower, Writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from keypeg.store.log import Card, Entry
    from keypeg.table.commands import Command


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
    write = MatchStore._write

    async def late_batch(store: MatchStore, jobs: Sequence[Any]) -> None:
        await asyncio.sleep(0.02)
        await write(store, jobs)

    async def early_batch(self: MatchStore, jobs: Sequence[Any]) -> Mapping[Any, bool]:
        task = asyncio.get_running_loop().create_task(late_batch(self, jobs))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return dict.fromkeys(jobs, True)

    MatchStore._write = early_batch  # type: ignore[method-assign]


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
        shielded: bool = True,
    ) -> Reply:
        copies[self.id, seat, command_id] += 1
        number = copies[self.id, seat, command_id]
        id_ = command_id if number == 1 else f"{command_id}-{number}"
        return await handle(
            self, seat, id_, command, received_at, expected=expected, shielded=shielded
        )

    Table.handle = forgetful  # type: ignore[method-assign]


async def read_nothing_more(_writer: Writer, _follower: Follower) -> bool:
    return False


def run() -> None:
    """Run `keypeg`, with the switches that the environment sets."""
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
        Writer._read_on = read_nothing_more  # type: ignore[method-assign, assignment]
    if os.environ.get("KEYPEG_TEST_SHOW_KEY"):
        importlib.import_module("keypeg.server.process").withdraw_key = lambda: None  # type: ignore[attr-defined]
    main()


if __name__ == "__main__":
    run()
