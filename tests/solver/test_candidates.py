from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.candidates import expand, in_colour_order
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.workspace import SMALL, SearchData, Workspace, lay_out
from keypeg.solver.reference import codes, partition

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def spread_of(data: SearchData, workspace: Workspace, region: NDArray[np.int32]) -> int:
    """The most cells that the search takes any guess to make of a region."""
    top, n = whole(1), whole(len(region))  # as in the search, whose compiled code this then is
    lay_out(data, workspace, top, region, n)
    workspace.used[1] = -1
    unlimited, spread = whole(data.floor.shape[0] - 1), whole(data.kinds - 1)
    expand(data, workspace, top, n, whole(IMPOSSIBLE), whole(0), unlimited, spread)
    return int(workspace.spread[1])


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
    spread = spread_of(engine.data, engine.workspaces[0], region)
    assert max(cells) <= spread <= max(cells) + (len(region) <= SMALL)


@kernel
def in_order(pegs: NDArray[np.uint8], used: int) -> NDArray[np.bool_]:
    """Which codes have the colours outside `used` in increasing order."""
    kept = np.zeros(len(pegs), np.bool_)
    for code in range(len(pegs)):
        kept[code] = in_colour_order(pegs, code, used)
    return kept


@pytest.mark.parametrize("used", [(), (0,), (1, 3), (0, 1, 2), (0, 1, 2, 3, 4)])
@pytest.mark.parametrize("name", ["3x4b", "4x5n"])
def test_of_codes_alike_but_for_colours_never_guessed_one_is_tried(
    name: str, used: tuple[int, ...]
) -> None:
    space = Engine(Board.parse(name)).space
    pegs = np.array(space.pegs)
    kept = in_order(pegs, sum(1 << peg for peg in used))
    alike = [_as_met(code, used) for code in pegs.tolist()]
    tried = [kind for kind, one in zip(alike, kept.tolist(), strict=True) if one]
    assert len(tried) == len(set(tried))
    assert set(tried) == set(alike)


def _as_met(code: list[int], used: tuple[int, ...]) -> tuple[int, ...]:
    """A code with the colours outside `used` numbered as they are met, from -1 down."""
    new = list(dict.fromkeys(peg for peg in code if peg not in used))
    return tuple(peg if peg in used else -1 - new.index(peg) for peg in code)
