import random
from typing import Any

import pytest

from keypeg.draw import draw_code
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.game import Game, Row
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.terms import Terms
from keypeg.solver.analysis import analysis
from keypeg.solver.books.book import book_of
from keypeg.solver.history import Clue
from keypeg.solver.position import Position
from keypeg.solver.progress import Cancelled
from keypeg.solver.valuation import Certainty

CLASSIC = PRESETS["classic"]


def game(board: Board, secret: Code, *guesses: Code) -> Game:
    rows = tuple(Row(guess, score(secret, guess)) for guess in guesses)
    return Game("test/1", Terms(board), rows)


@pytest.mark.parametrize("name", ["classic", "classic-blanks"])
def test_rows_played_are_the_cost_at_the_start_plus_losses_minus_luck(name: str) -> None:
    """The identity that ties loss and luck together, on random play where all is exact."""
    board = PRESETS[name]
    dice = random.Random(5)
    for _ in range(4):
        secret = draw_code(board, dice)
        guesses = [draw_code(board, dice) for _ in range(dice.randrange(2, 5))]
        review = analysis(game(board, secret, *guesses, secret), seconds=60)
        assert review.certainty is Certainty.PROVEN
        rows = len(guesses) + 1
        assert review.start + review.loss - review.luck == pytest.approx(rows)


def test_the_best_play_loses_nothing() -> None:
    book = book_of(CLASSIC)
    assert book is not None
    secret: Code = (6, 2, 4, 4)
    history: tuple[Clue, ...] = ()
    while not history or history[-1].guess != secret:
        guess = book.guess(history)
        assert guess is not None
        history = (*history, Clue(guess, score(secret, guess)))
    review = analysis(game(CLASSIC, secret, *(row.guess for row in history)), seconds=60)
    assert [row.loss for row in review.rows] == [0] * len(history)


def test_a_known_game_has_known_numbers() -> None:
    review = analysis(
        game(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4), (1, 5, 2, 4)), seconds=60
    )
    first, second, third = review.rows
    assert [(row.before.value, row.after.value) for row in review.rows] == [
        (1296, 114),
        (114, 28),
        (28, 1),
    ]
    assert first.cost == pytest.approx(5_702 / 1_296)
    assert first.loss == pytest.approx((5_702 - 5_625) / 1_296)
    assert first.best == (1, 1, 2, 3)
    assert first.possible
    assert second.breaks == (1,)
    assert third.bits == pytest.approx(4.807, abs=0.001)
    assert third.luck is not None
    assert third.luck > 1


def test_a_guess_made_twice_is_a_wasted_row() -> None:
    review = analysis(game(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (1, 1, 2, 2)), seconds=60)
    again = review.rows[1]
    assert again.loss == pytest.approx(1)
    assert again.bits == 0


def test_other_boards_are_estimated_and_say_so() -> None:
    board = PRESETS["advanced"]
    review = analysis(game(board, (1, 2, 3, 4, 5), (1, 1, 2, 2, 3), (4, 4, 5, 5, 6)))
    assert review.rows[0].certainty is Certainty.ESTIMATE
    assert review.certainty is Certainty.ESTIMATE
    assert all(row.loss >= 0 for row in review.rows)


def test_rows_without_pegs_are_passed_over_and_keep_their_numbers() -> None:
    secret: Code = (1, 5, 2, 4)
    rows = (
        Row(None, expired=True),
        Row((1, 1, 2, 2), score(secret, (1, 1, 2, 2))),
        Row((1, 1, 1, 1)),
    )
    review = analysis(Game("test/1", Terms(CLASSIC, turn_seconds=60), rows), seconds=60)
    assert [row.row for row in review.rows] == [2]
    assert review.unplayed == (1, 3)


def test_after_a_wrong_answer_the_review_ends_where_no_code_fits() -> None:
    rows = (
        Row((1, 1, 2, 2), KeyPegs(1, 0)),
        Row((1, 1, 2, 2), KeyPegs(2, 0)),
        Row((1, 1, 3, 3), KeyPegs(0, 0)),
    )
    review = analysis(Game("test/1", Terms(CLASSIC), rows), seconds=60)
    assert [row.row for row in review.rows] == [1, 2]
    assert (review.rows[1].after.value, review.rows[1].luck) == (0, None)
    assert (review.unplayed, review.complete) == ((3,), True)


def test_a_review_tells_how_far_it_is_and_may_be_called_off() -> None:
    told: list[tuple[int, int]] = []
    played = game(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4))
    analysis(played, seconds=60, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
    with pytest.raises(Cancelled):
        analysis(played, cancelled=lambda: True)


@pytest.mark.parametrize("text", ["classic", "16x2", "8x12"])
def test_a_review_that_has_no_time_leaves_rows_out(text: str) -> None:
    played = long_game(Board.parse(text))
    found = analysis(played, within=0)
    assert (found.rows, found.unplayed) == ((), tuple(range(1, 31)))
    assert not found.complete


def test_searches_share_the_time_of_a_review(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def position(*arguments: Any, seconds: float, **named: Any) -> Position:
        given.append(seconds)
        return Position(*arguments, seconds=seconds, **named)

    monkeypatch.setattr("keypeg.solver.analysis.Position", position)
    played = long_game(Board.parse("16x2"))
    assert len(analysis(played, seconds=0.5, within=600).rows) == len(given) == 30
    assert given == [0.5] * 30
    given.clear()
    analysis(played, seconds=0.5, within=6)
    # Two searches a row, and there is as much time again for the rest.
    assert 0 < 2 * sum(given[:10]) < 3


def long_game(board: Board) -> Game:
    rng = random.Random(5)
    secret, *guesses = (draw_code(board, rng) for _ in range(31))
    return Game("long", Terms(board), tuple(Row(code, score(secret, code)) for code in guesses))
