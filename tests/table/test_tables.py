from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.tables import CLASSIC, SECRET, TIMED, WRONG, FakeClock, token_hash
from keypeg.store.errors import Altered
from keypeg.store.log import Stage
from keypeg.store.memory import MemoryLog
from keypeg.store.schema import entries, facts
from keypeg.store.schema import tables as rows
from keypeg.store.sql import SqlLog
from keypeg.table import Open, Seat, Settings, Tables
from keypeg.table.commands import Guess, SetSecret, TakeSeat
from keypeg.table.errors import NoSuchTable
from keypeg.table.tables import ENTRY_BYTES, TABLE_BYTES
from tests.store.changes import change

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
KEY = bytes(32)


async def test_a_table_is_one_object_however_often_it_is_asked_for() -> None:
    log = await SqlLog.open()
    tables = Tables(log)
    opened = await tables.open(Open(Settings(CLASSIC), ONE, "Ada", token_hash(ONE)))
    assert await tables.get(opened.id) is opened
    again = Tables(log)
    loaded = await asyncio.gather(*(again.get(opened.id) for _ in range(10)))
    assert len(set(map(id, loaded))) == 1
    assert loaded[0].state == opened.state
    await again.close()
    await tables.close()
    await log.close()


@pytest.mark.parametrize("name", ["nowhere", "", "a" * 65, "\ud800", "\x00", "é", "../x"])
async def test_there_is_no_table_but_those_that_were_opened(name: str) -> None:
    log = await SqlLog.open()
    with pytest.raises(NoSuchTable):
        await Tables(log).get(name)
    await log.close()


async def test_tables_out_of_use_are_let_go_and_found_again() -> None:
    log = await SqlLog.open()
    tables = Tables(log, idle_bytes=10 * TABLE_BYTES)
    watched = await tables.open(Open(Settings(CLASSIC)))
    watched.watch(lambda seq: None)
    names = [(await tables.open(Open(Settings(CLASSIC)))).id for _ in range(30)]
    gc.collect()
    assert len(tables.memory.all) < 20
    assert await tables.get(watched.id) is watched
    assert (await tables.get(names[0])).seq == 1
    await tables.close()
    await log.close()


async def test_tables_out_of_use_are_weighed_and_not_counted() -> None:
    """Ten long tables take the room of a thousand short ones."""
    log = await SqlLog.open()
    tables = Tables(log, idle_bytes=1_000 * TABLE_BYTES)
    for long in range(30):
        table = await tables.open(Open(Settings(CLASSIC)))
        weight = 1 if long % 2 else 200
        table._writer.state = replace(table.state, seq=weight * TABLE_BYTES // ENTRY_BYTES)
    tables.memory.let_go()
    kept = sum(TABLE_BYTES + ENTRY_BYTES * table.seq for table in tables.memory.kept)
    assert 200 * TABLE_BYTES < kept <= 500 * TABLE_BYTES
    await tables.close()
    await log.close()


async def test_a_public_table_is_listed_with_its_stage() -> None:
    log = await SqlLog.open()
    tables = Tables(log)
    table = await tables.open(Open(Settings(CLASSIC, public=True), ONE, "Ada", token_hash(ONE)))
    await tables.open(Open(Settings(CLASSIC)))
    assert [listed.stage for listed in await log.listed()] == [Stage.WAITING]
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), 0)
    assert [listed.stage for listed in await log.listed()] == [Stage.PLAYING]
    await tables.close()
    await log.close()


@pytest.mark.parametrize("down", [30, 100_000])
async def test_after_a_restart_the_player_on_turn_has_the_time_that_was_left(
    address: str, down: int
) -> None:
    clock = FakeClock()
    log = await SqlLog.open(address, KEY)
    tables = Tables(log, clock)
    await tables.start()
    table = await tables.open(Open(Settings(TIMED), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), clock.now())
    await table.handle(ONE, "s", SetSecret(SECRET), clock.now())
    clock.turn(50)
    await log.heartbeat(clock.utc())
    clock.turn(1)
    await tables.close()
    await log.close()

    clock.turn(down)
    clock.alarms.clear()
    for restart in range(3):
        log = await SqlLog.open(address, KEY)
        tables = Tables(log, clock)
        await tables.start()
        table = await tables.get(table.id)
        assert table.deadline is not None
        # Each restart but the first finds the heartbeat of the one before.
        assert 129 <= table.deadline - clock.now() <= 130, restart
        await tables.close()
        await log.close()
        clock.turn(3)


@pytest.mark.parametrize(
    ("shared", "silence", "taken_up"),
    [
        (True, 1.0, False),
        (True, 3.0, True),
        (False, 1.0, True),
    ],
)
async def test_clocks_are_taken_up_unless_another_process_lives(
    *, shared: bool, silence: float, taken_up: bool
) -> None:
    log, clock = await SqlLog.open(), FakeClock()
    before = Tables(log, clock)
    table = await before.open(Open(Settings(TIMED), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), clock.now())
    await log.heartbeat(clock.utc())
    await before.close()
    clock.turn(silence)
    after = Tables(log, clock, shared=shared)
    await after.start()
    assert (after.at_hand(table.id) is not None) is taken_up
    await after.close()
    await log.close()


async def test_a_server_that_keeps_crashing_takes_no_time_from_the_player() -> None:
    """It lives for a moment each time, and is down for less than is worth a credit."""
    clock, log = FakeClock(), await SqlLog.open()
    opening = Open(Settings(TIMED), ONE, "Ada", token_hash(ONE))
    tables = Tables(log, clock)
    table = await tables.open(opening)
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), clock.now())
    await tables.close()
    for _ in range(20):
        clock.turn(1.9)
        clock.alarms.clear()
        tables = Tables(log, clock)
        await tables.start()
        table = await tables.get(table.id)
        clock.turn(0.1)
        await tables.close()
    assert table.deadline is not None
    assert 178 <= table.deadline - clock.now() <= 182
    await log.close()


async def test_a_wake_up_is_a_hint_and_only_the_log_is_believed() -> None:
    """Whoever wakes a table, however often, tells it nothing: it reads for itself."""
    log, clock = await SqlLog.open(), FakeClock()
    here, there = Tables(log, clock), Tables(log, clock)
    table = await here.open(Open(Settings(CLASSIC), ONE, "Ada", token_hash(ONE)))
    told: list[int] = []
    table.watch(told.append)
    for _ in range(5):
        await table.catch_up()
    assert (told, table.seq) == ([], 1)
    other = await there.get(table.id)
    await other.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), clock.now())
    await asyncio.gather(*(table.catch_up() for _ in range(5)))
    assert told == [2]
    assert table.state == other.state
    await here.close()
    await there.close()
    await log.close()


async def test_the_server_says_that_it_is_alive_while_a_clock_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.table.tables.HEARTBEAT", 0.01)
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    tables = Tables(log)
    await tables.start()
    table = await tables.open(Open(Settings(TIMED), ONE, "Ada", token_hash(ONE)))
    assert await log.last_heartbeat() is None
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), tables.clock.now())
    async with asyncio.timeout(20):
        while await log.last_heartbeat() is None:
            await asyncio.sleep(0.01)
    await tables.close()
    await log.close()


class FailingLog(SqlLog):
    """A log with a fault that nobody thought of, the first time that anything is asked of it."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.failed: set[str] = set()

    def _fail_once(self, what: str) -> None:
        if what not in self.failed:
            self.failed.add(what)
            raise ZeroDivisionError(what)

    async def heartbeat(self, at: int) -> None:
        self._fail_once("heartbeat")
        await super().heartbeat(at)

    async def removed(self, names: Sequence[str]) -> set[str]:
        self._fail_once("removed")
        return await super().removed(names)


async def test_no_error_ends_the_beats_or_the_looks_at_what_was_removed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for interval in ("HEARTBEAT", "LOOK_SECONDS"):
        monkeypatch.setattr(f"keypeg.table.tables.{interval}", 0.01)
    log = await FailingLog.open()
    assert isinstance(log, FailingLog)
    tables = Tables(log)
    await tables.start()
    table = await tables.open(Open(Settings(TIMED), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), tables.clock.now())
    async with asyncio.timeout(20):
        while await log.last_heartbeat() is None or len(log.failed) < 2:
            await asyncio.sleep(0.01)
        await change(log, *(f"DELETE FROM {kind}" for kind in (entries, facts, rows)))
        while not table.removed:
            await asyncio.sleep(0.01)
    said = {record.getMessage() for record in caplog.records}
    assert {"a heartbeat failed", "looking for removed tables failed"} <= said
    await tables.close()
    await log.close()


async def test_a_refused_table_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor the start of the server, though its clock runs; and it is logged once."""
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    before = Tables(log)
    names = []
    for seat in (ONE, TWO):
        table = await before.open(Open(Settings(TIMED), seat, "Ada", token_hash(seat)))
        await table.handle(
            seat.other, "t", TakeSeat("Bob", token_hash(seat.other)), before.clock.now()
        )
        names.append(table.id)
    await before.close()
    await change(log, f"UPDATE entries SET at = at + 1 WHERE table_id = '{names[0]}' AND seq = 2")
    tables = Tables(log)
    await tables.start()
    for _ in range(2):
        with pytest.raises(Altered, match=f"table {names[0]}: entry 2 "):
            await tables.get(names[0])
    assert (await tables.get(names[1])).seq >= 2
    said = [record.getMessage() for record in caplog.records]
    assert sum("a table is refused" in line for line in said) == 1
    await tables.close()
    await log.close()


async def test_no_secret_of_a_running_game_is_on_disk_in_clear(tmp_path: Path) -> None:
    """Nor any token. The canary is the JSON of the code and of its nonce."""
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    tables = Tables(log)
    table = await tables.open(Open(Settings(CLASSIC), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), 0)
    await table.handle(ONE, "s", SetSecret((6, 5, 6, 5)), 0)
    await table.handle(TWO, "g", Guess(WRONG), 0)
    assert not _on_disk(tmp_path, b"[6,5,6,5]")
    assert not _on_disk(tmp_path, bytes((6, 5, 6, 5)))
    assert _on_disk(tmp_path, b"[5,5,6,6]")
    await table.handle(TWO, "h", Guess((6, 5, 6, 5)), 0)
    assert _on_disk(tmp_path, b"[6,5,6,5]")
    await tables.close()
    await log.close()


def _on_disk(folder: Path, canary: bytes) -> bool:
    return any(canary in file.read_bytes() for file in folder.iterdir())


async def test_a_table_stays_in_memory_while_its_clock_runs_whoever_else_has_let_go_of_it() -> None:
    """Else another object would be made for it, and two would write."""
    tables = Tables(MemoryLog())
    table = await tables.open(Open(Settings(TIMED), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), tables.clock.now())
    name = table.id
    tables.memory.clear()
    del table
    await asyncio.sleep(0)
    assert tables.at_hand(name) is not None
    await tables.close()
    assert tables.at_hand(name) is None
