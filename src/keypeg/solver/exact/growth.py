"""Growing the strategy tree of a region whose total is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import kernel, part, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.counting import answers_into
from keypeg.solver.exact.descent import search
from keypeg.solver.exact.transposition import guess_of, probe, tag_of, upper
from keypeg.solver.exact.workspace import (
    SearchData,
    Workspace,
    lay_out,
    region_key,
    region_tag,
    salted,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int32]


@part
def best_guess_on(data: SearchData, workspace: Workspace, n: int, rows: int) -> int:
    """The best guess on the region at level 1: from the table, or searched if that lost it."""
    workspace.used[1] = -1
    key = region_key(workspace, 1, n)
    entry = probe(data.table, salted(data, key, n, rows))
    if tag_of(entry) == region_tag(workspace, 1, n) and upper(entry) > 0 and guess_of(entry) >= 0:
        return guess_of(entry)
    win = data.kinds - 1
    search(
        data,
        workspace,
        whole(1),
        whole(n),
        whole(IMPOSSIBLE - 1),
        whole(rows),
        whole(win),
        whole(data.floor[rows, win, n]),
        key,
        whole(-1),
    )
    return whole(workspace.found[1])


@kernel
def grow(
    data: SearchData, workspace: Workspace, codes: Ints, first: int, depth: int
) -> tuple[Ints, Bytes, Ints, Ints]:
    """The strategy for a region from its guess `first` down, as the arrays of a `trees.Tree`."""
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
        lay_out(data, workspace, 1, held[lo:hi], size)
        guess = whole(guesses[node])
        if guess < 0:
            guess = whole(held[lo])
            if size > 2:
                guess = best_guess_on(data, workspace, whole(size), whole(rows))
            if guess < 0:
                break
            guesses[node] = guess
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
