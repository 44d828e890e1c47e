from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.code import Code, check_code
from keypeg.rules.keypegs import score
from keypeg.solver import reference
from keypeg.solver.history import Clue, History
from keypeg.solver.playing.annealing import settle

from .histories import doubtful


def off_by(code: Code, history: History) -> int:
    """How many key pegs, black and in all, the answers of `code` are off by."""
    answers = [(score(code, guess), keys) for guess, keys in history]
    return sum(abs(got.black - keys.black) + abs(sum(got) - sum(keys)) for got, keys in answers)


@settings(max_examples=60)
@given(doubtful(), st.integers(0, 99))
def test_the_distance_told_is_that_of_the_code_and_the_least_there_is(
    known: tuple[Board, History], seed: int
) -> None:
    board, history = known
    if not history:
        return
    every = reference.codes(board)
    starts = np.array(random.Random(seed).choices(every, k=4), np.uint8)
    codes, distances = settle(board, history, starts, seed)
    for code, distance in zip(map(tuple, codes.tolist()), distances, strict=True):
        check_code(code, board)
        assert distance == off_by(code, history)
    assert distances.min() == min(off_by(code, history) for code in every)


@pytest.mark.parametrize("form", ["8x12", "12x20", "16x20b", "12x16n"])
def test_a_code_that_fits_is_found_on_any_board(form: str) -> None:
    board = Board.parse(form)
    rng = random.Random(2)
    pegs = list(board.symbols)
    draw = rng.choices if board.repeats else rng.sample
    secret, *guesses = (tuple(draw(pegs, k=board.holes)) for _ in range(11))
    history = tuple(Clue(guess, score(secret, guess)) for guess in guesses)
    starts = np.array([draw(pegs, k=board.holes) for _ in range(16)], np.uint8)
    _, distances = settle(board, history, starts, seed=1)
    assert distances.min() == 0


def test_the_search_repeats_under_a_seed() -> None:
    board = Board.parse("8x12")
    history = (Clue((1, 2, 3, 4, 5, 6, 7, 8), score((1,) * 8, (1, 2, 3, 4, 5, 6, 7, 8))),)
    starts = np.full((3, 8), 9, np.uint8)
    first, second = (settle(board, history, starts, seed=4)[0] for _ in range(2))
    assert first.tolist() == second.tolist()
    assert starts.tolist() == [[9] * 8] * 3
