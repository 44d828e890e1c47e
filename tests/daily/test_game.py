"""Games on the codes of days, on both databases: midnight, clocks, races."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date

import pytest

from keypeg.attempts.errors import AlreadyDone, GuessReused
from keypeg.daily.codes import PURPOSE, Codes
from keypeg.daily.days import DayPhase
from keypeg.daily.errors import NoSuchDay
from keypeg.daily.game import Daily
from keypeg.rules.board import PRESETS
from keypeg.rules.code import Code
from keypeg.rules.commitment import opens
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.keypegs import score
from keypeg.store.errors import StoreError
from keypeg.store.sql import SqlLog
from tests.daily.clocks import SetClock
from tests.store.entries import KEY

pytestmark = pytest.mark.anyio

DAY = date(2026, 11, 18)
CLASSIC = PRESETS["classic"]
ANN, BOB = "a" * 64, "b" * 64


@pytest.fixture
async def log(address: str) -> AsyncIterator[SqlLog]:
    log = await SqlLog.open(address, KEY)
    yield log
    await log.close()


@pytest.fixture
def clock() -> SetClock:
    return SetClock("2026-11-18 12:00")


@pytest.fixture
def daily(log: SqlLog, clock: SetClock) -> Daily:
    return Daily(log, clock)


def code_of(log: SqlLog, day: date = DAY) -> Code:
    return Codes(log.derive(PURPOSE)).opening(day, CLASSIC).code


def wrong(log: SqlLog, day: date = DAY) -> list[Code]:
    """Guesses that are not the code of this day or of the day after it."""
    tomorrow = date.fromordinal(day.toordinal() + 1)
    codes = itertools.product(CLASSIC.symbols, repeat=4)
    return [code for code in codes if code not in (code_of(log, day), code_of(log, tomorrow))]


async def finish(daily: Daily, log: SqlLog, holder: str, rows: int, day: date = DAY) -> None:
    """Break a code in this many rows."""
    guesses = [*wrong(log, day)[: rows - 1], code_of(log, day)]
    for number, guess in enumerate(guesses):
        await daily.guess(day, CLASSIC, holder, (f"g{number}", guess))


async def test_a_guess_is_answered_and_stored_and_the_code_shown_at_the_end(
    daily: Daily, log: SqlLog
) -> None:
    before = await daily.look(DAY, CLASSIC, ANN)
    assert (before.attempt, before.ending, before.counts) == (None, None, True)
    guess = wrong(log)[700]
    number, seen = await daily.guess(DAY, CLASSIC, ANN, ("x", guess))
    assert number == 1
    assert seen.attempt is not None
    assert seen.ending is None
    assert seen.attempt.rows[0].keys == score(code_of(log), guess)
    assert await daily.look(DAY, CLASSIC, ANN) == seen
    assert (await daily.look(DAY, CLASSIC, BOB)).attempt is None
    number, done = await daily.guess(DAY, CLASSIC, ANN, ("y", code_of(log)))
    assert number == 2
    assert done.ending is not None
    assert done.ending.opening.code == code_of(log) == done.ending.optimum[-1][0]
    assert opens(done.seal, CLASSIC, "daily-2026-11-18", done.ending.opening)
    assert done.ending.distribution == {2: 1}


async def test_a_code_is_not_broken_when_the_rows_are_used_up(daily: Daily, log: SqlLog) -> None:
    for number, guess in enumerate(wrong(log)[: CLASSIC.rows]):
        _, seen = await daily.guess(DAY, CLASSIC, ANN, (f"g{number}", guess))
    assert seen.attempt is not None
    assert seen.attempt.needed == 0
    assert seen.ending is not None
    assert seen.ending.distribution == {0: 1}
    with pytest.raises(AlreadyDone, match="is a replay"):
        await daily.guess(DAY, CLASSIC, ANN, ("more", code_of(log)))


async def test_a_repeated_guess_gets_the_same_answer_and_a_reused_id_none(
    daily: Daily, log: SqlLog
) -> None:
    first, second, third = wrong(log)[:3]
    one = await daily.guess(DAY, CLASSIC, ANN, ("x", first))
    assert await daily.guess(DAY, CLASSIC, ANN, ("x", first)) == one
    await daily.guess(DAY, CLASSIC, ANN, ("y", second))
    number, seen = await daily.guess(DAY, CLASSIC, ANN, ("x", first))
    assert number == 1
    assert seen.attempt is not None
    assert len(seen.attempt.rows) == 2
    with pytest.raises(GuessReused):
        await daily.guess(DAY, CLASSIC, ANN, ("x", third))
    await daily.guess(DAY, CLASSIC, ANN, ("z", code_of(log)))
    assert (await daily.guess(DAY, CLASSIC, ANN, ("z", code_of(log))))[0] == 3


async def test_guesses_at_once_on_two_servers_make_one_row_each(log: SqlLog, address: str) -> None:
    other = await SqlLog.open(address, KEY)
    clock = SetClock("2026-11-18 12:00")
    servers = [Daily(log, clock), Daily(other, clock)]
    guesses = wrong(log)[:4]
    done = await asyncio.gather(
        *(
            server.guess(DAY, CLASSIC, ANN, (f"g{number}", guess))
            for number, guess in enumerate(guesses)
            for server in servers
            for _ in range(2)
        )
    )
    rows = [{done[4 * number + at][0] for at in range(4)} for number in range(4)]
    assert sorted(map(sorted, rows)) == [[1], [2], [3], [4]]
    seen = [await server.look(DAY, CLASSIC, ANN) for server in servers]
    assert seen[0] == seen[1]
    assert seen[0].attempt is not None
    assert len(seen[0].attempt.rows) == 4
    await other.close()


async def test_two_servers_count_everybody_once(log: SqlLog, address: str) -> None:
    other = await SqlLog.open(address, KEY)
    clock = SetClock("2026-11-18 12:00")
    servers = [Daily(log, clock), Daily(other, clock)]
    guess = ("x", code_of(log))
    holders = [f"{number:064}" for number in range(8)]
    await asyncio.gather(
        *(server.guess(DAY, CLASSIC, holder, guess) for holder in holders for server in servers)
    )
    for server in servers:
        assert await server.attempts.distribution("2026-11-18", "classic") == {1: 8}
    await other.close()


async def test_a_game_begun_before_midnight_goes_on_and_counts_for_its_day(
    daily: Daily, clock: SetClock, log: SqlLog
) -> None:
    clock.set("2026-11-18 23:59:59.999")
    await daily.guess(DAY, CLASSIC, ANN, ("x", wrong(log)[0]))
    clock.set("2026-11-19 00:00")
    tomorrow = await daily.look(date(2026, 11, 19), CLASSIC, ANN)
    assert (tomorrow.phase, tomorrow.attempt) == (DayPhase.RUNNING, None)
    # While such games go on, the seal is not opened to others.
    assert await daily.opened(DAY, CLASSIC, BOB) is None
    assert await daily.opened(DAY, CLASSIC, None) is None
    clock.set("2026-11-19 23:59:59.999")
    _, seen = await daily.guess(DAY, CLASSIC, ANN, ("y", code_of(log)))
    assert seen.counts
    assert seen.ending is not None
    assert seen.ending.distribution == {2: 1}
    assert await daily.opened(DAY, CLASSIC, ANN) == seen.ending.opening
    assert await daily.opened(DAY, CLASSIC, BOB) is None
    clock.set("2026-11-20 00:00")
    assert await daily.opened(DAY, CLASSIC, None) == seen.ending.opening


async def test_a_game_left_until_the_seal_is_open_is_played_on_and_does_not_count(
    daily: Daily, clock: SetClock, log: SqlLog
) -> None:
    await daily.guess(DAY, CLASSIC, ANN, ("x", wrong(log)[0]))
    clock.set("2026-11-20 00:00")
    assert not (await daily.look(DAY, CLASSIC, ANN)).counts
    _, seen = await daily.guess(DAY, CLASSIC, ANN, ("y", code_of(log)))
    assert not seen.counts
    assert seen.ending is not None
    assert seen.ending.distribution == {}


@pytest.mark.parametrize("now", ["2026-11-19 00:00", "2027-06-01 12:00"])
async def test_a_day_in_the_archive_is_played_and_does_not_count(
    daily: Daily, clock: SetClock, log: SqlLog, now: str
) -> None:
    await finish(daily, log, BOB, 3)
    clock.set(now)
    before = await daily.look(DAY, CLASSIC, ANN)
    assert (before.counts, before.ending) == (False, None)
    await finish(daily, log, ANN, 2)
    seen = await daily.look(DAY, CLASSIC, ANN)
    assert not seen.counts
    assert seen.ending is not None
    assert seen.ending.distribution == {3: 1}


async def test_a_clock_that_jumps_back_takes_nothing_from_those_who_have_begun(
    daily: Daily, clock: SetClock, log: SqlLog
) -> None:
    tomorrow = date(2026, 11, 19)
    clock.set("2026-11-19 00:01")
    await daily.guess(tomorrow, CLASSIC, ANN, ("x", wrong(log)[0]))
    clock.set("2026-11-18 23:58")
    with pytest.raises(NoSuchDay, match="begins at midnight in UTC; today is 2026-11-18"):
        await daily.guess(tomorrow, CLASSIC, BOB, ("x", wrong(log)[0]))
    _, seen = await daily.guess(tomorrow, CLASSIC, ANN, ("y", code_of(log, tomorrow)))
    assert seen.counts
    clock.set("2026-11-19 00:02")
    assert await daily.look(tomorrow, CLASSIC, ANN) == replace(seen, phase=DayPhase.RUNNING)
    await daily.guess(tomorrow, CLASSIC, BOB, ("x", code_of(log, tomorrow)))
    assert await daily.attempts.distribution(str(tomorrow), "classic") == {1: 1, 2: 1}


async def test_servers_whose_clocks_differ_agree_on_games_and_counts(
    log: SqlLog, address: str
) -> None:
    other = await SqlLog.open(address, KEY)
    early, late = SetClock("2026-11-18 23:59"), SetClock("2026-11-19 00:01")
    one, two = Daily(log, early), Daily(other, late)
    await one.guess(DAY, CLASSIC, ANN, ("x", wrong(log)[0]))
    _, seen = await two.guess(DAY, CLASSIC, ANN, ("y", code_of(log)))
    assert seen.counts
    # Bob begins where it is tomorrow already: an attempt at today's code is one at the archive.
    _, seen = await two.guess(DAY, CLASSIC, BOB, ("x", code_of(log)))
    assert not seen.counts
    assert not (await one.look(DAY, CLASSIC, BOB)).counts
    for server in (one, two):
        assert await server.attempts.distribution("2026-11-18", "classic") == {2: 1}
        assert server.seal(DAY, CLASSIC) == one.seal(DAY, CLASSIC)
    await other.close()


async def test_only_days_from_the_first_to_today_are_played_and_tomorrow_is_sealed(
    daily: Daily, clock: SetClock, log: SqlLog
) -> None:
    assert daily.seal(date(2026, 11, 19), CLASSIC)
    assert await daily.opened(date(2026, 11, 19), CLASSIC, ANN) is None
    for day in (date(2025, 12, 31), date(2026, 11, 20), date(9999, 12, 31)):
        for ask in (
            daily.look(day, CLASSIC, ANN),
            daily.opened(day, CLASSIC, ANN),
            daily.guess(day, CLASSIC, ANN, ("x", (1, 1, 1, 1))),
        ):
            with pytest.raises(NoSuchDay, match="there is no code of"):
                await ask
    clock.set("1970-01-02 00:00")
    with pytest.raises(NoSuchDay, match="the clock here says 1970-01-02"):
        daily.today()


async def test_what_is_not_a_code_of_the_board_is_refused_and_not_stored(daily: Daily) -> None:
    with pytest.raises(CannotRead, match="there is no daily code on '4x7'"):
        await daily.look(DAY, CLASSIC.parse("4x7"), ANN)
    for code in ((1, 2, 3), (1, 2, 3, 7), (0, 1, 2, 3)):
        with pytest.raises((CannotRead, AgainstTheRules)):
            await daily.guess(DAY, CLASSIC, ANN, ("x", code))
    assert (await daily.look(DAY, CLASSIC, ANN)).attempt is None


async def test_a_new_attempt_needs_leave_and_a_running_one_does_not(
    daily: Daily, log: SqlLog
) -> None:
    async def refuse() -> None:
        raise StoreError("no")

    with pytest.raises(StoreError):
        await daily.guess(DAY, CLASSIC, ANN, ("x", wrong(log)[0]), refuse)
    assert (await daily.look(DAY, CLASSIC, ANN)).attempt is None
    await daily.guess(DAY, CLASSIC, ANN, ("x", wrong(log)[0]))
    await daily.guess(DAY, CLASSIC, ANN, ("y", wrong(log)[1]), refuse)


async def test_old_attempts_are_removed_and_their_counts_stay(
    daily: Daily, clock: SetClock, log: SqlLog
) -> None:
    await finish(daily, log, ANN, 2)
    clock.set("2026-11-18 13:00")
    await daily.guess(DAY, CLASSIC, BOB, ("x", wrong(log)[0]))
    noon = clock.utc()
    assert await daily.attempts.old(noon) == 1
    assert await daily.attempts.remove_old(noon) == 1
    assert await daily.attempts.remove_old(noon) == 0
    assert (await daily.look(DAY, CLASSIC, ANN)).attempt is None
    assert [key.holder for key in await daily.attempts.keys()] == [BOB]
    assert await daily.attempts.distribution("2026-11-18", "classic") == {2: 1}
