"""What one thread of a search does: take jobs until none is left, or the budget is exceeded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from keypeg.solver.codes.compiled import kernel, part, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.counting import fill_columns, keep_columns, keeps_columns
from keypeg.solver.exact.descent import search
from keypeg.solver.exact.workspace import (
    BLOCK,
    NEXT,
    OVER_BUDGET,
    RUNNING,
    STATE,
    SearchData,
    Workspace,
    lay_out,
    region_key,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]

GUESS_BITS: Final = 20
"""A cell's best is its total shifted by this, plus the guess: one word, so one atomic change."""


ANY_GUESS: Final = -1
"""Instead of a second guess: all are tried."""


class JobTable(NamedTuple):
    """The jobs of one first guess, as arrays that threads share; the kernel's view of `Jobs`.

    Cell i is `codes[starts[i]:starts[i + 1]]`. `cell`, `guess`, `low`, `total` and `limit` have a
    place for each job: its cell, its second guess, a lower bound, the total found, and the limit
    that it was finished under (0 until then). `lows`, `best` and `left` have a place for each
    cell: its lower bound, in the end its value; the least total so far with its guess; and how
    many of its jobs are not done.
    """

    codes: Ints
    starts: Longs
    cell: Ints
    guess: Ints
    low: Ints
    total: Ints
    limit: Longs
    lows: Longs
    best: Longs
    left: Longs


class Limits(NamedTuple):
    """How far jobs are searched.

    The cells may take `budget` together. A guess is cut short once it takes `margin` more than
    the best of its cell. `depth` counts the guesses left after the first, and `used` has a bit
    for each colour of the first.
    """

    budget: int
    margin: int
    depth: int
    used: int


_item: Any = cgutils.get_item_pointer


def _atomic(operation: str) -> Any:  # Any: Numba's typing and LLVM's builders
    def typed(_: Any, array: Any, _index: Any, _value: Any) -> tuple[Any, Any]:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            held = context.make_array(kind)(context, builder, arguments[0])
            place = _item(context, builder, kind, held, [arguments[1]], wraparound=False)
            return builder.atomic_rmw(operation, place, arguments[2], "seq_cst")

        return types.int64(array, types.intp, types.int64), codegen

    return intrinsic(typed)


add_to = cast("Callable[[Longs, int, int], int]", _atomic("add"))
"""Add to a place of an array that threads share; returns what was there before."""

lower_at = cast("Callable[[Longs, int, int], int]", _atomic("min"))
"""Replace a place of a shared array if the new value is less; returns what was there before."""


@part
def allowed(jobs: JobTable, cell: int, budget: int) -> int:
    """What a cell may take when all others take their lower bounds."""
    rest = budget + jobs.lows[cell]
    for other in range(len(jobs.lows)):
        rest -= jobs.lows[other]
    return whole(rest)


@part
def lay_out_cell(
    data: SearchData, workspace: Workspace, jobs: JobTable, cell: int, used: int
) -> None:
    """Lay a cell on the workspace, with its columns where there is room for them."""
    codes = jobs.codes[jobs.starts[cell] : jobs.starts[cell + 1]]
    n = len(codes)
    lay_out(data, workspace, 1, codes, n)
    if keeps_columns(data, workspace, 1, n):
        for first in range(0, len(data.keys), BLOCK):
            fill_columns(data, workspace, 1, n, first, min(BLOCK, len(data.keys) - first))
        keep_columns(workspace, 1, n)
    workspace.used[1] = used


@kernel
def work(data: SearchData, workspace: Workspace, jobs: JobTable, limits: Limits) -> None:
    """Take jobs until none is left, or until the cells are known to take more than the budget."""
    win = data.kinds - 1
    laid_out = -1
    while data.control[STATE] == RUNNING:
        job = add_to(data.control, NEXT, 1)
        if job >= len(jobs.cell):
            break
        cell, guess = whole(jobs.cell[job]), whole(jobs.guess[job])
        best = (jobs.best[cell] >> GUESS_BITS) - 1 + limits.margin
        limit = min(allowed(jobs, cell, limits.budget), best, IMPOSSIBLE - 1)
        if jobs.low[job] <= limit and limit >= jobs.lows[cell]:
            if laid_out != cell:
                lay_out_cell(data, workspace, jobs, cell, limits.used)
                laid_out = cell
            n = whole(jobs.starts[cell + 1] - jobs.starts[cell])
            value = search(
                data,
                workspace,
                whole(1),
                n,
                whole(limit),
                whole(limits.depth),
                whole(win),
                whole(jobs.lows[cell]),
                region_key(workspace, 1, n),
                guess,
            )
            if value <= limit:
                jobs.total[job] = value
                lower_at(jobs.best, cell, (value << GUESS_BITS) | guess)
            if data.control[STATE] == RUNNING:
                add_to(jobs.limit, job, limit)
        if add_to(jobs.left, cell, -1) == 1 and data.control[STATE] == RUNNING:
            value = jobs.best[cell] >> GUESS_BITS
            if value > allowed(jobs, cell, limits.budget):
                data.control[STATE] = OVER_BUDGET
            jobs.lows[cell] = value
