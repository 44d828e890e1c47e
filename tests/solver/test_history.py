from __future__ import annotations

import pytest
from hypothesis import given

from keypeg.rules.board import Board
from keypeg.rules.code import Form
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.keypegs import KeyPegs
from keypeg.solver.history import (
    Clue,
    History,
    check_history,
    format_clue,
    parse_clue,
    parse_history,
)

from .histories import truthful

CLASSIC = Board.parse("classic")


@pytest.mark.parametrize("text", ["RRBG=21", "RD RD BU GN=2b1w", " 1 1 2 4 = 2 1 "])
def test_an_answered_row_is_read_in_any_form(text: str) -> None:
    assert parse_clue(text, CLASSIC) == Clue((1, 1, 2, 4), KeyPegs(2, 1))


def test_an_answered_row_is_written_as_it_is_read() -> None:
    answer = Clue((1, 1, 2, 4), KeyPegs(2, 1))
    assert format_clue(answer, CLASSIC) == "RD RD BU GN=2b1w"
    assert format_clue(answer, CLASSIC, Form.LETTERS) == "RRBG=2b1w"


@given(truthful())
def test_a_history_survives_writing_and_reading(known: tuple[Board, History]) -> None:
    board, history = known
    assert parse_history([format_clue(row, board) for row in history], board) == history


@pytest.mark.parametrize(
    ("rows", "error", "says"),
    [
        (["RRBG=21", "RRBG"], CannotRead, "row 2: 'RRBG' has no '='"),
        (["RRXG=21"], CannotRead, "row 1: peg 3"),
        (["RRBG=21", "RRBG=2x"], CannotRead, "row 2: '2x' is not a valid answer"),
        (["RRBG=31"], AgainstTheRules, "row 1: 3 black and 1 white cannot occur"),
    ],
)
def test_a_row_that_cannot_be_is_named(rows: list[str], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=f"^{says}"):
        parse_history(rows, CLASSIC)


def test_a_history_of_another_board_is_refused() -> None:
    with pytest.raises(CannotRead, match=r"^row 2: a code on this board has 4 pegs"):
        check_history((Clue((1, 1, 2, 2), KeyPegs(0, 0)), Clue((1,), KeyPegs(0, 0))), CLASSIC)
