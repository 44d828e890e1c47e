"""The solver off the event loop: right, gated, limited, and in nobody's way."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from harness.clients.sockets import PATIENCE
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import KeyPegs
from keypeg.server.solver_answers import SolverAnswers
from keypeg.server.solver_worker import (
    Asker,
    Busy,
    Hint,
    Patience,
    Solver,
    SolverWorker,
    TookTooLong,
)
from tests.server.solvers import (
    GO,
    Forgetful,
    Hurried,
    Marked,
    Mortal,
    NeverReady,
    Stubborn,
    marked,
)

pytestmark = pytest.mark.anyio
CLASSIC = PRESETS["classic"]
ROWS = (((1, 1, 2, 2), KeyPegs(1, 1)), ((1, 3, 2, 4), KeyPegs(0, 2)))
ANN, BOB = Asker("ann"), Asker("bob")


@asynccontextmanager
async def thinking(solver: Solver, seconds: float = 300.0) -> AsyncIterator[SolverWorker]:
    worker = SolverWorker(solver, seconds)
    try:
        yield worker
    finally:
        await worker.close()
        for process in multiprocessing.active_children():
            process.join(10)
        assert not multiprocessing.active_children()


def test_a_hint_says_a_guess_and_why() -> None:
    hint = SolverAnswers().hint(CLASSIC, [], Patience(60))
    assert (hint.codes_left, hint.guess, hint.certainty) == (1296, (1, 1, 2, 3), "proven")
    assert hint.why.startswith("It may be the code, and splits the 1,296 codes left")


def test_the_first_row_of_the_classic_board_leaves_what_is_known() -> None:
    """Knuth 1977: after 1122 answered by one black and one white, 208 codes are left."""
    (row,) = SolverAnswers().review(CLASSIC, ROWS[:1], Patience(60)).rows
    assert (row.before, row.after, row.best) == (1296, 208, (1, 1, 2, 3))
    assert row.loss == pytest.approx((5702 - 5625) / 1296)


def test_rows_that_contradict_are_named_with_what_would_mend_them() -> None:
    rows = [((1, 1, 1, 1), KeyPegs(4, 0)), ((2, 2, 2, 2), KeyPegs(4, 0))]
    hint = SolverAnswers().hint(CLASSIC, rows, Patience(60))
    assert (hint.codes_left, hint.guess, hint.contradiction) == (0, None, (1, 2))
    assert (2, 0, 0, 1) in hint.repairs


def test_a_review_ends_with_the_patience_for_it() -> None:
    """What does not come to an end in time is cut short, and not left to be killed."""
    rows = ROWS[:1] * 30
    assert SolverAnswers().review(Board(16, 2), [], Patience(0)).rows == ()
    none = SolverAnswers().review(CLASSIC, rows, Patience(0))
    assert (none.rows, none.complete) == ((), False)
    whole = SolverAnswers().review(CLASSIC, rows, Patience(600))
    assert (len(whole.rows), whole.complete) == (30, True)


@pytest.mark.parametrize(("solver", "complete"), [(Marked, True), (Hurried, False)])
async def test_a_review_says_whether_there_was_time_for_every_row(
    tmp_path: Path, solver: type[Marked], complete: bool
) -> None:
    (tmp_path / GO).touch()
    async with running(tmp_path, solver(tmp_path)) as server, Client(server.url) as client:
        answer = await client._http.post("/api/reviews", json={"board": "classic"}, timeout=60)
        assert msgspec.json.decode(answer.content, type=wire.Review).complete is complete


def worth(hint: Hint) -> tuple[object, ...]:
    """All but the guess itself: of two equally good ones either may be found first."""
    return hint.codes_left, hint.exact, hint.expected_guesses, hint.certainty, hint.contradiction


async def test_the_solver_answers_from_its_process() -> None:
    async with thinking(SolverAnswers()) as worker:
        hint = await worker.hint(ANN, CLASSIC, ROWS)
        assert worth(hint) == worth(SolverAnswers().hint(CLASSIC, ROWS, Patience(60)))
        assert len((await worker.review(ANN, CLASSIC, ROWS)).rows) == 2
        assert await worker.guess(CLASSIC, ROWS, "strong") is not None


async def test_a_board_too_big_is_refused_at_once(tmp_path: Path) -> None:
    async with thinking(Marked(tmp_path)) as worker:
        with pytest.raises(AgainstTheRules, match="4,096,000,000,000,000"):
            await worker.hint(ANN, Board(12, 20), ())
        assert worker._running is None


async def test_one_question_at_a_time_for_each_asker(tmp_path: Path) -> None:
    several = Asker("several people", allowance=3)
    async with thinking(Marked(tmp_path)) as worker:
        asked = [
            asyncio.create_task(worker.hint(asker, CLASSIC, ROWS))
            for asker in (ANN, BOB, several, several, several)
        ]
        await marked(tmp_path, "began-hint-classic-2")
        for asker in (ANN, several):
            with pytest.raises(Busy):
                await worker.hint(asker, CLASSIC, ROWS)
        (tmp_path / GO).touch()
        answers = await asyncio.gather(*asked)
        assert len({answer.codes_left for answer in answers}) == 1
        assert await worker.hint(ANN, CLASSIC, ROWS)
        assert not worker._asking


async def test_a_worker_stands_back_behind_the_server(tmp_path: Path) -> None:
    async with thinking(Marked(tmp_path), seconds=30) as worker:
        worker.start()
        (process,) = await marked(tmp_path, "warm")
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process) == min(19, max(10, own + 10))


async def test_a_thought_that_ends_in_time_is_not_killed(tmp_path: Path) -> None:
    async with thinking(Marked(tmp_path), seconds=3) as worker:
        worker.start()
        (first,) = await marked(tmp_path, "warm")
        with pytest.raises(TookTooLong):
            await worker.hint(ANN, CLASSIC, ROWS)
        (tmp_path / GO).touch()
        worker._seconds = 300.0
        assert (await worker.hint(ANN, CLASSIC, ROWS)).codes_left == first


async def test_a_thought_without_end_is_killed_and_the_next_worker_warms_up_unasked(
    tmp_path: Path,
) -> None:
    async with thinking(Stubborn(tmp_path), seconds=0.5) as worker:
        worker.start()
        (first,) = await marked(tmp_path, "warm")
        with pytest.raises(TookTooLong):
            await worker.hint(ANN, CLASSIC, ROWS)
        _, second = await marked(tmp_path, "warm", 2)
        (tmp_path / GO).touch()
        worker._seconds = 300.0
        assert (await worker.hint(ANN, CLASSIC, ROWS)).codes_left == second != first


async def test_the_wait_in_the_queue_is_part_of_the_time(tmp_path: Path) -> None:
    """Whoever asks behind a thought without end is told so as soon as its asker is."""
    async with thinking(Stubborn(tmp_path), seconds=0.5) as worker:
        worker.start()
        await marked(tmp_path, "warm")
        first = asyncio.create_task(worker.hint(ANN, CLASSIC, ROWS))
        second = asyncio.create_task(worker.hint(BOB, PRESETS["advanced"], ()))
        with pytest.raises(TookTooLong):
            await first
        with pytest.raises(Busy):
            await second
        (tmp_path / GO).touch()
        worker._seconds = 300.0
        await worker.hint(ANN, CLASSIC, ())
        assert not (tmp_path / "began-hint-advanced-0").exists()


async def test_the_time_is_shared_with_those_who_wait(tmp_path: Path) -> None:
    (tmp_path / GO).touch()
    async with thinking(Marked(tmp_path), seconds=300) as worker:
        answers = await asyncio.gather(
            *(worker.hint(Asker(str(n)), CLASSIC, ROWS) for n in range(3))
        )
        times = [answer.expected_guesses or 0.0 for answer in answers]
        assert times[0] <= 0.8 * 100
        assert times[0] < times[1] <= 0.8 * 150 < times[2] <= 0.8 * 300


async def test_a_queue_that_is_full_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.server.solver_worker.MOST_WAITING", 2)
    async with thinking(NeverReady(tmp_path)) as worker:
        waiting = [asyncio.create_task(worker.guess(CLASSIC, (), "strong")) for _ in range(2)]
        await marked(tmp_path, "warming")
        with pytest.raises(Busy):
            await worker.guess(CLASSIC, (), "strong")
        for task in waiting:
            task.cancel()


async def test_whoever_goes_away_leaves_the_queue(tmp_path: Path) -> None:
    async with thinking(Marked(tmp_path)) as worker:
        first, second, third = (
            asyncio.create_task(worker.hint(Asker(str(rows)), CLASSIC, ROWS[:rows]))
            for rows in range(3)
        )
        (pid,) = await marked(tmp_path, "began-hint-classic-0")
        second.cancel()
        first.cancel()
        await marked(tmp_path, "off-hint-classic-0")
        await marked(tmp_path, "began-hint-classic-2")
        (tmp_path / GO).touch()
        assert (await third).codes_left == pid
        assert not (tmp_path / "began-hint-classic-1").exists()
        assert not worker._asking


async def test_whoever_asks_while_it_warms_up_is_told_to_ask_again(tmp_path: Path) -> None:
    async with thinking(NeverReady(tmp_path), seconds=0.1) as worker:
        for _ in range(2):
            with pytest.raises(Busy, match="warming up"):
                await worker.hint(ANN, CLASSIC, ROWS)
        assert len(await marked(tmp_path, "warming")) == 1


async def test_a_worker_that_dies_idle_is_replaced_and_nobody_notices(tmp_path: Path) -> None:
    (tmp_path / GO).touch()
    async with thinking(Marked(tmp_path)) as worker:
        first = (await worker.hint(ANN, CLASSIC, ROWS)).codes_left
        (process,) = multiprocessing.active_children()
        process.kill()
        process.join(PATIENCE)
        assert process.exitcode == -signal.SIGKILL
        assert (await worker.hint(ANN, CLASSIC, ROWS)).codes_left != first


async def test_a_question_that_kills_the_worker_is_not_asked_again(tmp_path: Path) -> None:
    async with thinking(Mortal(tmp_path)) as worker:
        with pytest.raises(TookTooLong):
            await worker.hint(ANN, CLASSIC, ROWS)
        (first,) = await marked(tmp_path, "died")
        assert (await worker.hint(ANN, CLASSIC, ROWS)).codes_left != first


async def test_a_fault_of_the_thinker_is_a_refusal(tmp_path: Path) -> None:
    async with thinking(Forgetful(tmp_path)) as worker:
        with pytest.raises(TookTooLong, match="ZeroDivisionError"):
            await worker.hint(ANN, CLASSIC, ROWS)
        (first,) = await marked(tmp_path, "failed")
        assert (await worker.hint(ANN, CLASSIC, ROWS)).codes_left == first


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
async def test_it_can_be_closed_while_it_starts(tmp_path: Path, turns: int) -> None:
    async with thinking(Marked(tmp_path)) as worker:
        asked = asyncio.create_task(worker.hint(ANN, CLASSIC, ROWS))
        for _ in range(turns):
            await asyncio.sleep(0)
        asked.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asked
