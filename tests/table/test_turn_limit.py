"""Agreeing on a turn limit at a table: the clock, races, restarts, repeats, the computer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from harness.tables import CLASSIC, SECRET, TIMED, WRONG, Playing, table_of
from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.events import LimitAccepted, LimitProposed, Role, RowExpired
from keypeg.rules.series import Seat
from keypeg.store.events import Computer
from keypeg.store.log import Entry
from keypeg.table import Reply
from keypeg.table.commands import (
    AcceptLimit,
    DeclineLimit,
    Guess,
    NextGame,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.errors import CommandReused
from keypeg.table.options import MOST_HINTS
from keypeg.table.soundness import Unsound, check_log

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO


async def agree(playing: Playing, seconds: int | None) -> None:
    await playing.ask(ONE, ProposeLimit(seconds))
    await playing.ask(TWO, AcceptLimit(seconds))


async def settled(playing: Playing) -> None:
    playing.clock.ring()
    while playing.table._tasks:
        await asyncio.gather(*playing.table._tasks, return_exceptions=True)


async def test_the_clock_starts_with_the_next_turn_and_survives_a_restart() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await agree(playing, 60)
        await playing.restart()
        assert playing.table.state.turn is None
        await playing.ask(TWO, Guess(WRONG))
        assert playing.table.deadline == playing.clock.now() + 60
        await playing.restart()
        playing.clock.turn(61)
        await settled(playing)
        assert playing.table.state.series.games[0].rows[-1].expired
        log = await playing.log.read(playing.table.id)
        check_log(playing.table.id, log, playing.table.state.card)


async def test_a_limit_that_is_lifted_still_ends_the_running_turn() -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await agree(playing, None)
        playing.clock.turn(181)
        await settled(playing)
        assert playing.table.state.series.games[0].rows[-1].expired
        assert playing.table.deadline is None


@pytest.mark.parametrize("moment", [-0.001, 0.0, 0.001])
async def test_accepting_against_the_end_of_the_turn_both_happen_in_order(moment: float) -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET), ProposeLimit(60))
        ends = playing.table.deadline
        assert ends is not None
        playing.clock.turn(ends + moment - playing.clock.now())
        received = playing.clock.now()
        playing.clock.turn(0.2)
        await playing.table.handle(TWO, "accept", AcceptLimit(60), received)
        playing.clock.turn(0.1)
        await settled(playing)
        series = playing.table.state.series
        expired = [row.expired for row in series.games[0].rows]
        assert expired == [True]
        # Accepted in time, it holds for the next turn; later, from the turn after that.
        assert series.terms.turn_seconds == (60 if moment < 0 else 180)
        assert series.next_limit == 60


async def test_a_repeated_command_gets_the_same_answer_and_changes_nothing() -> None:
    async with table_of() as playing:

        async def twice(seat: Seat, name: str, command: Any) -> None:
            now = playing.clock.now()
            first = await playing.table.handle(seat, name, command, now)
            again = await playing.table.handle(seat, name, command, now)
            assert isinstance(first, Reply)
            assert again == first

        await twice(ONE, "propose", ProposeLimit(60))
        await twice(TWO, "decline", DeclineLimit())
        await twice(TWO, "counter", ProposeLimit(90))
        await twice(ONE, "accept", AcceptLimit(90))
        with pytest.raises(CommandReused):
            await playing.table.handle(ONE, "propose", ProposeLimit(61), playing.clock.now())
        assert playing.table.seq == 6


async def test_only_the_limit_that_was_seen_is_accepted() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, ProposeLimit(180), WithdrawLimit(), SetSecret(SECRET))
        await playing.ask(ONE, ProposeLimit(1))
        with pytest.raises(AgainstTheRules, match="another turn limit is proposed now"):
            await playing.ask(TWO, AcceptLimit(180))
        with pytest.raises(NotYourTurn, match="only the breaker"):
            await playing.ask(ONE, AcceptLimit(1))
        with pytest.raises(CannotRead, match="a turn limit is 1 to 86400"):
            await playing.ask(TWO, ProposeLimit(0))


async def test_the_computer_accepts_at_once_in_the_same_entry() -> None:
    async with table_of(two=Computer("club")) as playing:
        reply = await playing.ask(ONE, ProposeLimit(240))
        assert reply.entry.events == (LimitProposed(Role.MAKER, 240), LimitAccepted(240))
        assert playing.table.state.series.next_limit == 240


async def test_a_rematch_begins_with_the_limit_of_the_table() -> None:
    async with table_of(TIMED) as playing:
        await agree(playing, 60)
        for maker in (ONE, TWO):
            await playing.ask(maker, SetSecret(SECRET))
            await playing.ask(maker.other, Resign())
            if maker is ONE:
                await playing.ask(ONE, NextGame())
        assert playing.table.state.series.terms.turn_seconds == 60
        await playing.ask(ONE, Rematch())
        await playing.ask(TWO, Rematch())
        series = playing.table.state.series
        assert (series.terms.turn_seconds, series.next_limit) == (180, 180)
        records = [playing.table.record(None, number) for number in (1, 2)]
        assert [record.terms.turn_seconds for record in records] == [180, 180]
        assert records[0].replay().terms.turn_seconds == 60


async def test_talk_about_the_limit_gives_no_more_hints() -> None:
    async with table_of(CLASSIC, hints=True) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        for _ in range(MOST_HINTS):
            await playing.ask(TWO, UseHint())
        await playing.ask(TWO, ProposeLimit(60))
        with pytest.raises(AgainstTheRules, match="hints were asked for this row"):
            await playing.ask(TWO, UseHint())


@pytest.mark.parametrize(
    ("opponent", "seat", "events"),
    [
        (None, ONE, (LimitProposed(Role.BREAKER, 60),)),
        (None, None, (LimitProposed(Role.MAKER, 60),)),
        (None, ONE, (LimitAccepted(60),)),
        (None, ONE, (LimitProposed(Role.MAKER, 60), LimitAccepted(60))),
        (None, ONE, (LimitProposed(Role.MAKER, 60), RowExpired())),
        (Computer("club"), ONE, (LimitProposed(Role.MAKER, 60),)),
        (Computer("club"), ONE, (LimitProposed(Role.MAKER, 60), LimitAccepted(61))),
    ],
)
async def test_what_no_table_would_write_is_found_in_a_log(
    opponent: Computer | None, seat: Seat | None, events: Any
) -> None:
    async with table_of(two=opponent) if opponent else table_of() as playing:
        log = await playing.log.read(playing.table.id)
        check_log(playing.table.id, log, playing.table.state.card)
        forged = [*log, Entry(len(log) + 1, log[-1].at, seat, "forged", events)]
        with pytest.raises(Unsound):
            check_log(playing.table.id, forged, playing.table.state.card)
