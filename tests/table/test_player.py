from __future__ import annotations

import asyncio
import threading

import pytest

from keypeg.rules.board import Board
from keypeg.rules.keypegs import KeyPegs
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Settings, Tables
from keypeg.table.computer import THE_PLAYER
from keypeg.table.player import SolverPlayer
from tests.table.playing import BY_HAND, CLASSIC

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

    monkeypatch.setattr("keypeg.solver.suggest.suggest", ponder)
    thinking = asyncio.create_task(SolverPlayer().guess(CLASSIC.board, (), "perfect"))
    await asyncio.to_thread(began.wait, 10)
    thinking.cancel()
    await asyncio.gather(thinking, return_exceptions=True)
    assert await asyncio.to_thread(ended.wait, 10)


def test_the_computer_has_the_levels_of_the_solver() -> None:
    assert THE_PLAYER.levels == ("beginner", "casual", "careful", "strong", "perfect")
