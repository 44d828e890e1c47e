"""The openly unfair maker: its answers, the end of its games, its records."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code, format_code
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.game import Ending
from keypeg.rules.keypegs import KeyPegs, score, solved
from keypeg.rules.notation import (
    FIRST_LINE,
    Record,
    RecordRefused,
    format_record,
    parse_record,
)
from keypeg.rules.terms import Terms
from keypeg.rules.unfair import (
    SEARCHED,
    UnfairGame,
    answer,
    as_events,
    fewest_rows,
)
from tests.rules.strategies import boards, codes

CLASSIC = PRESETS["classic"]
SMALL = boards(3, 4)


@st.composite
def plays(draw: st.DrawFn) -> tuple[Board, list[Code]]:
    board = draw(SMALL)
    return board, draw(st.lists(codes(board), max_size=8))


def played(board: Board, guesses: list[Code]) -> UnfairGame:
    """The game after these guesses, or as many of them as it takes."""
    game = UnfairGame.start(board)
    for guess in guesses:
        if not game.over:
            game = game.after(guess)
    return game


def twin_answer(board: Board, rows: list[tuple[Code, KeyPegs]], guess: Code) -> KeyPegs:
    """The answer by the words of the rule, from nothing but the rows so far."""
    every = product(board.symbols, repeat=board.holes)
    codes = every if board.repeats else permutations(board.symbols, board.holes)
    fitting = [code for code in codes if all(score(code, row) == keys for row, keys in rows)]
    sizes = Counter(score(code, guess) for code in fitting)
    most = [keys for keys, size in sizes.items() if size == max(sizes.values())]
    fewest_black = [keys for keys in most if keys.black == min(each.black for each in most)]
    return min(fewest_black, key=lambda keys: keys.white)


@given(plays())
def test_every_answer_is_that_of_a_maker_who_reads_the_rule_word_by_word(
    play: tuple[Board, list[Code]],
) -> None:
    board, guesses = play
    rows: list[tuple[Code, KeyPegs]] = []
    for guess, keys, left in played(board, guesses).rows:
        assert keys == twin_answer(board, rows, guess)
        rows.append((guess, keys))
        assert left >= 1


@given(plays())
def test_the_unfair_maker_never_lies(play: tuple[Board, list[Code]]) -> None:
    game = played(*play)
    assert game.left
    for code in game.left:
        assert all(score(code, row.guess) == row.keys for row in game.rows)
    assert [row.left for row in game.rows][-1:] in ([], [len(game.left)])


@given(plays())
def test_it_gives_in_only_when_nothing_else_is_left(play: tuple[Board, list[Code]]) -> None:
    game = played(*play)
    assert game.broken == (game.rows[-1:] != () and game.rows[-1].keys == solved(game.board))
    if game.broken:
        assert game.left == (game.code,) == (game.rows[-1].guess,)
    if game.over:
        with pytest.raises(AgainstTheRules, match="the game is over"):
            game.after(game.code)


def test_of_equal_answers_it_gives_the_one_with_the_fewest_black_and_then_white_key_pegs() -> None:
    # Each of the three is left by one code.
    assert answer((1, 2), [(1, 2), (2, 1), (1, 1)])[0] == KeyPegs(0, 2)
    assert answer((1, 2), [(1, 1), (3, 1)])[0] == KeyPegs(0, 1)
    # Two codes outweigh one, whatever their answer is.
    assert answer((1, 2), [(1, 1), (2, 2), (3, 3)]) == (KeyPegs(1, 0), ((1, 1), (2, 2)))


def test_the_first_row_of_the_classic_board_leaves_what_the_literature_says() -> None:
    # Knuth's first guess leaves at most 256 of the 1,296 codes, which the unfair maker takes.
    assert played(CLASSIC, [(1, 1, 2, 2)]).rows[0].left == 256


def test_a_board_with_too_many_codes_is_refused() -> None:
    UnfairGame.start(PRESETS["advanced-blanks"])
    with pytest.raises(AgainstTheRules, match="at most 60,000"):
        UnfairGame.start(Board(6, 7))
    with pytest.raises(AgainstTheRules, match="117,649 codes"):
        Record(Terms(Board(6, 7)), unfair=True)


def test_a_guess_that_is_no_code_of_the_board_is_refused() -> None:
    with pytest.raises(CannotRead):
        UnfairGame.start(CLASSIC).after((1, 2, 3))
    with pytest.raises(CannotRead):
        UnfairGame.start(CLASSIC).after((1, 2, 3, 7))


@pytest.mark.parametrize("name", SEARCHED)
def test_the_plays_of_the_table_end_the_game_and_are_as_long_as_they_claim(name: str) -> None:
    board = Board.parse(name)
    found = fewest_rows(board)
    assert found is not None
    game = played(board, list(found.play))
    assert game.broken
    assert len(game.rows) == len(found.play)
    assert 1 <= found.least <= len(found.play)
    assert found.proven == (found.least == len(found.play))


def test_the_fewest_rows_do_not_depend_on_the_rows_of_the_board() -> None:
    assert fewest_rows(Board(4, 6, 8)) == fewest_rows(CLASSIC)
    assert fewest_rows(Board(3, 5)) is None


def record_of(game: UnfairGame) -> str:
    return format_record(Record(Terms(game.board), tuple(as_events(game)), unfair=True))


@given(plays())
def test_a_game_reads_back_from_its_record_which_says_that_no_seal_was_made(
    play: tuple[Board, list[Code]],
) -> None:
    game = played(*play)
    text = record_of(game)
    record = parse_record(text)
    assert "maker: unfair" in text.splitlines()
    assert "secret hidden" in text.splitlines()
    assert record.unfair
    assert format_record(record) == text
    (replayed,) = record.replay().games
    assert replayed.seal is None
    assert replayed.answered == tuple((row.guess, row.keys) for row in game.rows)
    if game.over:
        assert replayed.opening is not None
        assert replayed.opening.code == game.code
        assert replayed.outcome is not None
        assert (replayed.outcome.ending is Ending.BROKEN) == game.broken


RECORD = f"{FIRST_LINE}\nboard: classic\nmaker: unfair\n\nsecret hidden\nguess 1122\n"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("answer 10", "line 7, column 1: the unfair maker does not answer 1 black, 0 white; "),
        ("answer 00\nguess 1122\nanswer 10", "line 9, column 1: the unfair maker does not"),
    ],
)
def test_an_answer_that_leaves_fewer_codes_is_refused_where_it_is(more: str, said: str) -> None:
    with pytest.raises(RecordRefused, match=f"^{re.escape(said)}"):
        parse_record(RECORD + more)


def test_a_record_of_the_unfair_maker_has_no_code_at_the_start_and_no_second_game() -> None:
    with pytest.raises(RecordRefused, match="no code and no seal: use 'secret hidden'"):
        parse_record(RECORD.replace("hidden", "1111"))
    with pytest.raises(RecordRefused, match="no code and no seal"):
        parse_record(RECORD.replace("hidden", f"hidden seal {'a' * 64}"))
    fewest = fewest_rows(CLASSIC)
    assert fewest is not None
    ended = record_of(played(CLASSIC, list(fewest.play)))
    with pytest.raises(RecordRefused, match="has one game"):
        parse_record(f"{ended}close\nsecret hidden\n")


def test_another_kind_of_maker_is_refused() -> None:
    with pytest.raises(RecordRefused, match="'kind' is not a kind of maker; use unfair"):
        parse_record(RECORD.replace("unfair", "kind"))
    assert not parse_record(RECORD.replace("maker: unfair\n", "")).unfair


def test_the_maker_names_the_first_code_that_fits_when_all_rows_are_used() -> None:
    board = Board(4, 6, 2)
    game = played(board, [(1, 1, 1, 1), (2, 2, 2, 2)])
    assert game.over
    assert not game.broken
    assert game.code == min(game.left)
    assert f"reveal {format_code(game.code, board)}" in record_of(game).splitlines()
