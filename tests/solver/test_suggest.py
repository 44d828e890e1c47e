import sys
from random import Random

import pytest

from harness import programs
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.errors import CannotRead
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.books.book import book_of
from keypeg.solver.history import Clue, History, parse_history
from keypeg.solver.levels import LEVELS
from keypeg.solver.position import Position
from keypeg.solver.suggest import Contradicted, next_guess, suggest
from keypeg.solver.valuation import Certainty, after

CLASSIC = PRESETS["classic"]


def play(board: Board, secret: Code, level: str, seed: int = 0) -> History:
    """A whole game against `secret`, at most 20 rows."""
    history: History = ()
    while len(history) < 20 and (not history or history[-1].guess != secret):
        guess = suggest(board, history, level, seed=seed + len(history)).guess
        history = (*history, Clue(guess, score(secret, guess)))
    return history


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("level", [level.name for level in LEVELS])
def test_every_level_breaks_a_code_on_every_official_board(name: str, level: str) -> None:
    board = PRESETS[name]
    secret = tuple((3 * hole + 2) % board.colours + 1 for hole in range(board.holes))
    assert play(board, secret, level)[-1].guess == secret


def secrets(board: Board) -> list[Code]:
    """All codes of the classic board, 25 of the others."""
    if board == CLASSIC:
        return reference.codes(board)
    chance = Random(board.codes)
    return [tuple(chance.choices(board.symbols, k=board.holes)) for _ in range(25)]


@pytest.mark.parametrize("name", PRESETS)
def test_the_perfect_player_follows_the_book_from_the_first_row_to_the_last(name: str) -> None:
    board = PRESETS[name]
    book = book_of(board)
    assert book is not None
    guesses: dict[History, Code] = {}
    for secret in secrets(board):
        history: History = ()
        while not history or history[-1].guess != secret:
            if history not in guesses:
                guesses[history] = suggest(board, history, "perfect").guess
            guess = guesses[history]
            assert guess == book.guess(history)
            history = (*history, Clue(guess, score(secret, guess)))
        assert len(history) <= book.claim.worst


def test_a_better_level_needs_fewer_guesses() -> None:
    secrets = [
        (a, b, c, 1 + (a + b + c) % 6) for a in (1, 3, 6) for b in (2, 4, 5) for c in (1, 2, 6)
    ]
    needed = {
        level: sum(len(play(CLASSIC, secret, level, seed=11)) for secret in secrets)
        for level in ("beginner", "careful", "perfect")
    }
    assert needed["perfect"] < needed["careful"] < needed["beginner"]


def test_the_first_guess_comes_from_the_book_without_compiling() -> None:
    program = (
        "import sys; from keypeg.solver.suggest import suggest; "
        "from keypeg.rules.board import PRESETS; "
        "[suggest(board) for board in PRESETS.values()]; "
        "print('numba' in sys.modules)"
    )
    done = programs.run([sys.executable, "-c", program], check=True)
    assert done.stdout == "False\n"


def test_a_guess_that_may_be_the_code_says_so_and_how_it_splits() -> None:
    found = suggest(CLASSIC)
    assert found.possible
    assert found.why == (
        "It may be the code, and splits the 1,296 codes left into 14 groups, the largest of 276."
    )
    assert (found.left.value, found.groups, found.largest.value) == (1_296, 14, 276)
    assert found.cost == pytest.approx(5_625 / 1_296)
    assert found.certainty is Certainty.PROVEN


def test_the_size_of_a_group_that_was_estimated_is_not_told_as_exact() -> None:
    found = suggest(Board.parse("16x20"), level="careful", seconds=0.1)
    assert found.left.exact
    assert "the largest of about" in found.why


def test_a_guess_that_cannot_be_the_code_says_why_it_is_played() -> None:
    found = suggest(CLASSIC, parse_history(["1111=20", "1122=20"], CLASSIC))
    assert not found.possible
    assert found.breaks == (1, 2)
    assert found.why == (
        "It cannot be the code, since it does not fit rows 1 and 2; "
        "it splits the 16 codes left into 6 groups, the largest of 5."
    )


def test_the_only_code_left_is_called_that() -> None:
    history = parse_history(
        ["1111=00", "2222=00", "3333=00", "4444=00", "5555=10", "5666=40"], CLASSIC
    )
    assert suggest(CLASSIC, history).why == "It is the only code left."


def test_rows_that_contradict_each_other_are_named() -> None:
    history = parse_history(["RRBB=10", "YYGG=10", "RRBB=20"], CLASSIC)
    with pytest.raises(Contradicted, match="rows 1 and 3 contradict each other") as refusal:
        suggest(CLASSIC, history)
    assert refusal.value.found.rows == (1, 3)


def test_a_row_that_is_impossible_alone_is_named() -> None:
    board = Board(4, 4, repeats=False)
    with pytest.raises(Contradicted, match="the answer to row 1 is impossible on this board"):
        suggest(board, parse_history(["1234=00"], board))


def test_chance_is_repeatable_under_a_seed() -> None:
    history = parse_history(["1122=11"], CLASSIC)
    guesses = [suggest(CLASSIC, history, "beginner", seed=seed).guess for seed in (1, 1, 2, 3, 4)]
    assert guesses[0] == guesses[1]
    assert len(set(guesses)) > 1


def test_a_level_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(CannotRead, match="beginner, casual, careful, strong, perfect"):
        suggest(CLASSIC, level="genius")


@pytest.mark.parametrize("text", ["8x12", "10x10", "12x20"])
def test_boards_too_large_to_list_are_answered(text: str) -> None:
    board = Board.parse(text)
    secret = tuple(hole % board.colours + 1 for hole in range(board.holes))
    guess = suggest(board).guess
    history = (Clue(guess, score(secret, guess)),)
    found = suggest(board, history)
    assert len(found.guess) == board.holes
    assert found.left.value > 1


@pytest.mark.parametrize("text", ["1x2", "10x2", "12x2", "2x20", "4x17n", "5x2", "4x4n", "16x2"])
def test_every_kind_of_board_is_answered_to_the_end(text: str) -> None:
    board = Board.parse(text)
    secret = tuple(
        board.symbols[(3 * hole + 1) % len(board.symbols)] for hole in range(board.holes)
    )
    if not board.repeats:
        secret = tuple(reversed(board.symbols))[: board.holes]
    assert play(board, secret, "perfect")[-1].guess == secret


@pytest.mark.parametrize(
    ("text", "total"), [("5x2", 97), ("4x3", 246), ("3x4", 206), ("4x5n", 462)]
)
def test_small_boards_are_played_perfectly_from_the_first_row(text: str, total: int) -> None:
    board = Board.parse(text)
    found = suggest(board, seconds=60)
    assert found.cost == pytest.approx(total / board.codes)
    assert found.certainty is Certainty.PROVEN


@pytest.mark.parametrize("level", [level.name for level in LEVELS])
@pytest.mark.parametrize("text", ["classic", "4x6b", "6x9", "5x4"])
def test_the_guess_alone_is_the_guess_that_is_suggested(text: str, level: str) -> None:
    board = Board.parse(text)
    secret = tuple(board.symbols[-1 - hole % 4] for hole in range(board.holes))
    history: History = ()
    while not history or history[-1].guess != secret:
        found = suggest(board, history, level, seconds=60, seed=3)
        guess = next_guess(board, history, level, seconds=60, seed=3)
        assert guess is not None
        assert guess == found.guess or cost(board, history, guess) == pytest.approx(found.cost)
        history = (*history, Clue(guess, score(secret, guess)))


def cost(board: Board, history: History, guess: Code) -> float:
    """What a guess costs: of two equally good ones the search takes whichever it finds first."""
    return after(Position(board, history, seconds=60), guess).cost


@pytest.mark.parametrize("level", [level.name for level in LEVELS])
@pytest.mark.parametrize("text", ["classic", "8x12"])
def test_there_is_no_guess_where_no_code_fits(text: str, level: str) -> None:
    board = Board.parse(text)
    every = tuple(Clue((symbol,) * board.holes, KeyPegs(0, 0)) for symbol in board.symbols)
    assert next_guess(board, every, level) is None
