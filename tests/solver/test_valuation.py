import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.history import Answer, History
from keypeg.solver.progress import Cancelled
from keypeg.solver.valuation import Certainty, Valuation, cost_at_start
from tests.rules.strategies import boards, codes

CLASSIC = PRESETS["classic"]


def history(board: Board, secret: tuple[int, ...], *guesses: tuple[int, ...]) -> History:
    return tuple(Answer(guess, score(secret, guess)) for guess in guesses)


@given(st.data(), boards(most_holes=4, most_colours=4))
@settings(max_examples=40)
def test_what_is_left_and_how_it_splits_agree_with_the_reference(
    data: st.DataObject, board: Board
) -> None:
    secret, *guesses, last = data.draw(st.lists(codes(board), min_size=2, max_size=4))
    rows = history(board, secret, *guesses)
    valuation = Valuation(board, rows)
    fitting = reference.consistent(board, rows)
    assert valuation.left.value == len(fitting)
    split = reference.partition(last, fitting)
    assert {keys: n.value for keys, n in valuation.split(last).items()} == {
        keys: len(cell) for keys, cell in split.items()
    }


def test_the_best_guess_costs_what_its_aftermath_says() -> None:
    for rows in (
        (),
        history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2)),
        history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4)),
    ):
        valuation = Valuation(CLASSIC, rows, seconds=20)
        best = valuation.best()
        after = valuation.after(best.guess)
        assert best.certainty is after.certainty is Certainty.PROVEN
        assert after.cost == pytest.approx(best.cost)
        assert after.codes == valuation.left.value


def test_no_guess_costs_less_than_the_best() -> None:
    valuation = Valuation(
        CLASSIC, history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4)), seconds=20
    )
    best = valuation.best()
    costs = [valuation.after(code).cost for code in reference.codes(CLASSIC)[::7]]
    assert min(costs) >= best.cost - 1e-9


def test_large_boards_are_judged_and_say_so() -> None:
    board = Board(8, 12)
    valuation = Valuation(board, history(board, (1, 2, 3, 4, 5, 6, 7, 8), (1, 1, 2, 2, 3, 3, 4, 4)))
    best = valuation.best()
    assert best.certainty is Certainty.ESTIMATE
    assert valuation.after(best.guess).certainty is Certainty.ESTIMATE
    assert 2 < best.cost < 12


def test_the_answer_that_ends_the_game_costs_no_more() -> None:
    valuation = Valuation(CLASSIC, ())
    for after in (valuation.after((1, 1, 2, 3)), valuation.judged_after((1, 1, 2, 3))):
        assert after.cells[KeyPegs(4, 0)].cost == 0


def test_cancelling_stops_a_search() -> None:
    rows = history(CLASSIC, (1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4))
    with pytest.raises(Cancelled):
        Valuation(CLASSIC, rows, cancelled=lambda: True).best()


def test_the_cost_of_a_game_is_proven_where_it_is() -> None:
    assert cost_at_start(CLASSIC) == (5_625 / 1_296, Certainty.PROVEN)
    assert cost_at_start(Board(8, 12))[1] is Certainty.ESTIMATE
