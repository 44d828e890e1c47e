from __future__ import annotations

import asyncio
import time

import pytest

from harness.tables import SECRET, TIMED, WRONG, FakeClock, Playing, sit_down, table_of
from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import Answered, Closed, RowExpired, SecretSet
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.server.encoding import table_out
from keypeg.store.events import TimeOffered
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table import Seat, Settings, Table
from keypeg.table.clock import GRACE, SystemClock
from keypeg.table.commands import (
    Answer,
    Challenge,
    CreditTime,
    Expire,
    Guess,
    NextGame,
    OfferTime,
    Resign,
    SetSecret,
)
from keypeg.table.errors import TooEarly, TooLate
from keypeg.table.handler import Request
from keypeg.table.options import MOST_OFFERS
from keypeg.table.outages import Outage
from keypeg.table.turn_clock import TurnClock

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
LIMIT = 180.0


async def settled(playing: Playing) -> None:
    """Wait until the table has done what it does of itself."""
    async with asyncio.timeout(60):
        while playing.table._tasks:
            await asyncio.gather(*playing.table._tasks, return_exceptions=True)
            await asyncio.sleep(0)


async def test_no_clock_runs_without_a_limit() -> None:
    async with table_of() as playing:
        assert playing.table.deadline is None
        assert playing.clock.alarms == []


async def test_a_turn_begins_when_it_has_come_and_ends_after_its_limit() -> None:
    async with table_of(TIMED) as playing:
        assert playing.table.deadline == playing.clock.now() + LIMIT
        playing.clock.turn(100)
        await playing.ask(ONE, SetSecret(SECRET))
        assert playing.table.deadline == playing.clock.now() + LIMIT


async def test_the_server_flags_without_any_client() -> None:
    async with table_of(TIMED) as playing:
        playing.clock.turn(LIMIT + GRACE)
        playing.clock.ring()
        await settled(playing)
        (drawn,) = playing.table.view(ONE)[-1].events
        assert isinstance(drawn, SecretSet)
        assert drawn.expired
        assert drawn.opening is not None
        playing.clock.turn(LIMIT + GRACE)
        playing.clock.ring()
        await settled(playing)
        assert playing.table.view(None)[-1].events == (RowExpired(),)
        assert playing.table.state.series.turn is TWO


async def test_a_maker_who_does_not_answer_in_time_is_answered_for() -> None:
    terms = Terms(TIMED.board, key_pegs=KeyPegMode.BY_HAND, turn_seconds=180)
    async with table_of(terms) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG))
        playing.clock.turn(LIMIT)
        await playing.table.expire(playing.clock.now())
        assert playing.table.view(None)[-1].events == (Answered(KeyPegs(0, 0), expired=True),)


@pytest.mark.parametrize("moments_before", [0.001, 1.0, 179.0])
@pytest.mark.parametrize("delay", [0.0, 0.2, 500.0])
async def test_a_move_received_in_time_counts_however_late_it_is_read(
    moments_before: float, delay: float
) -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        received = playing.clock.now() + LIMIT - moments_before
        playing.clock.turn(LIMIT - moments_before + delay)
        await playing.table.handle(TWO, "g", Guess(WRONG), received)
        assert playing.table.state.series.games[0].rows[0].guess == WRONG


@pytest.mark.parametrize("moments_after", [0.0, 0.001, 5.0])
async def test_a_move_received_too_late_is_refused_and_the_turn_ends(moments_after: float) -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        playing.clock.turn(LIMIT + moments_after)
        with pytest.raises(TooLate):
            await playing.table.handle(TWO, "g", Guess(WRONG), playing.clock.now())
        assert playing.table.view(None)[-1].events == (RowExpired(),)
        playing.clock.turn(0.001)
        await playing.table.handle(TWO, "h", Guess(WRONG), playing.clock.now())


async def test_a_move_that_was_overtaken_by_its_expiry_is_not_played_in_the_next_row() -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        received = playing.clock.now() + 179
        playing.clock.turn(200)
        await playing.table.expire(playing.clock.now())
        with pytest.raises(TooLate, match="on its way"):
            await playing.table.handle(TWO, "g", Guess(WRONG), received)
        assert [row.guess for row in playing.table.state.series.games[0].rows] == [None]


async def test_a_turn_expires_once() -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        playing.clock.turn(LIMIT)
        now = playing.clock.now()
        results = await asyncio.gather(
            *(playing.table.expire(now) for _ in range(5)),
            playing.table.handle(TWO, "g", Guess(WRONG), now),
            return_exceptions=True,
        )
        assert len(playing.table.state.series.games[0].rows) == 1
        assert isinstance(results[-1], TooLate)


class SlowLog(SqlLog):
    """A disk that takes its time: the clock goes on while an entry is being written."""

    clock: FakeClock
    delay = 0.0

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        self.clock.turn(self.delay)
        await asyncio.sleep(0)
        await super().append(table_id, entry, card)


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("moment", [-0.001, 0.0, 0.001])
@pytest.mark.parametrize("others", [0, 1, 2])
@pytest.mark.parametrize("first", ["move", "expiry"])
async def test_a_move_and_its_expiry_in_any_order_and_number_make_one_row(
    moment: float, delay: float, others: int, first: str
) -> None:
    """The expiry comes several times, from this process and from others on the same log."""
    clock, log = FakeClock(), await SlowLog.open()
    assert isinstance(log, SlowLog)
    log.clock = clock
    playing = await sit_down(log, Settings(TIMED), clock)
    await playing.ask(ONE, SetSecret(SECRET))
    entries = await log.read(playing.table.id)
    tables = [
        playing.table,
        *(
            Table.rebuild(playing.table.id, entries, log, clock, playing.player)
            for _ in range(others)
        ),
    ]
    log.delay = delay
    clock.turn(LIMIT + moment)
    received = clock.now()
    move = playing.table.handle(TWO, "g", Guess(WRONG), received)
    # With others, this process hears of the expiry only when its own entry does not fit.
    expiring = tables[1:] or tables
    expiries = [table.expire(received + GRACE) for table in expiring for _ in range(2)]
    asked = [move, *expiries] if first == "move" else [*expiries, move]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    moved = outcomes[0 if first == "move" else -1]
    await playing.table.catch_up()
    rows = [row.guess for row in playing.table.state.series.games[0].rows]
    assert rows == ([WRONG] if not isinstance(moved, Exception) else [None])
    if isinstance(moved, Exception):
        assert isinstance(moved, TooLate)
    assert moment < 0 or rows == [None]
    assert moment >= 0 or others or first == "expiry" or rows == [WRONG]
    for table in tables:
        await table.close()
    await log.close()


async def test_a_turn_does_not_expire_before_its_time() -> None:
    async with table_of(TIMED) as playing:
        playing.clock.turn(LIMIT - 0.001)
        with pytest.raises(TooEarly):
            await playing.table.expire(playing.clock.now())


async def test_giving_up_after_the_time_is_up_still_ends_the_game() -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        playing.clock.turn(LIMIT)
        await playing.ask(TWO, Resign())
        assert playing.table.view(None)[-2].events == (RowExpired(),)
        assert playing.table.state.series.games[0].phase is Phase.OVER


async def test_more_time_comes_to_an_end_in_each_turn() -> None:
    async with table_of(TIMED) as playing:
        for _ in range(MOST_OFFERS):
            await playing.ask(TWO, OfferTime(1))
        end = playing.table.deadline
        with pytest.raises(AgainstTheRules, match="times in a turn"):
            await playing.ask(TWO, OfferTime(1))
        assert playing.table.deadline == end
        await playing.ask(ONE, SetSecret(SECRET), OfferTime(1))


BY_HAND = Terms(TIMED.board, key_pegs=KeyPegMode.BY_HAND, turn_seconds=180)


async def give_up(playing: Playing, maker: Seat) -> None:
    await playing.ask(maker, SetSecret(SECRET))
    await playing.ask(maker.other, Resign())


async def ring(playing: Playing) -> None:
    playing.clock.turn(LIMIT + GRACE)
    playing.clock.ring()
    await settled(playing)


@pytest.mark.parametrize("terms", [TIMED, BY_HAND])
async def test_the_next_game_begins_by_itself_when_nobody_goes_on_in_time(terms: Terms) -> None:
    async with table_of(terms) as playing:
        await give_up(playing, ONE)
        assert playing.table.deadline == playing.clock.now() + LIMIT
        await ring(playing)
        assert playing.table.view(None)[-1].events == (Closed(),)
        assert playing.table.state.series.turn is TWO
        assert playing.table.deadline == playing.clock.now() + LIMIT


async def test_a_last_game_that_may_be_challenged_counts_after_the_limit() -> None:
    async with table_of(BY_HAND) as playing:
        for maker in (ONE, TWO):
            await playing.ask(maker, SetSecret(SECRET))
            await playing.ask(maker.other, Guess(SECRET))
            await playing.ask(maker, Answer(KeyPegs(4, 0)))
            assert playing.table.state.series.challengeable
            await ring(playing)
            playing.clock.turn(0.001)
        assert playing.table.view(None)[-1].events == (Closed(),)
        assert playing.table.state.series.over
        assert playing.table.deadline is None


async def test_no_clock_runs_after_a_series() -> None:
    async with table_of(TIMED) as playing:
        await give_up(playing, ONE)
        await playing.ask(TWO, NextGame())
        await give_up(playing, TWO)
        assert playing.table.state.series.over
        assert playing.table.deadline is None


async def test_a_rejected_challenge_does_not_lengthen_the_pause() -> None:
    async with table_of(BY_HAND) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(SECRET))
        await playing.ask(ONE, Answer(KeyPegs(4, 0)))
        end = playing.table.deadline
        playing.clock.turn(100)
        await playing.ask(TWO, Challenge())
        assert playing.table.deadline == end


async def test_going_on_too_late_starts_no_second_game() -> None:
    async with table_of(TIMED) as playing:
        await give_up(playing, ONE)
        playing.clock.turn(LIMIT)
        with pytest.raises(TooLate):
            await playing.ask(TWO, NextGame())
        assert playing.table.state.series.number == 2
        assert playing.table.state.series.turn is TWO
        # A repeat of the expiry, from a process that saw it too, is the same expiry.
        await playing.table.carry_out(
            Request(None, f"expire-{playing.table.seq - 1}", Expire(), 0.0)
        )


async def test_nobody_has_more_time_to_give_between_games() -> None:
    async with table_of(TIMED) as playing:
        await give_up(playing, ONE)
        for seat in Seat:
            with pytest.raises(NotYourTurn):
                await playing.ask(seat, OfferTime(60))


async def test_more_time_is_the_opponents_to_give() -> None:
    async with table_of(TIMED) as playing:
        end = playing.table.deadline
        assert end is not None
        for seat, seconds, error in (
            (ONE, 60, NotYourTurn),
            (TWO, 0, ValueError),
            (TWO, 3601, ValueError),
        ):
            with pytest.raises(error):
                await playing.ask(seat, OfferTime(seconds))
        playing.clock.turn(10)
        reply = await playing.ask(TWO, OfferTime(60))
        assert reply.entry.events == (TimeOffered(60),)
        assert playing.table.deadline == end + 60
        await playing.ask(ONE, SetSecret(SECRET))
        assert playing.table.deadline == playing.clock.now() + LIMIT


@pytest.mark.parametrize("jump", [-3_600_000, 3_600_000])
async def test_setting_the_wall_clock_moves_no_deadline(jump: int) -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        end = playing.table.deadline
        playing.clock.wall += jump
        await playing.ask(ONE, OfferTime(1))
        assert end is not None
        assert playing.table.deadline == end + 1
        with pytest.raises(TooEarly):
            await playing.table.expire(playing.clock.now())


@pytest.mark.parametrize(("jump", "left"), [(-3_600_000, 180), (0, 80), (3_600_000, 80 - 3600)])
async def test_a_table_read_from_its_log_goes_by_the_wall_clock_and_gives_no_more_than_the_limit(
    jump: int, left: float
) -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        playing.clock.turn(100)
        playing.clock.wall += jump
        await playing.restart()
        assert playing.table.deadline == playing.clock.now() + left


@pytest.mark.parametrize("defended", [True, False])
@pytest.mark.parametrize("jump", [-3_600_000, 3_600_000])
async def test_the_time_that_is_shown_is_the_time_that_is_left(
    jump: int, defended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the wall clock is set while the server runs, or gone back over a restart."""
    if not defended:
        monkeypatch.setattr(TurnClock, "due", lambda _self, state: state.due)
    async with table_of(TIMED) as playing:
        wrong = []
        for restarts in (False, True):
            playing.clock.turn(60)
            playing.clock.wall += jump
            if restarts and jump < 0:
                await playing.restart()
            table, now = playing.table, playing.clock.utc()
            shown = table_out(table, TWO, now).status.due
            assert shown is not None
            assert table.deadline is not None
            wrong.append(shown - now - 1000 * (table.deadline - playing.clock.now()))
        assert (wrong == [0, 0]) is defended


async def test_the_time_that_is_shown_is_that_of_the_log_while_the_wall_clock_is_right() -> None:
    async with table_of(TIMED) as playing:
        for drift in (400, -400):
            playing.clock.wall += drift
            assert playing.table.due(playing.table.state) == playing.table.state.due
        before = playing.table.state
        await playing.ask(ONE, SetSecret(SECRET))
        assert playing.table.due(before) == before.due


async def test_the_time_of_an_outage_is_credited_once() -> None:
    async with table_of(TIMED) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        playing.clock.turn(100)
        heartbeat = playing.clock.utc()
        playing.clock.turn(1_000)
        for _ in range(2):
            await playing.restart()
            now = playing.clock.utc()
            await playing.table.credit(Outage(heartbeat, now, now))
            assert playing.table.deadline == playing.clock.now() + 80
        with pytest.raises(TooEarly):
            await playing.table.expire(playing.clock.now())


async def test_no_seat_may_end_a_turn_or_credit_time() -> None:
    async with table_of(TIMED) as playing:
        playing.clock.turn(10)
        for command in (Expire(), CreditTime(5)):
            with pytest.raises(AgainstTheRules):
                await playing.table.handle(ONE, "x", command, playing.clock.now())  # type: ignore[arg-type]
        assert playing.table.seq == 2


async def test_the_systems_clock_rings() -> None:
    clock, rung = SystemClock(), asyncio.Event()
    clock.call_at(clock.now() + 0.01, rung.set)
    await asyncio.wait_for(rung.wait(), 60)
    before = time.time()
    assert before - 0.001 <= clock.utc() / 1000 <= time.time() + 0.001


async def test_a_closed_table_rings_no_more() -> None:
    async with table_of(TIMED) as playing:
        await playing.table.close()
        playing.clock.turn(LIMIT + GRACE)
        playing.clock.ring()
        await settled(playing)
        assert playing.table.seq == 2
