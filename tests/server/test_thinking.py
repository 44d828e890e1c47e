"""Thinking off the event loop: right, gated, limited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.server.thinking import AnsweredRow, Busy, Hint, RulesAlone, Thinking, TookTooLong

CLASSIC = PRESETS["classic"]
ROWS = [((1, 1, 2, 2), KeyPegs(1, 1)), ((1, 3, 2, 4), KeyPegs(0, 2))]


@asynccontextmanager
async def thinking(seconds: float = 10.0) -> AsyncIterator[Thinking]:
    worker = Thinking(RulesAlone(), seconds)
    try:
        yield worker
    finally:
        worker.close()


def test_a_hint_fits_every_row() -> None:
    hint = RulesAlone().hint(CLASSIC, ROWS)
    assert hint.guess is not None
    assert all(score(hint.guess, guess) == keys for guess, keys in ROWS)


def test_the_first_row_of_the_classic_board_leaves_what_is_known() -> None:
    """Knuth 1977: after 1122 answered by one black and one white, 208 codes are left."""
    assert RulesAlone().review(CLASSIC, ROWS[:1]) == ((1296, 208),)


def test_rows_that_contradict_leave_no_code() -> None:
    rows = [((1, 1, 1, 1), KeyPegs(4, 0)), ((2, 2, 2, 2), KeyPegs(4, 0))]
    assert RulesAlone().hint(CLASSIC, rows) == Hint(0, None)


def test_a_worker_answers_and_the_event_loop_runs_on() -> None:
    async def scenario() -> None:
        async with thinking() as worker:
            await worker.hint("a", CLASSIC, ROWS)
            lag = 0.0
            job = asyncio.ensure_future(worker.review("a", PRESETS["advanced"], _long()))
            while not job.done():
                before = time.perf_counter()
                await asyncio.sleep(0.005)
                lag = max(lag, time.perf_counter() - before - 0.005)
            assert len(job.result()) == 1
            assert lag < 0.2

    asyncio.run(scenario())


def _long() -> list[AnsweredRow]:
    return [((1, 2, 3, 4, 5), KeyPegs(1, 2))]


def test_a_board_too_big_is_refused_at_once() -> None:
    async def scenario() -> None:
        async with thinking() as worker:
            before = time.perf_counter()
            with pytest.raises(AgainstTheRules, match="4,096,000,000,000,000"):
                await worker.hint("a", Board(12, 20), [])
            assert time.perf_counter() - before < 0.05
            assert worker._process is None

    asyncio.run(scenario())


def test_one_question_at_a_time_for_each_client() -> None:
    async def scenario() -> None:
        async with thinking() as worker:
            first = asyncio.ensure_future(worker.hint("a", CLASSIC, ROWS))
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await worker.hint("a", CLASSIC, ROWS)
            assert await worker.hint("b", CLASSIC, ROWS) == await first

    asyncio.run(scenario())


def test_a_thought_that_takes_too_long_is_killed_and_the_next_is_answered() -> None:
    async def scenario() -> None:
        async with thinking() as worker:
            await worker.hint("a", CLASSIC, [])
            worker._seconds = 0.02
            with pytest.raises(TookTooLong):
                await worker.review("a", PRESETS["advanced-blanks"], _long() * 5)
            worker._seconds = 10.0
            assert (await worker.hint("a", CLASSIC, [])).codes_left == 1296

    asyncio.run(scenario())
