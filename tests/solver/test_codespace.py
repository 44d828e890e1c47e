from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given

from harness import programs
from keypeg.rules.board import Board
from keypeg.solver import reference
from keypeg.solver.codes.codespace import Answers, CodeSpace, TooManyCodes, codespace

from .boards import small_boards


@given(small_boards())
def test_all_codes_are_listed_in_lexicographic_order(board: Board) -> None:
    space = CodeSpace(board)
    assert [space.code(i) for i in range(len(space))] == reference.codes(board)


@given(small_boards())
def test_a_code_is_found_again_at_its_place(board: Board) -> None:
    space = CodeSpace(board)
    assert space.indices(reference.codes(board)).tolist() == list(range(len(space)))


@given(small_boards())
def test_the_colours_of_a_code_are_its_symbols_as_bits(board: Board) -> None:
    space = CodeSpace(board)
    for code, bits in zip(reference.codes(board), space.colours, strict=True):
        assert {board.symbols[i] for i in range(20) if bits >> i & 1} == set(code)


@pytest.mark.parametrize("holes", range(1, 17))
def test_answers_are_numbered_without_gaps_and_the_last_one_ends_the_game(holes: int) -> None:
    answers = Answers(holes)
    assert list(answers.key_pegs) == reference.answers(Board(holes, 16))
    assert [answers.number(keys) for keys in answers.key_pegs] == list(range(answers.many))
    assert answers.key_pegs[answers.solved] == (holes, 0)


def test_more_codes_than_a_length_can_say_are_refused_in_words() -> None:
    with pytest.raises(TooManyCodes, match="16x20 has 655,360,000,000,000,000,000 codes"):
        len(CodeSpace(Board(16, 20)))


def test_boards_that_differ_only_in_rows_share_a_code_space() -> None:
    assert codespace(Board(4, 6, 8)) is codespace(Board(4, 6, 12))


def test_a_board_with_too_many_codes_is_refused_by_name() -> None:
    with pytest.raises(TooManyCodes, match="8x12 has 429,981,696 codes"):
        _ = CodeSpace(Board(8, 12)).pegs


def test_shared_arrays_cannot_be_written() -> None:
    space = codespace(Board(3, 4))
    for array in (space.pegs, space.words, space.colours, space.everything):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_large_board_takes_several_words() -> None:
    assert CodeSpace(Board(8, 12)).words_each == 2
    assert CodeSpace(Board(12, 20)).encode(np.zeros((3, 12), np.uint8)).shape == (8, 3)


def test_numba_waits_until_something_is_computed() -> None:
    program = "import sys, keypeg.solver.codes.codespace; print('numba' in sys.modules)"
    run = programs.run([sys.executable, "-c", program], check=True)
    assert run.stdout == "False\n"
