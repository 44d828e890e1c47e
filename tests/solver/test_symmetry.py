from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.solver import reference
from keypeg.solver.codes.codespace import CodeSpace, codespace
from keypeg.solver.codes.symmetry import Symmetry, distinct, useful

from .boards import code_lists, small_boards

if TYPE_CHECKING:
    from keypeg.rules.code import Code


@pytest.mark.parametrize(
    ("board", "many"),
    [
        (Board(4, 6), 5),
        (Board(5, 8), 7),
        (Board(4, 6, blanks=True), 5),
        (Board(4, 10, repeats=False), 1),
    ],
)
def test_first_guesses_differ_only_in_how_often_colours_repeat(board: Board, many: int) -> None:
    assert len(Symmetry(codespace(board)).canonical) == many


def test_there_are_130_second_guesses_after_1123() -> None:
    space = codespace(Board(4, 6))
    assert len(Symmetry.of(space, (space.index((1, 1, 2, 3)),)).canonical) == 130


@settings(max_examples=25)
@given(st.data())
def test_the_smallest_guess_of_each_orbit_is_kept(data: st.DataObject) -> None:
    board = data.draw(small_boards().filter(lambda b: b.holes <= 3 and len(b.symbols) <= 5))
    history = data.draw(code_lists(board, 2))
    space = CodeSpace(board)
    smallest = {min(reference.orbit(board, history, code)) for code in reference.codes(board)}
    symmetry = Symmetry.of(space, tuple(space.indices(history).tolist()))
    assert [space.code(i) for i in symmetry.canonical] == sorted(smallest)


@settings(max_examples=50)
@given(small_boards(), st.data())
def test_a_guess_with_absent_colours_is_stood_for_by_a_useful_one(
    board: Board, data: st.DataObject
) -> None:
    space = CodeSpace(board)
    remaining = sorted(set(data.draw(code_lists(board, 6))))
    kept = {space.code(i) for i in useful(space, space.everything, space.indices(remaining))}
    for guess in reference.codes(board):
        stand_in = _smallest_absent(board, remaining, guess)
        assert stand_in in kept
        assert reference.same_partition(guess, stand_in, remaining)


def _smallest_absent(board: Board, remaining: list[Code], guess: Code) -> Code:
    """The guess with its absent colours replaced by the smallest that will do."""
    absent = [symbol for symbol in board.symbols if all(symbol not in code for code in remaining)]
    met: list[int] = []
    for peg in guess:
        if peg in absent and peg not in met:
            met.append(peg)
    if board.repeats:
        return tuple(absent[0] if peg in absent else peg for peg in guess)
    return tuple(absent[met.index(peg)] if peg in absent else peg for peg in guess)


@settings(max_examples=25)
@given(small_boards(), st.data())
def test_distinct_keeps_the_first_guess_of_each_partition(
    board: Board, data: st.DataObject
) -> None:
    space = CodeSpace(board)
    remaining = sorted(set(data.draw(code_lists(board, 6))))
    guesses = sorted(set(data.draw(code_lists(board, 12))))
    expected: list[Code] = []
    for guess in guesses:
        if not any(reference.same_partition(guess, other, remaining) for other in expected):
            expected.append(guess)
    kept = distinct(space, space.indices(guesses), space.indices(remaining))
    assert [space.code(i) for i in kept] == expected


def test_holes_of_a_very_long_row_are_not_permuted() -> None:
    space = CodeSpace(Board(10, 2))
    assert space.code(int(Symmetry(space).canonical[-1])) == (1, *(2,) * 9)
    assert np.array_equal(Symmetry(space).canonical, np.arange(512))
