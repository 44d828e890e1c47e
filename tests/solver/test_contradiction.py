from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings

from keypeg.rules.board import Board
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.fitting.consistent import Count
from keypeg.solver.fitting.contradiction import (
    Contradiction,
    RowRepair,
    Undecided,
    contradiction,
    repairs,
)
from keypeg.solver.history import Clue, History
from keypeg.solver.progress import Cancelled

from .histories import doubtful


def fewest(board: Board, history: History) -> tuple[int, ...] | None:
    """By trying every set of rows, small ones first and each size in order."""
    for size in range(len(history) + 1):
        for rows in combinations(range(len(history)), size):
            if not reference.consistent(board, [history[row] for row in rows]):
                return tuple(row + 1 for row in rows)
    return None


def mended(board: Board, history: History) -> dict[tuple[int, KeyPegs], int]:
    """By trying every answer to every row."""
    found = {}
    for row, answer in enumerate(history):
        for keys in reference.answers(board):
            changed = (*history[:row], answer._replace(keys=keys), *history[row + 1 :])
            if left := len(reference.consistent(board, changed)):
                found[row + 1, keys] = left
    return found


def slipped(board: Board, rows: int, slips: int, seed: int) -> History:
    """Random guesses answered truly, but for some rows answered at random."""
    rng = random.Random(seed)
    secret, *guesses = (tuple(rng.choices(board.symbols, k=board.holes)) for _ in range(rows + 1))
    wrong = rng.sample(range(rows), slips)
    possible = reference.answers(board)
    return tuple(
        Clue(guess, rng.choice(possible) if row in wrong else score(secret, guess))
        for row, guess in enumerate(guesses)
    )


@settings(max_examples=150)
@given(doubtful())
def test_the_rows_are_the_fewest_that_contradict(known: tuple[Board, History]) -> None:
    board, history = known
    expected = fewest(board, history)
    assert contradiction(board, history) == (expected and Contradiction(expected, smallest=True))


@settings(max_examples=50)
@given(doubtful())
def test_the_repairs_are_all_single_answers_that_mend(known: tuple[Board, History]) -> None:
    board, history = known
    expected = mended(board, history) if fewest(board, history) else {}
    found = mend(board, history)
    assert {(fix.row, fix.keys): fix.codes.value for fix in found} == expected
    assert all(fix.codes.exact for fix in found)
    order = [(fix.row, -fix.codes.value, fix.keys) for fix in found]
    assert order == sorted(order)


def mend(board: Board, history: History) -> tuple[RowRepair, ...]:
    found = contradiction(board, history)
    return repairs(board, history, found) if found else ()


def test_one_row_can_contradict_itself() -> None:
    board = Board.parse("4x5n")
    history = (Clue((1, 2, 3, 4), KeyPegs(0, 0)),)
    assert contradiction(board, history) == Contradiction((1,), smallest=True)
    assert RowRepair(1, KeyPegs(0, 4), Count(9, exact=True)) in mend(board, history)


def test_a_wrong_row_is_mended_by_its_true_answer() -> None:
    board = Board.parse("classic")
    secret = (1, 2, 3, 4)
    guesses = [(1, 1, 2, 2), (1, 3, 4, 2), (1, 2, 3, 4), (5, 6, 5, 6)]
    truth = tuple(Clue(guess, score(secret, guess)) for guess in guesses)
    wrong = (truth[0]._replace(keys=KeyPegs(0, 0)), *truth[1:])
    assert contradiction(board, truth) is None
    assert contradiction(board, wrong) == Contradiction((1, 2), smallest=True)
    assert mend(board, wrong)[0] == RowRepair(1, KeyPegs(1, 1), Count(1, exact=True))


@pytest.mark.parametrize("slips", [1, 2, 4, 12])
def test_twelve_rows_of_the_largest_official_board_are_decided(slips: int) -> None:
    board = Board.parse("advanced-blanks")
    for seed in range(5):
        found = contradiction(board, slipped(board, 12, slips, seed))
        assert found is None or found.smallest


@pytest.mark.parametrize("form", ["8x12", "10x10"])
def test_big_boards_are_decided_too(form: str) -> None:
    board = Board.parse(form)
    history = slipped(board, 10, 1, seed=3)
    found = contradiction(board, history)
    assert found is not None
    assert found.smallest
    fixes = mend(board, history)
    assert {fix.row for fix in fixes} <= set(found.rows)
    assert fixes


def test_what_a_narrow_diagram_cannot_decide_is_not_claimed() -> None:
    board = Board.parse("8x12")
    history = slipped(board, 10, 1, seed=3)
    with pytest.raises(Undecided, match="10 rows"):
        contradiction(board, history, width=2)


def test_without_time_nothing_is_claimed() -> None:
    board = Board.parse("8x12")
    with pytest.raises(Undecided, match="not decided in 0 s"):
        contradiction(board, slipped(board, 10, 1, seed=3), seconds=0)


def test_the_search_stops_when_asked() -> None:
    board = Board.parse("8x12")
    with pytest.raises(Cancelled):
        contradiction(board, slipped(board, 10, 1, seed=3), cancelled=lambda: True)
