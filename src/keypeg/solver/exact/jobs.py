"""A search cut into jobs (first guess, answer, second guess) that threads take in turn.

The jobs of one first guess share what its cells are known to take; each thread has its own
workspace. Also here: ranking the second guesses, and growing the tree once totals are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.counting import answers_into, fill_columns, keep_columns, keeps_columns
from keypeg.solver.exact.descent import search
from keypeg.solver.exact.transposition import guess_of, probe, stirred, tag_of, upper
from keypeg.solver.exact.workspace import (
    BLOCK,
    NEXT,
    STOP,
    SearchData,
    Workspace,
    region_key,
    region_tag,
    salted,
    seat,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]
    Words = NDArray[np.uint64]

GUESS_BITS: Final = 20
"""A cell's best is its total shifted by this, plus the guess: one word, changed at one stroke."""


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
"""Add to a place of an array that threads share; gives what was there before."""

lower_at = cast("Callable[[Longs, int, int], int]", _atomic("min"))
"""Replace a place of a shared array if the new value is less; gives what was there before."""


@kernel
def survey(
    data: SearchData, workspace: Workspace, codes: Ints, guesses: Ints, depth: int
) -> tuple[Ints, Ints, Words]:
    """For each guess on a region: a lower bound, the learned cost, and a mark of its partition."""
    n = len(codes)
    seat(data, workspace, 1, codes, n)
    unlimited = data.floor.shape[0] - 1
    win = data.kinds - 1
    floors = data.floor[depth if depth == unlimited else depth - 1, win]
    count = (np.uint64(1) << np.uint64(data.count_bits)) - np.uint64(1)
    low = np.full(len(guesses), n, np.int32)
    cost = np.zeros(len(guesses), np.int32)
    mark = np.zeros(len(guesses), np.uint64)
    line, sums, keys = workspace.line, workspace.sums, workspace.keys[1]
    for g in range(len(guesses)):
        answers_into(data, workspace, 1, n, guesses[g], line)
        for i in range(n):
            sums[line[i]] += keys[i]
        mark[g] = np.uint64(sums[win] != 0)
        for answer in range(win + 1):
            cell = sums[answer]
            sums[answer] = 0
            if cell != 0:
                mark[g] += stirred(cell)
                if answer != win:
                    low[g] = min(IMPOSSIBLE, low[g] + floors[whole(cell & count)])
                    cost[g] += data.cost[whole(cell & count)]
    return low, cost, mark


@kernel
def work(
    data: SearchData,
    workspace: Workspace,
    codes: Ints,
    start: Longs,
    job_cell: Ints,
    job_guess: Ints,
    job_low: Ints,
    job_total: Ints,
    job_limit: Longs,
    cell_low: Longs,
    cell_best: Longs,
    cell_left: Longs,
    budget: int,
    margin: int,
    depth: int,
    used: int,
) -> None:
    """Take jobs until none is left, or until the cells are known to take more than `budget`.

    Cell i is `codes[start[i]:start[i + 1]]`; `cell_low` holds its lower bound, in the end its
    value. A cell may take what the budget leaves when all others take their lower bounds.
    `job_limit` gets the limit that a job was finished under, once its total is in place.
    """
    win = data.kinds - 1
    seated = -1
    while data.control[STOP] == 0:
        job = add_to(data.control, NEXT, 1)
        if job >= len(job_cell):
            break
        cell = job_cell[job]
        n = start[cell + 1] - start[cell]
        allowed = budget + cell_low[cell]
        for other in range(len(cell_low)):
            allowed -= cell_low[other]
        limit = min(allowed, (cell_best[cell] >> GUESS_BITS) - 1 + margin, IMPOSSIBLE - 1)
        if job_low[job] <= limit and limit >= cell_low[cell]:
            if seated != cell:
                seat(data, workspace, 1, codes[start[cell] : start[cell + 1]], n)
                if keeps_columns(data, workspace, 1, n):
                    for first in range(0, len(data.keys), BLOCK):
                        size = min(BLOCK, len(data.keys) - first)
                        fill_columns(data, workspace, 1, n, first, size)
                    keep_columns(workspace, 1, n)
                workspace.used[1] = used
                seated = cell
            value = search(
                data,
                workspace,
                whole(1),
                whole(n),
                whole(limit),
                whole(depth),
                whole(win),
                whole(cell_low[cell]),
                np.uint64(0),
                whole(job_guess[job]),
            )
            if value <= limit:
                job_total[job] = value
                lower_at(cell_best, cell, (value << GUESS_BITS) | whole(job_guess[job]))
            if data.control[STOP] == 0:
                add_to(job_limit, job, limit)
        if add_to(cell_left, cell, -1) == 1 and data.control[STOP] == 0:
            value = cell_best[cell] >> GUESS_BITS
            allowed = budget + cell_low[cell]
            for other in range(len(cell_low)):
                allowed -= cell_low[other]
            if value > allowed:
                data.control[STOP] = 2
            cell_low[cell] = value


@kernel
def grow(
    data: SearchData, workspace: Workspace, codes: Ints, first: int, depth: int
) -> tuple[Ints, Bytes, Ints, Ints]:
    """The strategy for a region from its guess `first` down, as the arrays of a `trees.Tree`.

    Guesses come from the table, or from searching what it has lost.
    """
    win = data.kinds - 1
    unlimited = data.floor.shape[0] - 1
    n = len(codes)
    guesses = np.empty(2 * n + 1, np.int32)
    parents = np.full(2 * n + 1, -1, np.int32)
    answers = np.zeros(2 * n + 1, np.uint8)
    begin, end, left = guesses.copy(), guesses.copy(), guesses.copy()
    held = codes.copy()
    spare = codes.copy()
    counts = np.zeros(win + 2, np.int64)
    begin[0], end[0], left[0], guesses[0] = 0, n, depth, first
    nodes = 1
    node = 0
    while node < nodes:
        lo, hi, rows = begin[node], end[node], left[node]
        size = hi - lo
        guess = whole(guesses[node])
        if guess < 0:
            if size <= 2:
                guess = whole(held[lo])
            else:
                seat(data, workspace, 1, held[lo:hi], size)
                workspace.used[1] = -1
                key = region_key(workspace, 1, size)
                entry = probe(data.table, salted(data, key, size, rows))
                known = tag_of(entry) == region_tag(workspace, 1, size) and upper(entry) > 0
                guess = guess_of(entry) if known else -1
                if guess < 0:
                    least = whole(data.floor[rows, win, size])
                    search(
                        data,
                        workspace,
                        whole(1),
                        whole(size),
                        whole(IMPOSSIBLE - 1),
                        whole(rows),
                        whole(win),
                        least,
                        key,
                        whole(-1),
                    )
                    guess = workspace.found[1]
                if guess < 0:
                    break
            guesses[node] = guess
        seat(data, workspace, 1, held[lo:hi], size)
        answers_into(data, workspace, 1, size, guess, workspace.line)
        counts[:] = 0
        for i in range(size):
            counts[workspace.line[i] + 1] += 1
        for answer in range(win):
            counts[answer + 1] += counts[answer]
        for answer in range(win):
            many = counts[answer + 1] - counts[answer]
            if many > 0:
                parents[nodes] = node
                answers[nodes] = answer
                begin[nodes] = lo + counts[answer]
                end[nodes] = lo + counts[answer + 1]
                left[nodes] = rows if rows == unlimited else rows - 1
                guesses[nodes] = -1
                nodes += 1
        for i in range(size):
            answer = workspace.line[i]
            if answer < win:
                spare[lo + counts[answer]] = held[lo + i]
                counts[answer] += 1
        for i in range(lo, hi):
            held[i] = spare[i]
        node += 1
    sizes = end[:nodes] - begin[:nodes]
    return parents[:nodes].copy(), answers[:nodes].copy(), guesses[:nodes].copy(), sizes
