from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.candidates import expand
from keypeg.solver.exact.desk import SMALL, Desk, Game, seat
from keypeg.solver.exact.engine import Engine
from keypeg.solver.reference import codes, partition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@kernel
def spread_of(game: Game, desk: Desk, region: NDArray[np.int32]) -> int:
    """The most cells that the search takes any guess to make of a region."""
    seat(game, desk, 1, region, len(region))
    desk.used[1] = -1
    unlimited = game.floor.shape[0] - 1
    expand(game, desk, 1, len(region), IMPOSSIBLE, 0, unlimited, game.kinds - 1)
    return int(desk.spread[1])


@pytest.mark.parametrize(
    ("name", "every"), [("4x3", 2), ("4x3", 5), ("3x5n", 2), ("4x4b", 10), ("4x4b", 50)]
)
def test_no_guess_makes_more_cells_than_the_bounds_count_on(name: str, every: int) -> None:
    """On regions looked at guess by guess and strip by strip; the winning cell may count."""
    board = Board.parse(name)
    engine = Engine(board)
    region = engine.space.everything[::every].copy()
    secrets = [engine.space.code(int(place)) for place in region]
    cells = [len(partition(guess, secrets)) - (guess in secrets) for guess in codes(board)]
    spread = spread_of(engine.game, engine.desks[0], region)
    assert max(cells) <= spread <= max(cells) + (len(region) <= SMALL)
