"""No kill at any point of a start loses or doubles the time that a player is given back."""

from __future__ import annotations

import json
import os
import sys
from itertools import count

import pytest

from harness import programs
from harness.tables import TIMED, FakeClock, token_hash
from keypeg.store.failpoints import (
    AFTER_ACK,
    AFTER_COMMIT,
    AFTER_INSERT,
    BEFORE_BEGIN,
    BEFORE_HEARTBEAT,
)
from keypeg.store.sql import SqlLog
from keypeg.table import Open, Seat, Settings, Tables
from keypeg.table.commands import TakeSeat
from tests.table.outages import KEY, LIFE

pytestmark = pytest.mark.anyio
TABLES = 3
LEFT = 3_000.0
POINTS = [
    f"{name}:{nth}"
    for name in (BEFORE_BEGIN, AFTER_INSERT, AFTER_COMMIT, AFTER_ACK)
    for nth in range(1, TABLES + 1)
]
DOWN = 100.0


async def open_tables(address: str) -> None:
    """Tables at which a turn has LEFT seconds and a server has just beaten for the last time."""
    clock, log = FakeClock(), await SqlLog.open(address, KEY)
    tables = Tables(log, clock)
    for _ in range(TABLES):
        settings = Settings(type(TIMED)(TIMED.board, turn_seconds=int(LEFT)))
        table = await tables.open(Open(settings, Seat.ONE, "Ada", token_hash(Seat.ONE)))
        await table.handle(Seat.TWO, "t", TakeSeat("Bob", token_hash(Seat.TWO)), clock.now())
    await log.heartbeat(clock.utc())
    await tables.close()
    await log.close()


@pytest.mark.timeout(300)
async def test_kills_at_every_point_of_a_start_lose_and_double_no_time(address: str) -> None:
    await open_tables(address)
    starts = []
    # Each point alone, and each after every kind of other, with whole lives in between.
    for point in POINTS:
        starts += [point, ""]
    for first, second in zip(POINTS, POINTS[5:] + POINTS[:5], strict=True):
        starts += [first, second, ""]
    lives = run(address, *starts)
    assert len(lives) == 2 * len(POINTS)
    for number, left in enumerate(lives, 1):
        # A life costs what it lasts; an outage costs nothing.
        assert left == pytest.approx([LEFT - number * LIFE] * TABLES, abs=0.01)


async def test_a_life_that_ends_before_its_first_beat_is_given_back_too(address: str) -> None:
    await open_tables(address)
    [left] = run(address, f"{BEFORE_HEARTBEAT}:1", "")
    assert left == pytest.approx([LEFT - LIFE] * TABLES, abs=0.01)


@pytest.mark.parametrize("off", ["none", "again"])
async def test_time_that_is_lost_or_doubled_would_be_noticed(address: str, off: str) -> None:
    await open_tables(address)
    *_, left = run(address, f"{AFTER_COMMIT}:2", "", KEYPEG_TEST_CREDIT=off)
    assert left != pytest.approx([LEFT - LIFE] * TABLES, abs=0.01)


def run(address: str, *failpoints: str, **environment: str) -> list[list[float]]:
    """One start after another, each after an outage; what turns have left after the whole lives."""
    starts = [*zip(count(DOWN, DOWN + LIFE), failpoints, strict=False)]
    command = [sys.executable, "-m", "tests.table.outages", address, json.dumps(starts)]
    told = {**os.environ, **environment}
    done = programs.run(command, env=told)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)[1] for line in done.stdout.splitlines()]
