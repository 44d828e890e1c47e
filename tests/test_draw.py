from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from keypeg.draw import MOST_SCORES, draw_guess
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import check_code
from keypeg.rules.keypegs import KeyPegs, score
from tests.rules.strategies import boards, codes


@given(st.data())
def test_a_guess_is_drawn_for_any_rows(data: st.DataObject) -> None:
    board = data.draw(boards())
    secret = data.draw(codes(board))
    rows = [(guess, score(secret, guess)) for guess in data.draw(st.lists(codes(board)))]
    check_code(draw_guess(board, rows, random.Random(1)), board)


@given(st.data())
def test_on_small_boards_it_fits(data: st.DataObject) -> None:
    board = data.draw(boards(3, 4))
    secret = data.draw(codes(board))
    guesses = data.draw(st.lists(codes(board), max_size=4))
    rows = [(guess, score(secret, guess)) for guess in guesses]
    found = draw_guess(board, rows, random.Random(1))
    assert all(score(found, guess) == keys for guess, keys in rows)


def test_it_is_drawn_in_so_many_tries_where_nothing_fits() -> None:
    rng = Counting(1)
    rows = [((1, 1, 1, 1), KeyPegs(4, 0)), ((2, 2, 2, 2), KeyPegs(4, 0))]
    for board in (PRESETS["classic"], Board(16, 20)):
        draw_guess(board, [(guess * (board.holes // 4), keys) for guess, keys in rows], rng)
        assert rng.drawn <= board.holes * (MOST_SCORES + 1)
        rng.drawn = 0


class Counting(random.Random):
    """Counts what is drawn."""

    drawn = 0

    def choice(self, seq):  # type: ignore[no-untyped-def]
        self.drawn += 1
        return super().choice(seq)
