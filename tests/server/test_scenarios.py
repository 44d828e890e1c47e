"""The fault harness in short: each of its rounds once, and some with their defence off."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.checker import Violation
from harness.faults import clocks
from harness.faults.clocks import TurnEnd, check_turns, turned_clock
from harness.faults.contests import Diary, Told, checked, kills_in_a_contest
from harness.faults.disks import failing_disk, full_disk, power_cuts
from harness.faults.four_servers import four_servers
from harness.faults.library import Impossible
from harness.faults.rounds import Size
from harness.faults.scenarios import SCENARIOS
from harness.faults.syncs import synced_before_told
from harness.faults.weather import bad_weather
from harness.servers.settings import KEY
from keypeg.contests.game import Contests, Plan
from keypeg.messages import AttemptRow
from keypeg.rules.board import PRESETS
from keypeg.store.contests import ContestKey
from keypeg.store.sql import SqlLog
from keypeg.table.clock import SystemClock

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

SHORT = {
    "full-disk": Size(1, 20, 4),
    "failing-disk": Size(2, 20, 4),
    "bad-weather": Size(1, 150, 8),
    "turned-clock": Size(3, 3),
    "synced-before-told": Size(1, 60, 4),
    "power-cuts": Size(3, 200, 6),
}
"""Those which only kill have tests of their own: test_faults.py and
test_several_processes.py."""


@pytest.mark.parametrize("name", SHORT)
async def test_nothing_is_lost(name: str, tmp_path: Path) -> None:
    with possible():
        tally = await SCENARIOS[name](tmp_path, random.Random(1), SHORT[name])
    assert tally.faults > 0


@contextmanager
def possible() -> Iterator[None]:
    try:
        yield
    except Impossible as reason:
        assert os.geteuid() != 0, "as root everything can be tried"
        pytest.skip(str(reason))


async def test_kills_in_a_contest_lose_no_row(tmp_path: Path) -> None:
    tally = await kills_in_a_contest(tmp_path, random.Random(1), Size(2, 80, 4))
    assert tally.kills == 2
    assert tally.moves >= 80


async def test_rows_of_a_contest_that_are_lost_doubled_or_changed_would_be_noticed(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{tmp_path}/keypeg.db"
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    contests = Contests(log, SystemClock())
    seen = await contests.create("5" * 64, "x", Plan(PRESETS["classic"], ((1, 2, 3, 4),)))
    contest = seen.contest.id
    for holder in ("1" * 64, "2" * 64):
        await contests.enter(contest, holder, None)
    await contests.guess(contest, 1, "2" * 64, ("a", (1, 1, 2, 2)))
    await log.close()
    key, sent = ContestKey(contest, 1, 2), AttemptRow(code=(1, 1, 2, 2), black=1, white=1)
    diary = Diary()
    diary.asked["a"] = key
    diary.told["a"] = Told(key, 1, sent)
    assert await checked(database, diary) == (0, 0)
    for wrong in (
        Told(key, 2, sent),
        Told(key, 1, replace(sent, black=2)),
        Told(key._replace(number=2), 1, sent),
    ):
        diary.told["a"] = wrong
        with pytest.raises(Violation, match="1 acknowledged row lost"):
            await checked(database, diary)
    with pytest.raises(Violation, match="1 that nobody has played"):
        await checked(database, Diary())


async def test_four_servers_come_through_every_fault(tmp_path: Path) -> None:
    tally = await four_servers(tmp_path, random.Random(1), Size(10, 300, 8))
    assert tally.kills >= 3
    assert set(tally.kinds) >= {"freeze", "redis", "postgresql", "failing-sync", "turned-clock"}
    assert all(tally.kinds.values())


async def test_four_servers_that_acknowledge_too_early_would_be_noticed(tmp_path: Path) -> None:
    with pytest.raises(Violation, match=r"I\d"):
        await four_servers(
            tmp_path, random.Random(1), Size(3, 300, 8), ["kill"], KEYPEG_TEST_EARLY_ACK="1"
        )


@pytest.mark.parametrize("level", ["NORMAL", "OFF"])
async def test_an_acknowledgement_that_is_not_synced_would_be_noticed(
    tmp_path: Path, level: str
) -> None:
    size = Size(1, 8, 2)
    with pytest.raises(Violation, match="without a sync"):
        await synced_before_told(tmp_path, random.Random(1), size, KEYPEG_TEST_SYNCHRONOUS=level)


@pytest.mark.parametrize("level", ["NORMAL", "OFF"])
async def test_what_a_power_cut_would_lose_unsynced_would_be_noticed(
    tmp_path: Path, level: str
) -> None:
    size = Size(1, 40, 4)
    with pytest.raises(Violation, match="I1"):
        await power_cuts(tmp_path, random.Random(1), size, KEYPEG_TEST_SYNCHRONOUS=level)


async def test_a_server_that_goes_on_after_a_failed_sync_would_be_noticed(tmp_path: Path) -> None:
    with pytest.raises(Violation, match="goes on after a failed fsync"):
        await failing_disk(tmp_path, random.Random(1), Size(1, 20, 4), KEYPEG_TEST_DEAF="1")


async def test_an_acknowledgement_on_a_full_disk_would_be_noticed(tmp_path: Path) -> None:
    size = Size(1, 20, 4)
    with possible(), pytest.raises(Violation, match="F4"):
        await full_disk(tmp_path, random.Random(1), size, KEYPEG_TEST_EARLY_ACK="1")


async def test_a_repeat_that_is_taken_for_a_new_command_would_be_noticed(tmp_path: Path) -> None:
    with pytest.raises(Violation, match=r"I1|I2|I3"):
        await bad_weather(tmp_path, random.Random(1), Size(1, 200, 4), KEYPEG_TEST_FORGETFUL="1")


@pytest.mark.parametrize(
    ("third", "offset"), [(0, 0), (1990, 0), (0, 3600), (0, -3600), (60_000, 0)]
)
def test_a_turn_after_a_late_one_that_takes_too_little_time_would_be_noticed(
    third: int, offset: int
) -> None:
    """Whether it ended before or after the wall clock jumped."""
    late = [TurnEnd(1_000, 0), TurnEnd(1_000 + 20_000 + 60_000, 60)]
    check_turns(late)
    with pytest.raises(Violation, match="F10: a turn of 2 s took"):
        check_turns([*late, TurnEnd(late[-1].at + third, late[-1].offset + offset)])


async def test_deadlines_on_the_wall_clock_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "LATE", 5.0)  # what does not come here never comes
    with pytest.raises(Violation, match="F10"):
        await turned_clock(tmp_path, random.Random(1), Size(3, 3), KEYPEG_TEST_WALL_CLOCK="1")
