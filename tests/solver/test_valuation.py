import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.choice import best_guess
from keypeg.solver.history import Clue, History
from keypeg.solver.position import Position
from keypeg.solver.valuation import Certainty, after, judged_after

CLASSIC = PRESETS["classic"]


def history(board: Board, secret: tuple[int, ...], *guesses: tuple[int, ...]) -> History:
    return tuple(Clue(guess, score(secret, guess)) for guess in guesses)


def test_the_best_guess_costs_what_its_aftermath_says() -> None:
    for rows in (
        (),
        history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2)),
        history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4)),
    ):
        position = Position(CLASSIC, rows, seconds=20)
        best = best_guess(position)
        aftermath = after(position, best.guess)
        assert best.cost.certainty is aftermath.certainty is Certainty.PROVEN
        assert aftermath.cost == pytest.approx(best.cost.guesses)
        assert aftermath.codes == position.left.value


def test_no_guess_costs_less_than_the_best() -> None:
    rows = history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4))
    position = Position(CLASSIC, rows, seconds=20)
    costs = [after(position, code).cost for code in reference.codes(CLASSIC)[::7]]
    assert min(costs) >= best_guess(position).cost.guesses - 1e-9


def test_large_boards_are_judged_and_say_so() -> None:
    board = Board(8, 12)
    rows = history(board, (1, 2, 3, 4, 5, 6, 7, 8), (1, 1, 2, 2, 3, 3, 4, 4))
    position = Position(board, rows)
    best = best_guess(position)
    assert best.cost.certainty is Certainty.ESTIMATE
    assert after(position, best.guess).certainty is Certainty.ESTIMATE
    assert 2 < best.cost.guesses < 12


def test_the_answer_that_ends_the_game_costs_no_more() -> None:
    position = Position(CLASSIC)
    for aftermath in (after(position, (1, 1, 2, 3)), judged_after(position, (1, 1, 2, 3))):
        assert aftermath.remainders[KeyPegs(4, 0)].cost == 0
