"""The rule books' worked examples by name, and the laws that key pegs obey."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError
from keypeg.rules.keypegs import (
    KeyPegs,
    check_key_pegs,
    describe_key_pegs,
    format_key_pegs,
    parse_key_pegs,
    score,
)
from tests.rules.strategies import boards, codes, key_pegs

CLASSIC = PRESETS["classic"]
ADVANCED = PRESETS["advanced"]


def classic(secret: str, guess: str) -> KeyPegs:
    return score(parse_code(secret, CLASSIC), parse_code(guess, CLASSIC))


def advanced(secret: str, guess: str) -> KeyPegs:
    return score(parse_code(secret, ADVANCED), parse_code(guess, ADVANCED))


def test_classic_example_a_one_in_place_and_one_elsewhere() -> None:
    assert classic("RD WH BU GN", "WH YW BU BK") == KeyPegs(black=1, white=1)


def test_classic_example_b_a_repeated_peg_is_answered_once_and_black_goes_first() -> None:
    assert classic("RD BU GN BK", "WH YW GN GN") == KeyPegs(black=1, white=0)


def test_classic_example_c_just_one_white_for_a_colour_the_secret_has_twice() -> None:
    assert classic("YW BU YW BK", "RD YW GN WH") == KeyPegs(black=0, white=1)


def test_classic_example_d_two_key_pegs_for_two_reds() -> None:
    assert classic("RD BU RD YW", "GN RD RD WH") == KeyPegs(black=1, white=1)


def test_advanced_example_a_one_in_place_and_one_elsewhere() -> None:
    assert advanced("MA OR BU GN BK", "OR YW BU PU WH") == KeyPegs(black=1, white=1)


def test_advanced_example_b_a_repeated_peg_is_answered_once_and_red_goes_first() -> None:
    assert advanced("MA BU GN PU BU", "OR YW GN GN WH") == KeyPegs(black=1, white=0)


def test_advanced_example_c_just_one_white_for_a_colour_the_secret_has_twice() -> None:
    assert advanced("YW BU YW PU PU", "MA YW GN OR BK") == KeyPegs(black=0, white=1)


def test_the_third_white_of_a_guess_gets_nothing_when_the_secret_has_two() -> None:
    assert classic("WH WH BK BK", "WH WH WH BK") == KeyPegs(black=3, white=0)


def test_the_third_red_of_a_guess_gets_nothing_when_the_secret_has_two() -> None:
    assert classic("RD RD BU BU", "RD RD RD BU") == KeyPegs(black=3, white=0)


def test_a_blank_counts_as_a_colour() -> None:
    board = PRESETS["classic-blanks"]
    assert score(parse_code("R--G", board), parse_code("-R-K", board)) == KeyPegs(1, 2)


def test_codes_of_different_lengths_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        score((1, 2, 3), (1, 2))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Board, tuple[int, ...], tuple[int, ...]]:
    board = draw(boards())
    return board, draw(codes(board)), draw(codes(board))


@given(pairs())
def test_it_does_not_matter_which_of_two_codes_is_the_secret(
    drawn: tuple[Board, tuple[int, ...], tuple[int, ...]],
) -> None:
    _, a, b = drawn
    assert score(a, b) == score(b, a)


@given(pairs())
def test_black_counts_equal_holes_and_both_count_common_colours(
    drawn: tuple[Board, tuple[int, ...], tuple[int, ...]],
) -> None:
    _, a, b = drawn
    black, white = score(a, b)
    assert black == sum(x == y for x, y in zip(a, b, strict=True))
    mine, theirs = Counter(a), Counter(b)
    assert black + white == sum(min(mine[colour], theirs[colour]) for colour in mine)


@given(pairs(), st.randoms(use_true_random=False))
def test_permuting_the_holes_or_colours_of_both_changes_nothing(
    drawn: tuple[Board, tuple[int, ...], tuple[int, ...]], rng: random.Random
) -> None:
    board, a, b = drawn
    holes = rng.sample(range(board.holes), board.holes)
    assert score(tuple(a[i] for i in holes), tuple(b[i] for i in holes)) == score(a, b)
    shuffled = rng.sample(board.symbols, len(board.symbols))
    recoloured = dict(zip(board.symbols, shuffled, strict=True))
    assert score(tuple(recoloured[x] for x in a), tuple(recoloured[x] for x in b)) == score(a, b)


@given(pairs())
def test_all_but_one_black_and_one_white_never_occurs(
    drawn: tuple[Board, tuple[int, ...], tuple[int, ...]],
) -> None:
    board, a, b = drawn
    assert score(a, b) != (board.holes - 1, 1)
    check_key_pegs(score(a, b), board)


@pytest.mark.parametrize(
    "text", ["21", "2 1", "2b1w", "2B1W", "2,1", " 2b 1w ", "2 black, 1 white"]
)
def test_key_pegs_are_read_in_any_form(text: str) -> None:
    assert parse_key_pegs(text, CLASSIC) == KeyPegs(2, 1)


@pytest.mark.parametrize("text", ["21", "2 1", "2r1w", "2b1w", "2R1W", "2 red 1 white"])
def test_the_advanced_edition_reads_red_for_black(text: str) -> None:
    assert parse_key_pegs(text, ADVANCED) == KeyPegs(2, 1)


def test_one_kind_of_key_peg_may_be_left_out_when_named() -> None:
    assert parse_key_pegs("2b", CLASSIC) == KeyPegs(2, 0)
    assert parse_key_pegs("1w", CLASSIC) == KeyPegs(0, 1)


@pytest.mark.parametrize(
    "text", ["", ",", " ,,, ", "2", "2 1 1", "b", "x", "2w1b", "-1 2", "²1", "2b1w" * 20]
)
def test_key_pegs_that_cannot_be_read_say_what_would_be(text: str) -> None:
    with pytest.raises(CannotRead, match="21, 2 1 or 2b1w"):
        parse_key_pegs(text, CLASSIC)


@pytest.mark.parametrize("keys", [(1, 1), None, KeyPegs(black=True, white=0), KeyPegs(-1, 0)])
def test_only_counts_of_key_pegs_are_an_answer(keys: KeyPegs) -> None:
    with pytest.raises(CannotRead, match="a whole number"):
        check_key_pegs(keys, CLASSIC)


def test_absurd_numbers_of_key_pegs_are_refused() -> None:
    with pytest.raises(AgainstTheRules, match="at most 4"):
        check_key_pegs(KeyPegs(10**5000, 0), CLASSIC)


def test_red_key_pegs_are_refused_on_a_board_that_has_none() -> None:
    for text in ("2r1w", "2 red 1 white"):
        with pytest.raises(CannotRead, match="black and white, not red"):
            parse_key_pegs(text, CLASSIC)


def test_on_one_hole_a_white_key_peg_cannot_occur() -> None:
    with pytest.raises(AgainstTheRules, match="cannot occur"):
        check_key_pegs(KeyPegs(0, 1), Board(1, 6))


@pytest.mark.parametrize(
    ("text", "reason"), [("31", "cannot occur"), ("32", "at most 4"), ("50", "at most 4")]
)
def test_impossible_key_pegs_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(AgainstTheRules, match=reason):
        parse_key_pegs(text, CLASSIC)


@given(st.data(), boards())
def test_key_pegs_read_back_from_their_text(data: st.DataObject, board: Board) -> None:
    keys = data.draw(key_pegs(board))
    assert parse_key_pegs(format_key_pegs(keys, board), board) == keys
    assert parse_key_pegs(describe_key_pegs(keys, board), board) == keys
    assert parse_key_pegs(f"{keys.black} {keys.white}", board) == keys


@given(st.text(max_size=50), boards())
def test_any_other_text_is_refused_and_nothing_worse(text: str, board: Board) -> None:
    try:
        check_key_pegs(parse_key_pegs(text, board), board)
    except KeypegError as error:
        assert "\n" not in str(error)
