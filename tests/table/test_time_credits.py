"""While nothing can be written no turn goes on, and what it lost it is given back once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.tables import CLASSIC, SECRET, TIMED, WRONG, FakeClock, token_hash
from keypeg.rules.events import RowExpired
from keypeg.rules.terms import Terms
from keypeg.store.errors import Unavailable
from keypeg.store.events import TimeCredited
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Seat, Settings, Table, Tables
from keypeg.table.clock import GRACE, HEARTBEAT
from keypeg.table.commands import Guess, SetSecret, TakeSeat
from keypeg.table.errors import TooLate
from tests.stalling import stalling
from tests.store.changes import change

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
KEY = bytes(32)
LIMIT = 180.0
USED = 100.0
"""Seconds of a turn that are gone when its outage begins."""


class AwayLog(SqlLog):
    """A database that goes away and comes back; or that is lost after some more entries."""

    away = False
    left: int | None = None

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        if self.left == 0:
            self.away = True
        self.left = None if self.left is None else self.left - 1
        await super().append(table_id, entry, card)

    async def _write(self, work: Any) -> Any:
        if self.away:
            raise OSError("it is away")
        return await super()._write(work)

    async def fetch(self, *wanted: Any) -> Any:
        if self.away:
            raise Unavailable("it is away")
        return await super().fetch(*wanted)


@dataclass
class Process:
    """A server without its sockets, whose heartbeats are written on request."""

    tables: Tables
    log: AwayLog
    clock: FakeClock

    async def live(self, seconds: float) -> None:
        """Let time pass, with a heartbeat a second and every bell that is due."""
        for _ in range(round(seconds)):
            self.clock.turn(1)
            await self.heartbeat()
            await self.ring()

    async def heartbeat(self) -> None:
        try:
            await self.tables.heartbeat()
        except Unavailable:
            assert self.log.away

    async def ring(self) -> None:
        self.clock.ring()
        for table in self.tables.memory.all:
            while table._tasks:
                await asyncio.gather(*table._tasks, return_exceptions=True)
                await asyncio.sleep(0)

    async def open(self, settings: Settings | None = None) -> Table:
        """A table where ONE is to set a secret."""
        settings = settings or Settings(TIMED)
        table = await self.tables.open(Open(settings, ONE, "Ada", token_hash(ONE)))
        sits = TakeSeat("Bob", token_hash(TWO))
        await table.handle(TWO, "t", sits, self.clock.now())
        return table

    async def move(self, table: Table, name: str = "m") -> None:
        await table.handle(ONE, name, SetSecret(SECRET), self.clock.now())


@asynccontextmanager
async def processes(folder: Path, count: int = 1) -> AsyncIterator[list[Process]]:
    """Some on one database and one clock."""
    clock = FakeClock()
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(count):
            log = await AwayLog.open(f"sqlite:///{folder}/x.db", KEY)
            assert isinstance(log, AwayLog)
            stack.push_async_callback(log.close)
            tables = Tables(log, clock, shared=count > 1)
            stack.push_async_callback(tables.close)
            made.append(Process(tables, log, clock))
        yield made


@asynccontextmanager
async def process(folder: Path) -> AsyncIterator[Process]:
    async with processes(folder) as [one]:
        yield one


def left(table: Table) -> float:
    assert table.deadline is not None
    return table.deadline - table._clock.now()


def given(table: Table) -> list[int]:
    """What was credited, in milliseconds."""
    events = [event for seen in table.view(None) for event in seen.events]
    return [event.milliseconds for event in events if isinstance(event, TimeCredited)]


@pytest.mark.parametrize("first", ["beat", "flag", "move"])
async def test_a_turn_is_given_back_an_outage_once_before_its_flag_falls(
    tmp_path: Path, first: str
) -> None:
    async with process(tmp_path) as server:
        table = await server.open()
        await server.live(USED)
        server.log.away = True
        with pytest.raises(Unavailable):
            await server.move(table)
        await server.live(1_000)
        server.log.away = False
        if first == "beat":
            await server.heartbeat()
        elif first == "flag":
            await server.ring()
            server.clock.turn(1)
            await server.ring()
        else:
            await server.move(table)
            assert table.state.series.turn is TWO
            assert given(table) == [1_000_000]
            return
        assert LIMIT - USED - HEARTBEAT <= left(table) <= LIMIT - USED
        assert table.state.due is not None
        assert table.state.due - server.clock.utc() == round(1000 * left(table))
        await server.live(LIMIT - USED - 2)
        assert len(given(table)) == 1
        await server.move(table)
        assert table.state.series.turn is TWO


async def test_a_player_who_does_not_use_the_time_given_back_is_flagged(tmp_path: Path) -> None:
    async with process(tmp_path) as server:
        table = await server.open()
        await server.move(table)
        await server.live(USED)
        server.log.away = True
        await server.live(1_000)
        server.log.away = False
        await server.live(LIMIT - USED + 2)
        assert table.view(None)[-1].events == (RowExpired(),)
        assert len(given(table)) == 1


async def test_every_running_turn_is_given_it_back_and_no_other_table(tmp_path: Path) -> None:
    async with process(tmp_path) as server:
        running = [await server.open() for _ in range(5)]
        still = await server.open(Settings(CLASSIC))
        await server.live(10)
        server.log.away = True
        await server.live(50)
        server.log.away = False
        await server.heartbeat()
        assert [given(table) for table in running] == [[50_000]] * 5
        assert given(still) == []


async def test_each_outage_is_given_back_for_itself(tmp_path: Path) -> None:
    async with process(tmp_path) as server:
        table = await server.open()
        for seconds in (50, 30):
            await server.live(10)
            server.log.away = True
            await server.live(seconds)
            server.log.away = False
            await server.heartbeat()
        assert given(table) == [50_000, 30_000]
        assert left(table) == LIMIT - 20


async def test_an_outage_that_comes_again_while_it_is_given_back_costs_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    async with process(tmp_path) as server:
        running = [await server.open() for _ in range(5)]
        await server.live(USED)
        server.log.away = True
        await server.live(500)
        for after in (2, 1):
            server.log.away, server.log.left = False, after
            await server.live(200)
            assert server.log.away
        server.log.away, server.log.left = False, None
        await server.live(1)
        for table in running:
            assert sum(given(table)) == 901_000
            assert left(table) == LIMIT - USED


async def test_a_server_that_dies_before_all_is_given_back_leaves_the_rest_to_the_next(
    tmp_path: Path,
) -> None:
    async with process(tmp_path) as server:
        names = [(await server.open()).id for _ in range(5)]
        await server.live(USED)
        server.log.away = True
        await server.live(500)
        server.log.away, server.log.left = False, 2
        await server.heartbeat()
        server.log.away, server.log.left = False, None
        await server.tables.close()
        server.clock.alarms.clear()
        server.clock.turn(100)
        server.tables = Tables(server.log, server.clock)
        await server.tables.start()
        for name in names:
            table = await server.tables.get(name)
            assert sum(given(table)) == 600_000
            assert left(table) == LIMIT - USED


@pytest.mark.parametrize("refused", [False, True])
async def test_a_short_outage_is_given_back_where_it_did_harm(
    tmp_path: Path, *, refused: bool
) -> None:
    """That is where something was refused, and where a turn would end."""
    async with process(tmp_path) as server:
        table = await server.open()
        await server.live(LIMIT - 1)
        server.log.away = True
        if refused:
            with pytest.raises(Unavailable):
                await server.move(table)
        else:
            await server.heartbeat()
        server.clock.turn(0.9)
        server.log.away = False
        await server.heartbeat()
        assert len(given(table)) == refused
        server.clock.turn(0.1 + GRACE)
        await server.ring()
        assert given(table) == [pytest.approx(900, abs=1)]
        assert left(table) == pytest.approx(1 - 0.1 - GRACE, abs=0.002)
        await server.move(table)
        assert table.state.series.turn is TWO


async def test_a_turn_outlives_a_database_that_falls_silent(postgresql: Any) -> None:
    async with stalling(postgresql) as (address, line):
        log = await SqlLog.open(address, KEY, patience=0.5)
        tables = Tables(log, shared=True)
        await tables.start()
        settings = Settings(Terms(TIMED.board, turn_seconds=2))
        table = await tables.open(Open(settings, ONE, "Ada", token_hash(ONE)))
        sits = TakeSeat("Bob", token_hash(TWO))
        await table.handle(TWO, "t", sits, tables.clock.now())
        line.stall()
        silent = tables.clock.now()
        while table.state.series.turn is ONE:
            if tables.clock.now() > silent + 4:
                line.resume()
            with contextlib.suppress(Unavailable):
                await table.handle(ONE, "s", SetSecret(SECRET), tables.clock.now())
        assert sum(given(table)) > 2_000
        await tables.close()
        await log.close()


async def test_who_cannot_even_look_at_a_table_is_given_the_time_back(tmp_path: Path) -> None:
    """As one who moves by a request, for which the table is read on first."""
    async with process(tmp_path) as server:
        table = await server.open()
        await server.live(LIMIT - 1)
        server.log.away = True
        with pytest.raises(Unavailable):
            await table.catch_up()
        server.clock.turn(1 + GRACE)
        server.log.away = False
        await server.move(table)
        assert table.state.series.turn is TWO


async def test_an_outage_is_not_over_before_its_last_failure(tmp_path: Path) -> None:
    """However early the first write was begun that succeeded."""
    async with process(tmp_path) as server:
        table, outages = await server.open(), server.tables.outages
        await server.live(10)
        begun = server.clock.now()
        server.log.away = True
        await server.live(50)
        server.log.away = False
        outages.wrote(begun)
        await server.heartbeat()
        assert given(table) == [50_000]


async def test_a_full_disk_is_an_outage_though_a_beat_needs_no_room(tmp_path: Path) -> None:
    async with process(tmp_path) as server:
        table = await server.open()
        await server.live(USED)
        await limit_pages(server.log, 1)
        with contextlib.suppress(Unavailable):
            while True:
                await server.tables.open(Open(Settings(CLASSIC)))
        with pytest.raises(Unavailable, match="the disk is full"):
            await server.move(table)
        await server.log.heartbeat(server.clock.utc())
        for _ in range(1_000):
            server.clock.turn(1)
            with pytest.raises(Unavailable):
                await server.tables.heartbeat()
        await limit_pages(server.log, 100_000)
        await server.heartbeat()
        assert left(table) == LIMIT - USED
        await server.move(table)


async def limit_pages(log: SqlLog, pages: int) -> None:
    await change(log, f"PRAGMA max_page_count = {pages}")


async def test_a_turn_that_begins_after_a_long_quiet_is_given_no_more_than_the_outage(
    tmp_path: Path,
) -> None:
    async with process(tmp_path) as server:
        await server.live(5)
        server.clock.turn(3_600)
        table = await server.open()
        server.clock.turn(0.5)
        server.log.away = True
        await server.live(60)
        server.log.away = False
        await server.heartbeat()
        assert given(table) == [60_500]


async def test_a_turn_that_begins_as_its_table_is_opened_is_given_an_outage_back_too(
    tmp_path: Path,
) -> None:
    async with process(tmp_path) as server:
        server.clock.turn(3_600)
        against = Settings(TIMED, two=Computer("beginner"))
        table = await server.tables.open(Open(against, ONE, "Ada", token_hash(ONE)))
        server.log.away = True
        await server.live(60)
        server.log.away = False
        await server.heartbeat()
        assert given(table) == [60_000]


async def test_two_processes_give_one_outage_back_once(tmp_path: Path) -> None:
    async with processes(tmp_path, 2) as (here, there):
        table = await here.open()
        other = await there.tables.get(table.id)
        for _ in range(round(USED)):
            here.clock.turn(0.5)
            await here.heartbeat()
            here.clock.turn(0.5)
            await there.heartbeat()
        here.log.away = there.log.away = True
        with pytest.raises(Unavailable):
            await there.move(other)
        for _ in range(1_000):
            here.clock.turn(1)
            await asyncio.gather(here.heartbeat(), there.heartbeat())
        here.log.away = there.log.away = False
        await asyncio.gather(here.heartbeat(), there.heartbeat(), there.ring(), here.ring())
        await table.catch_up()
        await other.catch_up()
        assert table.state == other.state
        assert len(given(table)) == 1
        assert 1_000_000 <= sum(given(table)) <= 1_000_000 + 1000 * HEARTBEAT
        await there.move(other, "n")


async def test_an_outage_of_one_process_does_not_lengthen_a_turn_that_began_elsewhere(
    tmp_path: Path,
) -> None:
    async with processes(tmp_path, 2) as (here, there):
        table = await here.open()
        other = await there.tables.get(table.id)
        await here.live(10)
        await there.heartbeat()
        there.log.away = True
        await there.live(30)
        await here.move(table)
        due = table.state.due
        await there.live(30)
        there.log.away = False
        await there.live(3)
        await other.catch_up()
        assert other.state.due == due
        assert given(other) == []


async def test_a_table_taken_up_after_an_outage_is_given_it_back_before_it_is_flagged(
    tmp_path: Path,
) -> None:
    """As when its own process died in the outage, or is slower to notice its end."""
    async with processes(tmp_path, 2) as (here, there):
        name = (await here.open()).id
        await here.live(USED)
        await there.heartbeat()
        here.log.away = there.log.away = True
        await there.live(1_000)
        there.log.away = False
        await there.live(5)
        table = await there.tables.get(name)
        await there.ring()
        assert sum(given(table)) == 1_001_000
        assert table.state.series.turn is ONE


async def test_a_move_and_a_credit_in_any_order_are_both_done(tmp_path: Path) -> None:
    for moves_first in (True, False):
        async with process(tmp_path / str(moves_first)) as server:
            table = await server.open()
            await server.live(USED)
            server.log.away = True
            await server.live(100)
            server.log.away = False
            both = [server.move(table), server.heartbeat()]
            await asyncio.gather(*(both if moves_first else reversed(both)))
            assert table.state.series.turn is TWO
            # The turn that has come has lost nothing.
            assert left(table) == LIMIT
            server.clock.turn(LIMIT)
            with pytest.raises(TooLate):
                await table.handle(TWO, "g", Guess(WRONG), server.clock.now())


@pytest.mark.parametrize("jump", [-3_600_000, 3_600_000])
async def test_setting_the_wall_clock_after_an_outage_gives_nothing_back_again(
    tmp_path: Path, jump: int
) -> None:
    async with process(tmp_path) as server:
        table = await server.open()
        await server.live(10)
        server.log.away = True
        await server.live(50)
        server.log.away = False
        await server.heartbeat()
        server.clock.wall += jump
        await server.live(LIMIT)
        assert given(table) == [50_000]
        assert table.state.series.turn is TWO
