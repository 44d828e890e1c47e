"""What guesses leave of a region: to rank second guesses, and to bound a region by its guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.counting import answers_into, count_strip, weigh_strip
from keypeg.solver.exact.transposition import stirred
from keypeg.solver.exact.workspace import STRIP, SearchData, Workspace, lay_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Words = NDArray[np.uint64]


@kernel
def survey(
    data: SearchData, workspace: Workspace, codes: Ints, guesses: Ints, depth: int
) -> tuple[Ints, Ints, Words]:
    """For each guess on a region: a lower bound, the learned cost, and a mark of its partition."""
    n = len(codes)
    lay_out(data, workspace, 1, codes, n)
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
def least_by_sizes(data: SearchData, workspace: Workspace, codes: Ints, guesses: Ints) -> int:
    """The least that a region takes with any of these guesses, by the sizes of their cells alone.

    A guess that leaves the region whole is not counted.
    """
    n = len(codes)
    lay_out(data, workspace, 1, codes, n)
    workspace.pool[1] = len(guesses)
    for i in range(len(guesses)):
        workspace.pool_codes[i] = guesses[i]
        workspace.pool_words[0, i] = data.words[0, guesses[i]]
        workspace.pool_words[1, i] = data.words[1, guesses[i]]
    floors = data.floor[data.floor.shape[0] - 1, data.kinds - 1]
    weights = workspace.weights
    least = whole(IMPOSSIBLE)
    for start in range(0, len(guesses), STRIP):
        size = min(STRIP, len(guesses) - start)
        count_strip(data, workspace, 1, n, start, size)
        weigh_strip(data, workspace, size, floors)
        for g in range(size):
            if weights[3, g] < n:
                least = min(least, whole(n + weights[0, g]))
    return least
