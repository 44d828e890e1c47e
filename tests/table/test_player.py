from __future__ import annotations

import asyncio
import sys
import threading

import pytest

from harness import programs
from harness.tables import BY_HAND, CLASSIC
from keypeg.draw import draw_code
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Settings, Tables
from keypeg.table.computer import THE_PLAYER, Rows
from keypeg.table.player import SolverPlayer, guess_at_once

pytestmark = pytest.mark.anyio
SMALL = Board(2, 3)


@pytest.mark.parametrize("level", SolverPlayer.levels)
async def test_two_computers_play_a_series_at_every_level(level: str) -> None:
    log = await SqlLog.open()
    tables = Tables(log)
    table = await tables.open(Open(Settings(BY_HAND, Computer(level), Computer(level))))
    done = asyncio.Event()
    table.watch(lambda _: done.set() if table.state.series.over else None)
    await asyncio.wait_for(done.wait(), 60)
    assert all(game.outcome is not None for game in table.state.series.games)
    await tables.close()
    await log.close()


async def test_where_no_code_fits_there_is_no_guess() -> None:
    rows = (((1, 1), KeyPegs(0, 0)), ((2, 2), KeyPegs(0, 0)), ((3, 3), KeyPegs(0, 0)))
    assert await THE_PLAYER.guess(SMALL, rows, "perfect") is None


async def test_the_guess_fits_on_a_board_too_large_to_list() -> None:
    board = Board(8, 12)
    guess = await THE_PLAYER.guess(board, (((1,) * 8, KeyPegs(0, 0)),), "careful")
    assert guess is not None
    assert 1 not in guess


async def test_thinking_that_nobody_waits_for_is_called_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, ended = threading.Event(), threading.Event()

    def ponder(*_: object, cancelled: object = None, **__: object) -> None:
        began.set()
        while not cancelled():  # type: ignore[operator]
            pass
        ended.set()
        raise RuntimeError("called off")

    monkeypatch.setattr("keypeg.solver.suggest.next_guess", ponder)
    thinking = asyncio.create_task(SolverPlayer().guess(CLASSIC.board, (), "perfect"))
    await asyncio.to_thread(began.wait, 10)
    thinking.cancel()
    await asyncio.gather(thinking, return_exceptions=True)
    assert await asyncio.to_thread(ended.wait, 10)


@pytest.mark.parametrize("name", PRESETS)
def test_the_book_is_played_at_once_to_the_end(name: str) -> None:
    board = PRESETS[name]
    secret = draw_code(board)
    rows: Rows = ()
    while not rows or rows[-1][0] != secret:
        guess = guess_at_once(board, rows, "perfect")
        assert guess is not None
        rows = (*rows, (guess, score(secret, guess)))


def test_what_takes_thought_is_not_played_at_once() -> None:
    stray = (((1, 2, 3, 4), KeyPegs(0, 0)),)
    assert guess_at_once(Board(6, 9), (), "perfect") is None
    assert guess_at_once(CLASSIC.board, (), "strong") is None
    for level in SolverPlayer.levels:
        assert guess_at_once(CLASSIC.board, stray, level) is None


def test_what_is_played_at_once_compiles_nothing() -> None:
    program = (
        "import sys; from keypeg.rules.board import PRESETS; "
        "from keypeg.table.player import SolverPlayer, guess_at_once; "
        "[guess_at_once(board, (), level)"
        " for board in PRESETS.values() for level in SolverPlayer.levels]; "
        "assert 'numba' not in sys.modules"
    )
    programs.run([sys.executable, "-c", program], check=True)


def test_the_computer_has_the_levels_of_the_solver() -> None:
    assert THE_PLAYER.levels == ("beginner", "casual", "careful", "strong", "perfect")
