from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.code import check_code
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver.history import Clue, History
from keypeg.solver.playing.beginner import guess_as_beginner

from .histories import doubtful, truthful

CLASSIC = Board.parse("classic")
SECRET = (1, 2, 3, 4)
ROWS = tuple(
    Clue(guess, score(SECRET, guess)) for guess in [(1, 1, 2, 2), (1, 3, 4, 2), (1, 2, 4, 5)]
)


@settings(max_examples=40)
@given(truthful(), st.integers(0, 99))
def test_who_forgets_nothing_plays_what_might_be_the_code(
    known: tuple[Board, History], seed: int
) -> None:
    board, history = known
    guess = guess_as_beginner(board, history, slip=0, seed=seed)
    assert all(clue.fits(guess) for clue in history)


@settings(max_examples=40)
@given(doubtful(), st.integers(0, 99))
def test_there_is_a_guess_even_where_nothing_fits(known: tuple[Board, History], seed: int) -> None:
    board, history = known
    check_code(guess_as_beginner(board, history, slip=0.2, seed=seed), board)


def test_a_row_is_forgotten_as_often_as_stated() -> None:
    history = (Clue((1, 1, 1, 1), KeyPegs(0, 0)),)
    guesses = [guess_as_beginner(CLASSIC, history, slip=0.5, seed=seed) for seed in range(400)]
    slips = sum(1 in guess for guess in guesses)
    # A forgotten row shows unless the guess happens to have no 1: 0.5 * (1 - (5/6)**4) = 0.259.
    assert slips / 400 == pytest.approx(0.259, abs=0.07)


def test_a_guess_repeats_under_a_seed() -> None:
    first, second = (guess_as_beginner(CLASSIC, ROWS, slip=0.3, seed=5) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("form", ["8x12", "12x20", "16x20bn"])
def test_a_beginner_sits_down_at_any_board(form: str) -> None:
    board = Board.parse(form)
    history: History = ()
    secret = guess_as_beginner(board, (), slip=0, seed=100)
    for seed in range(4):
        guess = guess_as_beginner(board, history, slip=0.1, seed=seed)
        check_code(guess, board)
        history += (Clue(guess, score(secret, guess)),)
