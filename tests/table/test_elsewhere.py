"""A table in two processes: what the other one wrote counts here too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from harness.tables import CLASSIC, SECRET, TIMED, WRONG, Playing, table_of
from keypeg.rules.terms import Terms
from keypeg.store import codec
from keypeg.store.errors import Unreadable
from keypeg.table import Seat, Table
from keypeg.table.clock import ABSENCE, GRACE
from keypeg.table.commands import ClaimAbsent, Guess, SetSecret
from keypeg.table.errors import TooEarly, TooLate
from keypeg.table.handler import DEFERENCE

pytestmark = pytest.mark.anyio
ONE, TWO = Seat


@asynccontextmanager
async def twice(terms: Terms) -> AsyncIterator[tuple[Playing, Playing]]:
    """One table as two processes have it."""
    async with table_of(terms) as here:
        entries = await here.log.read(here.table.id)
        table = Table.rebuild(here.table.id, entries, here.log, here.clock, here.player)
        there = Playing(table, here.log, here.clock, here.player, here.ids)
        yield here, there
        await table.close()


async def test_a_move_overtaken_by_an_expiry_elsewhere_is_refused() -> None:
    """And not played in the next row."""
    async with twice(TIMED) as (here, there):
        await here.ask(ONE, SetSecret(SECRET))
        received = here.clock.now()
        here.clock.turn(181)
        await here.table.expire(here.clock.now())
        with pytest.raises(TooLate):
            await there.table.handle(TWO, "g", Guess(WRONG), received)
        here.clock.turn(1)
        await there.ask(TWO, Guess(WRONG))


async def test_an_expiry_long_ago_elsewhere_refuses_nothing() -> None:
    async with twice(TIMED) as (here, there):
        await here.ask(ONE, SetSecret(SECRET))
        here.clock.turn(181)
        await here.table.expire(here.clock.now())
        here.clock.turn(5)
        received = here.clock.now()
        await there.table.catch_up()
        await there.table.handle(TWO, "g", Guess(WRONG), received)


async def test_who_acted_elsewhere_is_not_away() -> None:
    async with twice(CLASSIC) as (here, there):
        await here.ask(ONE, SetSecret(SECRET))
        await there.table.catch_up()
        here.clock.turn(ABSENCE - 1)
        await here.ask(TWO, Guess(WRONG))
        here.clock.turn(2)
        with pytest.raises(TooEarly):
            await there.ask(ONE, ClaimAbsent())


async def test_who_is_connected_elsewhere_is_not_away() -> None:
    async with twice(CLASSIC) as (here, _):
        await here.ask(ONE, SetSecret(SECRET))
        here.table.presence.elsewhere(TWO, here.clock.now() + ABSENCE)
        here.clock.turn(2 * ABSENCE - 1)
        with pytest.raises(TooEarly):
            await here.ask(ONE, ClaimAbsent())
        here.clock.turn(1)
        await here.ask(ONE, ClaimAbsent())


async def test_the_process_that_moved_flags_first() -> None:
    async with twice(TIMED) as (here, there):
        here.clock.alarms.clear()
        await here.ask(ONE, SetSecret(SECRET))
        await there.table.catch_up()
        rings = sorted(alarm.when - here.clock.now() - 180 for alarm in here.clock.alarms)
        assert rings == [GRACE, GRACE + DEFERENCE]


async def test_reading_on_that_is_called_off_half_way_leaves_a_table_to_go_on_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("keypeg.table.writer.SLICE", 2)
    async with twice(TIMED) as (here, there):
        here.clock.turn(10)
        await here.ask(ONE, SetSecret(SECRET))
        await here.ask(TWO, *[Guess(WRONG)] * 5)
        reading = asyncio.ensure_future(there.table.catch_up())
        while there.table.seq == 2:
            await asyncio.sleep(0)
        here.clock.turn(50)
        reading.cancel()
        await asyncio.wait([reading])
        assert 2 < there.table.seq < here.table.seq
        assert there.table.deadline == here.clock.now() + 130
        await there.table.catch_up()
        assert there.table.state == here.table.state
        assert there.table.deadline == here.table.deadline


async def test_a_table_that_a_newer_program_wrote_to_is_left_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a rolling restart: what cannot be read is not written after, nor guessed at."""
    async with twice(CLASSIC) as (here, there):
        await here.ask(ONE, SetSecret(SECRET))
        await there.table.catch_up()
        with monkeypatch.context() as newer:
            newer.setattr(codec, "VERSION", codec.VERSION + 1)
            await here.ask(TWO, Guess(WRONG))
        before = there.table.seq
        with pytest.raises(Unreadable, match="an entry has version"):
            await there.ask(TWO, Guess(SECRET))
        assert there.table.seq == before
        with monkeypatch.context() as newer:
            newer.setattr(codec, "VERSION", codec.VERSION + 1)
            assert len(await here.log.read(here.table.id, before)) == 1
