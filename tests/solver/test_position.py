import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import CannotRead
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.history import Clue
from keypeg.solver.position import Position
from tests.rules.strategies import boards, codes

CLASSIC = PRESETS["classic"]


@given(st.data(), boards(most_holes=4, most_colours=4))
@settings(max_examples=40)
def test_what_is_left_and_how_it_splits_agree_with_the_reference(
    data: st.DataObject, board: Board
) -> None:
    secret, *guesses, last = data.draw(st.lists(codes(board), min_size=2, max_size=4))
    rows = tuple(Clue(guess, score(secret, guess)) for guess in guesses)
    position = Position(board, rows)
    fitting = reference.consistent(board, rows)
    assert position.left.value == len(fitting)
    split = reference.partition(last, fitting)
    assert {keys: n.value for keys, n in position.split(last).items()} == {
        keys: len(cell) for keys, cell in split.items()
    }


def test_rows_that_the_board_cannot_have_are_refused() -> None:
    with pytest.raises(CannotRead, match="row 1"):
        Position(CLASSIC, (Clue((1, 1), KeyPegs(0, 0)),))


@pytest.mark.parametrize(
    ("seconds", "seed"), [(-1, 0), (float("nan"), 0), (float("inf"), 0), (1, -1)]
)
def test_a_time_or_a_seed_out_of_range_is_refused(seconds: float, seed: int) -> None:
    with pytest.raises(CannotRead, match="0 or more"):
        Position(CLASSIC, seconds=seconds, seed=seed)
