"""The process is killed at every named place: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from harness import programs
from keypeg.rules.errors import CannotRead
from keypeg.store.failpoints import NAMES, _armed, _nothing, reach
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY

WRITER = """
import asyncio, sys
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY, WAITING, guessed, opened

async def main():
    log = await SqlLog.open(sys.argv[1], KEY)
    for seq in range(1, 20):
        await log.append("t", opened() if seq == 1 else guessed(seq), WAITING)
        print(seq, flush=True)

asyncio.run(main())
"""


def test_nothing_is_armed_by_itself() -> None:
    assert reach is _nothing


def test_a_failpoint_that_is_none_is_refused() -> None:
    with pytest.raises(CannotRead, match="before-begin"):
        _armed("somewhere")


@pytest.mark.parametrize("place", NAMES[:3])
def test_a_killed_process_has_lost_nothing_it_acknowledged(tmp_path: Path, place: str) -> None:
    address = f"sqlite:///{tmp_path}/x.db"
    done = programs.run(
        [sys.executable, "-c", WRITER, address],
        env={**os.environ, "KEYPEG_FAILPOINT": f"{place}:7"},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    acknowledged = [int(line) for line in done.stdout.split()]
    assert acknowledged == [1, 2, 3, 4, 5, 6]
    written = asyncio.run(_read(address))
    assert written == list(range(1, 8 if place == "after-commit" else 7))


async def _read(address: str) -> list[int]:
    log = await SqlLog.open(address, KEY)
    entries = await log.read("t")
    await log.close()
    return [entry.seq for entry in entries]
