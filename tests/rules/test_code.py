import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Form, check_code, describe_code, format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError
from tests.rules.strategies import boards, codes

CLASSIC = PRESETS["classic"]
BLANKS = PRESETS["classic-blanks"]
ADVANCED = PRESETS["advanced"]


@pytest.mark.parametrize(
    "text",
    [
        "RD WH BU GN",
        "rd wh bu gn",
        "RDWHBUGN",
        "rD,Wh, bU gN",
        "RWBG",
        "r w b g",
        "rw bg",
        "1524",
        "1,5,2,4",
        "red white blue green",
        "R 5 BU 4",
        "  RWBG  ",
    ],
)
def test_a_code_is_read_in_any_form(text: str) -> None:
    assert parse_code(text, CLASSIC) == (1, 5, 2, 4)


@pytest.mark.parametrize("text", ["R-B-", "RD - BU -", "RD-BU-", "1020", "red blank blue -"])
def test_a_blank_is_a_dash_or_a_nought(text: str) -> None:
    assert parse_code(text, BLANKS) == (1, 0, 2, 0)


def test_four_blanks_are_a_code_where_blanks_are_played() -> None:
    assert parse_code("----", BLANKS) == parse_code("0000", BLANKS) == (0, 0, 0, 0)


def test_boards_of_more_than_nine_colours_go_on_with_letters() -> None:
    assert parse_code("9ABC", Board(4, 12)) == (9, 10, 11, 12)
    assert parse_code("RD AM BN CY", Board(4, 12)) == (9, 10, 11, 12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("RXBG", r"peg 2 \(column 2\): 'X' is not a peg of this board; use RD BU YW GN WH BK"),
        ("RD XX BU GN", r"peg 2 \(column 4\): 'XX'"),
        ("RD WH BU OR", r"peg 4 \(column 10\): 'OR'"),
        ("1527", r"peg 4 \(column 4\): '7'.* 1 to 6"),
        ("RWB", "has 4 pegs; 'RWB' has 3"),
        ("RWBGK", "has 4 pegs; 'RWBGK' has 5"),
        ("RD WH BU", "'RD WH BU' has 3"),
        ("RDWHBU", "'RDWHBU' has 3"),
        ("", "'' has 0"),
        ("R\x00BG", "'\ufffd'"),
        ("R" * 401, "at most 400 characters"),
    ],
)
def test_a_code_that_cannot_be_read_says_what_and_where(text: str, reason: str) -> None:
    with pytest.raises(CannotRead, match=reason):
        parse_code(text, CLASSIC)


def test_too_few_words_are_not_taken_for_letters() -> None:
    with pytest.raises(CannotRead, match="'RD BU' has 2"):
        parse_code("RD BU", Board(4, 20))
    with pytest.raises(CannotRead, match="'red blue' has 2"):
        parse_code("red blue", Board(7, 20))
    with pytest.raises(CannotRead):
        parse_code("R DB U", Board(2, 6))


def test_letters_that_only_look_like_letters_are_refused() -> None:
    with pytest.raises(CannotRead, match="peg 4"):
        parse_code("RRR\u212a", CLASSIC)


def test_a_blank_is_against_the_rules_where_blanks_are_off() -> None:
    with pytest.raises(AgainstTheRules, match="hole 3 is empty, and blanks are off"):
        parse_code("RW-G", CLASSIC)


def test_a_repeat_is_against_the_rules_where_repeats_are_off() -> None:
    with pytest.raises(AgainstTheRules, match="red is in holes 1 and 3, and repeats are off"):
        parse_code("RBRG", Board(4, 6, repeats=False))
    with pytest.raises(AgainstTheRules, match="the blank is in holes 1 and 2"):
        parse_code("--RG", Board(4, 6, blanks=True, repeats=False))


@pytest.mark.parametrize(
    "code", [(1, 2, 3), (1, 2, 3, 7), (1, 2, 3, -1), (1, 2, 3, True), (1, 2, 3, 4.0)]
)
def test_only_a_tuple_of_the_boards_pegs_is_a_code(code: tuple[int, ...]) -> None:
    with pytest.raises(CannotRead):
        check_code(code, CLASSIC)


def test_pegs_are_numbered_from_the_blank_where_there_is_one() -> None:
    with pytest.raises(CannotRead, match="hole 4: pegs on this board are numbered 1 to 6"):
        check_code((1, 2, 3, 7), CLASSIC)
    with pytest.raises(CannotRead, match="numbered 0 to 6"):
        check_code((1, 2, 3, 7), Board(4, 6, blanks=True))


@given(st.data(), boards(), st.sampled_from(Form))
def test_every_code_reads_back_in_every_form(data: st.DataObject, board: Board, form: Form) -> None:
    code = data.draw(codes(board))
    text = format_code(code, board, form)
    assert parse_code(text, board) == code
    assert parse_code(text.swapcase(), board) == code
    assert parse_code(text.replace(" ", ""), board) == code
    assert parse_code(describe_code(code, board), board) == code


@given(st.text(max_size=60), boards())
def test_any_other_text_is_refused_and_nothing_worse(text: str, board: Board) -> None:
    try:
        check_code(parse_code(text, board), board)
    except KeypegError as error:
        assert "\n" not in str(error)
