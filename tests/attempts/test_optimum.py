from __future__ import annotations

import itertools

import pytest

from keypeg.attempts.optimum import optimum
from keypeg.daily.codes import BOARDS
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import score

pytestmark = pytest.mark.anyio


async def test_the_optimum_is_a_game_that_breaks_the_code() -> None:
    for board in BOARDS:
        code = board.symbols[-board.holes :]
        rows = await optimum(board, tuple(code)) or ()
        assert rows[-1][0] == tuple(code)
        assert all(keys == score(tuple(code), guess) for guess, keys in rows)


async def test_over_all_classic_codes_it_needs_the_proven_total() -> None:
    """5,625 guesses: Koyama and Lai, 1993."""
    board = PRESETS["classic"]
    codes = itertools.product(board.symbols, repeat=board.holes)
    assert sum([len(await optimum(board, code) or ()) for code in codes]) == 5625


async def test_a_board_without_a_book_has_none() -> None:
    assert await optimum(Board(7, 9), (1,) * 7) is None
