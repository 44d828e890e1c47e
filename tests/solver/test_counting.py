from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.bounds import complete_tree
from keypeg.solver.exact.counting import count_cells, count_strip, enough_cells
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.workspace import STRIP, SearchData, Workspace, lay_out
from keypeg.solver.reference import partition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from keypeg.rules.code import Code


@kernel
def cells_of(
    data: SearchData, workspace: Workspace, codes: NDArray[np.int32]
) -> tuple[int, NDArray[np.uint8]]:
    top = whole(1)  # as in the search, whose compiled code this then is
    lay_out(data, workspace, top, codes, len(codes))
    most = count_cells(data, workspace, top, len(codes))
    return most, workspace.split[: len(data.keys)].copy()


@kernel
def counts_of(
    data: SearchData, workspace: Workspace, codes: NDArray[np.int32], start: int, size: int
) -> NDArray[np.uint16]:
    top = whole(1)
    lay_out(data, workspace, top, codes, len(codes))
    count_strip(data, workspace, top, len(codes), start, size)
    return workspace.many[:, :size].copy()


def region(engine: Engine, every: int) -> tuple[NDArray[np.int32], list[Code]]:
    """Every so manieth code, as places and as the rules write them."""
    places = engine.space.everything[::every].copy()
    return places, [engine.space.code(int(place)) for place in places]


@pytest.mark.parametrize(("name", "every"), [("4x3", 7), ("3x5n", 3), ("4x4b", 40)])
def test_cells_are_counted_as_the_reference_counts_them(name: str, every: int) -> None:
    engine = Engine(Board.parse(name))
    places, codes = region(engine, every)
    most, cells = cells_of(engine.data, engine.workspaces[0], places)
    slow = [len(partition(engine.space.code(g), codes)) for g in range(len(engine.space))]
    assert cells.tolist() == slow
    assert most == max(slow)


@pytest.mark.parametrize("every", [1, 2, 9])
def test_strips_are_counted_as_the_reference_counts_them(every: int) -> None:
    """All 625 codes of the board overflow a byte and reach past one strip."""
    engine = Engine(Board.parse("4x5"))
    places, codes = region(engine, every)
    start = STRIP
    size = len(engine.space) - start
    counts = counts_of(engine.data, engine.workspaces[0], places, start, size)
    key_pegs = engine.space.answers.key_pegs
    for guess in range(0, size, 10):
        cells = partition(engine.space.code(start + guess), codes)
        assert counts[:, guess].tolist() == [len(cells.get(keys, [])) for keys in key_pegs]


@kernel
def enough(floors: NDArray[np.int32], n: int, most: int, best: int) -> int:
    return enough_cells(floors, n, most, best, 1)


def cheapest(floors: list[int], n: int, cells: int) -> int:
    """The least that `n` codes in exactly so many cells take, by trying every split."""
    if cells == 1:
        return floors[n]
    return min(
        floors[one] + cheapest(floors, n - one, cells - 1) for one in range(1, n - cells + 2)
    )


@pytest.mark.parametrize("spread", [2, 4, 13])
def test_no_guess_with_enough_cells_is_turned_down(spread: int) -> None:
    floors = complete_tree(9, spread)
    for n in range(3, 10):
        totals = [n + cheapest(floors.tolist(), n, cells) for cells in range(1, n + 1)]
        for best in range(n, 4 * n):
            fewest = next((c for c, total in enumerate(totals, 1) if total < best), n + 1)
            assert enough(floors, n, n, best) == fewest
