import itertools

import pytest
from hypothesis import given

from keypeg.rules.board import PRESETS, Board, Edition
from keypeg.rules.errors import CannotRead
from tests.rules.strategies import boards


@pytest.mark.parametrize(
    ("name", "holes", "colours", "blanks", "rows", "codes"),
    [
        ("classic", 4, 6, False, 10, 1_296),
        ("classic-blanks", 4, 6, True, 10, 2_401),
        ("advanced", 5, 8, False, 12, 32_768),
        ("advanced-blanks", 5, 8, True, 12, 59_049),
    ],
)
def test_the_official_boards_have_the_books_numbers(
    name: str, holes: int, colours: int, blanks: bool, rows: int, codes: int
) -> None:
    board = PRESETS[name]
    assert (board.holes, board.colours, board.blanks, board.rows) == (holes, colours, blanks, rows)
    assert board.codes == codes
    assert board.repeats


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("4x6", Board(4, 6)),
        ("classic", Board(4, 6, 10)),
        (" Advanced-Blanks ", Board(5, 8, 12, blanks=True)),
        ("5x8b", PRESETS["advanced-blanks"]),
        ("4x10n", Board(4, 10, repeats=False)),
        ("4x6/8", Board(4, 6, 8)),
        ("5X9bn/6", Board(5, 9, 6, blanks=True, repeats=False)),
        ("5x9nb/6", Board(5, 9, 6, blanks=True, repeats=False)),
    ],
)
def test_a_board_is_read_from_its_text(text: str, board: Board) -> None:
    assert Board.parse(text) == board


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a valid board"),
        ("4x", "not a valid board"),
        ("4x6q", "not a valid board"),
        ("4x6/", "not a valid board"),
        ("٤x6", "not a valid board"),
        ("0x6", "1 to 16 holes"),
        ("4x1", "2 to 20 colours"),
        ("4x6/0", "1 to 99 rows"),
        ("4x6/100", "1 to 99 rows"),
        ("17x6", "1 to 16 holes"),
        ("999999999x999999999", "1 to 16 holes"),
        ("1000000000x1000000000", "not a valid board"),
        ("9" * 10_000 + "x6", "not a valid board"),
        ("3x2n", "2 cannot fill 3 holes"),
        ("4x2bn", "3 with the blank cannot fill 4 holes"),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(CannotRead, match=reason) as refusal:
        Board.parse(text)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("field", ["holes", "colours", "rows"])
@pytest.mark.parametrize(
    "value", [True, 4.0, "4", None, -1, 2**63, pytest.param(10**5000, id="absurd")]
)
def test_a_board_is_made_of_whole_numbers_only(field: str, value: object) -> None:
    numbers: dict[str, object] = {"holes": 4, "colours": 6, "rows": 10} | {field: value}
    with pytest.raises(CannotRead, match=field):
        Board(**numbers)  # type: ignore[arg-type]


def test_blanks_and_repeats_are_true_or_false() -> None:
    with pytest.raises(CannotRead, match="blanks"):
        Board(4, 6, blanks=1)  # type: ignore[arg-type]
    with pytest.raises(CannotRead, match="repeats"):
        Board(4, 6, repeats=1)  # type: ignore[arg-type]


@given(boards())
def test_every_board_reads_back_from_its_text(board: Board) -> None:
    assert Board.parse(str(board)) == board


@given(boards(most_holes=4, most_colours=5))
def test_codes_are_counted_as_if_enumerated(board: Board) -> None:
    every = itertools.product(board.symbols, repeat=board.holes)
    legal = [code for code in every if board.repeats or len(set(code)) == board.holes]
    assert board.codes == len(legal)


def test_the_dark_key_peg_is_red_in_the_advanced_edition() -> None:
    assert PRESETS["classic"].dark_key_peg == "black"
    assert PRESETS["advanced"].dark_key_peg == "red"
    assert Board(4, 6).dark_key_peg == "black"
    assert Board(4, 7).dark_key_peg == "red"
    assert PRESETS["advanced"].edition is Edition.ADVANCED
