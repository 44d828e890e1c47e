from __future__ import annotations

import random
import tracemalloc

import pytest

from keypeg.rules.board import Board
from keypeg.rules.keypegs import KeyPegs, score, solved
from keypeg.solver.fitting.consistent import Count, count
from keypeg.solver.history import Clue, History
from keypeg.solver.playing import sampling
from keypeg.solver.playing.sampling import Basis, play
from keypeg.solver.progress import Cancelled


def game(board: Board, seed: int, rows: int = 99) -> History:
    """Up to so many rows of a game the player plays against a random secret."""
    rng = random.Random(seed)
    pegs = list(board.symbols)
    draw = rng.choices if board.repeats else rng.sample
    secret = tuple(draw(pegs, k=board.holes))
    history: History = ()
    while len(history) < rows and (not history or history[-1].keys != solved(board)):
        guess = play(board, history, seed=seed, seconds=60).guess
        history += (Clue(guess, score(secret, guess)),)
    return history


@pytest.mark.parametrize(
    ("form", "games", "within"),
    [("6x9", 20, 6.6), ("8x10", 10, 8.4), ("8x12", 4, 9.2), ("9x12n", 4, 8.6)],
)
def test_games_are_won_within_the_stated_average(form: str, games: int, within: float) -> None:
    board = Board.parse(form)
    lengths = [len(game(board, seed)) for seed in range(games)]
    assert sum(lengths) / games <= within


@pytest.mark.parametrize("form", ["12x20", "16x20b", "16x20bn"])
def test_the_largest_boards_get_an_answer(form: str) -> None:
    board = Board.parse(form)
    history = game(board, seed=1, rows=3)
    move = play(board, history, seed=1)
    assert len(move.guess) == board.holes
    assert move.possible == all(clue.fits(move.guess) for clue in history)
    assert move.left.value > 0


def test_a_guess_on_a_big_board_takes_little_memory() -> None:
    board = Board.parse("8x12")
    history = game(board, seed=2, rows=6)
    for rows in range(len(history) + 1):
        tracemalloc.start()
        play(board, history[:rows])
        assert tracemalloc.get_traced_memory()[1] < 100e6
        tracemalloc.stop()


def test_a_move_repeats_under_a_seed() -> None:
    board = Board.parse("8x12")
    history = game(board, seed=3, rows=2)
    assert play(board, history, seed=5, seconds=60) == play(board, history, seed=5, seconds=60)


def test_a_move_says_what_it_was_judged_on() -> None:
    board = Board.parse("6x9")
    history = game(board, seed=4)
    assert play(board, history[:1]).basis is Basis.DRAWN
    late = play(board, history[:4])
    assert late.basis is Basis.ALL
    assert late.left == count(board, history[:4]) == Count(late.judged, exact=True)
    assert 1 <= late.groups <= late.judged


def test_a_guess_that_cannot_be_the_code_says_which_rows_it_breaks() -> None:
    board = Board.parse("6x9")
    for seed in range(20):
        for rows in range(1, 5):
            history = game(board, seed, rows)
            move = play(board, history, seed=seed)
            broken = [not clue.fits(move.guess) for clue in history]
            assert move.breaks == tuple(row for row, is_broken in enumerate(broken, 1) if is_broken)
            assert move.possible == (not move.breaks)
            if not move.possible:
                return
    pytest.fail("every guess might have been the code")


def test_the_last_code_left_is_played() -> None:
    board = Board.parse("8x12")
    secret = (1, 2, 3, 4, 5, 6, 7, 8)
    move = play(board, (Clue(secret, KeyPegs(8, 0)),))
    assert (move.guess, move.left) == (secret, Count(1, exact=True))


def test_where_nothing_fits_the_nearest_code_is_played() -> None:
    board = Board.parse("8x12")
    history = (
        Clue((1,) * 8, KeyPegs(8, 0)),
        Clue((2,) * 8, KeyPegs(1, 0)),
        Clue((3,) * 8, KeyPegs(1, 0)),
    )
    move = play(board, history)
    assert (move.basis, move.breaks) == (Basis.NEAREST, (1,))
    assert move.left == Count(0, exact=True)


def test_where_a_narrow_look_sees_nothing_a_search_finds_codes_that_fit() -> None:
    board = Board.parse("12x20")
    rng = random.Random(8)
    secret, *guesses = (tuple(rng.choices(board.symbols, k=12)) for _ in range(13))
    history = tuple(Clue(guess, score(secret, guess)) for guess in guesses)
    move = play(board, history, width=16, seconds=60)
    assert move.basis is Basis.FOUND
    assert not move.left.exact
    assert move.possible == all(clue.fits(move.guess) for clue in history)


def test_without_time_there_is_still_a_guess() -> None:
    board = Board.parse("12x20")
    history = game(board, seed=6, rows=2)
    assert len(play(board, history, seconds=0).guess) == 12


def test_a_board_without_repeats_gets_guesses_without_repeats() -> None:
    board = Board.parse("9x12n")
    assert all(len(set(clue.guess)) == 9 for clue in game(board, seed=7))


def test_one_first_guess_of_each_kind_is_judged() -> None:
    classic = sampling._first_guesses(Board.parse("4x6")).tolist()
    assert classic == [[1, 1, 1, 1], [1, 1, 1, 2], [1, 1, 2, 2], [1, 1, 2, 3], [1, 2, 3, 4]]
    assert sampling._first_guesses(Board.parse("3x2b")).tolist() == [
        [1, 1, 1],
        [1, 1, 2],
        [1, 2, 0],
    ]
    assert sampling._first_guesses(Board.parse("4x6n")).tolist() == [[1, 2, 3, 4]]


def test_thinking_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        play(Board.parse("8x12"), (), cancelled=lambda: True)
