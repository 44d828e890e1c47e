"""Thinking off the event loop: right, gated, limited."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from keypeg.client import Client, Connection
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import KeyPegs
from keypeg.server.thinker import SolverThinker
from keypeg.server.thinking import AnsweredRow, Busy, Thinking, TookTooLong
from tests.server.running import running, seated

CLASSIC = PRESETS["classic"]
ROWS = [((1, 1, 2, 2), KeyPegs(1, 1)), ((1, 3, 2, 4), KeyPegs(0, 2))]


@asynccontextmanager
async def thinking(seconds: float = 300.0) -> AsyncIterator[Thinking]:
    worker = Thinking(SolverThinker(), seconds)
    try:
        yield worker
    finally:
        worker.close()


def test_a_hint_says_a_guess_and_why() -> None:
    hint = SolverThinker().hint(CLASSIC, [])
    assert (hint.codes_left, hint.guess, hint.certainty) == (1296, (1, 1, 2, 3), "proven")
    assert hint.why.startswith("It may be the code, and splits the 1,296 codes left")


def test_the_first_row_of_the_classic_board_leaves_what_is_known() -> None:
    """Knuth 1977: after 1122 answered by one black and one white, 208 codes are left."""
    (row,) = SolverThinker().review(CLASSIC, ROWS[:1]).rows
    assert (row.before, row.after, row.best) == (1296, 208, (1, 1, 2, 3))
    assert row.loss == pytest.approx((5702 - 5625) / 1296)


def test_rows_that_contradict_are_named_with_what_would_mend_them() -> None:
    rows = [((1, 1, 1, 1), KeyPegs(4, 0)), ((2, 2, 2, 2), KeyPegs(4, 0))]
    hint = SolverThinker().hint(CLASSIC, rows)
    assert (hint.codes_left, hint.guess, hint.contradiction) == (0, None, (1, 2))
    assert (2, 0, 0, 1) in hint.repairs


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
            assert len(job.result().rows) == 1
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
            worker._seconds = 300.0
            assert (await worker.hint("a", CLASSIC, [])).codes_left == 1296

    asyncio.run(scenario())


@pytest.mark.anyio
async def test_a_saturated_solver_leaves_moves_unaffected(tmp_path: Path) -> None:
    """Moves while the worker thinks without pause take about as long as moves at rest."""
    async with running(tmp_path, thinking_seconds=60.0) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with one.connect() as maker, two.connect() as breaker:
            await maker.set_secret((1, 2, 3, 4))
            thinker = server.application.services.thinking
            await thinker.hint("warm", CLASSIC, [])
            at_rest = await _moves(breaker, 30)
            stop = asyncio.Event()
            load = [asyncio.create_task(_ask_on(thinker, f"c{n}", stop)) for n in range(3)]
            await asyncio.sleep(0.1)
            saturated = await _moves(breaker, 30)
            stop.set()
            await asyncio.gather(*load)
    # The worker has its own processor and yields it; on a busy machine medians still wander.
    assert saturated < 5 * at_rest + 0.02


async def _moves(breaker: Connection, count: int) -> float:
    """The median time of so many moves."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        await breaker.guess((5, 5, 6, 6))
        times.append(time.perf_counter() - began)
    return sorted(times)[count // 2]


async def _ask_on(thinker: Thinking, client: str, stop: asyncio.Event) -> None:
    while not stop.is_set():
        with contextlib.suppress(TookTooLong):
            await thinker.review(client, PRESETS["advanced"], _long())
