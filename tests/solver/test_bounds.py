from __future__ import annotations

import numpy as np
import pytest

from keypeg.solver.exact.bounds import IMPOSSIBLE, complete_tree, floors, most_codes


def test_a_complete_tree_fills_its_levels_from_the_top() -> None:
    assert complete_tree(5, 2).tolist() == [0, 1, 3, 5, 8, 11]
    assert complete_tree(14, 13)[14] == 1 + 13 * 2


def test_rows_bound_how_many_codes_can_be_found() -> None:
    assert complete_tree(5, 2, 2).tolist() == [0, 1, 3, 5, IMPOSSIBLE, IMPOSSIBLE]
    assert complete_tree(2, 9, 0).tolist() == [0, IMPOSSIBLE, IMPOSSIBLE]
    assert [most_codes(2, rows) for rows in range(4)] == [0, 1, 3, 7]


@pytest.mark.parametrize("spread", [1, 4, 13])
def test_bounds_are_convex_so_even_cells_are_cheapest(spread: int) -> None:
    steps = np.diff(complete_tree(300, spread))
    assert (np.diff(steps) >= 0).all()


def test_more_cells_or_more_rows_never_raise_a_bound() -> None:
    table = floors(200, 13, 5)
    assert (np.diff(table, axis=0) <= 0).all()
    assert (np.diff(table, axis=1) <= 0).all()
