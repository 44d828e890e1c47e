"""What the search says of a region and leaves in the table is held to trying everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.descent import search
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.transposition import lower, probe, upper
from keypeg.solver.exact.workspace import SearchData, Workspace, lay_out, region_key, salted
from keypeg.solver.reference import least

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def searched(
    data: SearchData, workspace: Workspace, region: NDArray[np.int32], limit: int, depth: int
) -> tuple[int, int, int]:
    """What the search gives for a region, and the bounds it keeps."""
    n = len(region)
    lay_out(data, workspace, 1, region, n)
    workspace.used[1] = -1
    key = region_key(workspace, 1, n)
    spread = whole(data.kinds - 1)
    floor = whole(data.floor[depth, spread, n])
    value = search(
        data,
        workspace,
        whole(1),
        whole(n),
        whole(limit),
        whole(depth),
        spread,
        floor,
        key,
        whole(-1),
    )
    entry = probe(data.table, salted(data, key, n, depth))
    return value, lower(entry), upper(entry)


@pytest.mark.parametrize(("name", "every"), [("2x5", 2), ("3x3", 2), ("3x4", 5), ("3x5n", 5)])
def test_under_any_limit_and_depth_no_bound_is_over_the_least_total(name: str, every: int) -> None:
    board, worst = Board.parse(name), 4
    engine = Engine(board, worst)
    region = engine.space.everything[::every].copy()
    secrets = [engine.space.code(int(place)) for place in region]
    for depth, rows in ((2, 2), (3, 3), (4, 4), (5, None)):
        least_total = least(board, secrets, rows)
        total = IMPOSSIBLE if least_total is None else least_total
        for limit in range(2 * len(region) - 2, 3 * len(region) + 2):
            value, low, high = searched(engine.data, engine.workspaces[0], region, limit, depth)
            assert value == total if total <= limit else limit < value <= total
            assert low <= total
            assert high in (0, total)
