"""The compiled recursion of the search: the least total of one region, or proof of a bound.

A region is a set of codes that the answers so far allow. V(1) = 1, V(2) = 3, and otherwise
V(S) = |S| + the least, over all guesses, of the sum of V over the cells that the guess leaves,
without the winning cell. `search` computes that below a limit. A guess's cells are bounded in
passes, each more expensive than the last and each able to reject the guess: by size alone, by
whether a code of the cell distinguishes the others, by what the table holds on the cell, by what
the cell's own codes leave of it, by what the table holds on its image, by searching.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import part, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.candidates import expand, pop, reject
from keypeg.solver.exact.canonical import has_image, image, original, recall
from keypeg.solver.exact.counting import answer_between, answers_into, least_sum
from keypeg.solver.exact.transposition import guess_of, keep, lower, probe, stirred, tag_of, upper
from keypeg.solver.exact.workspace import (
    LEVELS,
    NODES,
    RUNNING,
    SQUARE,
    STAMP,
    STATE,
    TOO_DEEP,
    SearchData,
    Workspace,
    cell_tag,
    learn,
    lower_to,
    region_tag,
    salted,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]


@part
def met_before(workspace: Workspace, level: int, cells: int, stamp: int) -> bool:
    """Whether a guess with these cells was met under this stamp; it is marked as met.

    A region below may overwrite a mark: then a guess is looked at twice, and no more.
    """
    mark = np.uint64(cells)
    for cell in range(cells):
        mark += stirred(workspace.cell_key[level, cell])
    slots = len(workspace.marks)
    slot = whole(mark >> np.uint64(20)) & (slots - 1)
    while workspace.stamps[slot] == stamp:
        if workspace.marks[slot] == mark:
            return True
        slot = (slot + 1) & (slots - 1)
    workspace.stamps[slot] = stamp
    workspace.marks[slot] = mark
    return False


@part
def split(data: SearchData, workspace: Workspace, level: int, n: int, guess: int) -> int:
    """Sort the region's places by their answers to a guess; returns the number of cells.

    The cells are listed smallest first, without the winning one.
    """
    kinds = data.kinds
    line = workspace.line[:n]
    answers_into(data, workspace, level, n, guess, line)
    start, order = workspace.start[level], workspace.order[level]
    keys, sums = workspace.keys[level], workspace.sums
    for kind in range(kinds + 1):
        start[kind] = 0
    for i in range(n):
        start[line[i] + 1] += 1
        sums[line[i]] += keys[i]
    for kind in range(kinds):
        start[kind + 1] += start[kind]
    for i in range(n):
        order[start[line[i]]] = i
        start[line[i]] += 1
    for kind in range(kinds - 1, 0, -1):
        start[kind] = start[kind - 1]
    start[0] = 0
    cells = 0
    for kind in range(kinds):
        if sums[kind] == 0:
            continue
        key = sums[kind]
        sums[kind] = 0
        if kind == kinds - 1:
            continue
        size = start[kind + 1] - start[kind]
        place = cells
        while place > 0:
            before = workspace.answer[level, place - 1]
            if start[before + 1] - start[before] <= size:
                break
            workspace.answer[level, place] = before
            workspace.cell_key[level, place] = workspace.cell_key[level, place - 1]
            place -= 1
        workspace.answer[level, place] = kind
        workspace.cell_key[level, place] = key
        cells += 1
    return cells


@part
def perfect(
    data: SearchData, workspace: Workspace, level: int, n: int, first: int, size: int
) -> bool:
    """Whether a code of the cell distinguishes all codes of the cell."""
    order = workspace.order[level, first : first + size]
    square, squared = workspace.square[level], workspace.squared[level]
    for i in range(size):
        seen = np.uint64(0)
        mine = workspace.codes[level, order[i]]
        row = order[i] * n
        for j in range(size):
            if squared:
                answer = whole(square[row + order[j]])
            else:
                answer = answer_between(data, mine, workspace.codes[level, order[j]])
            bit = np.uint64(1) << np.uint64(answer)
            if seen & bit:
                break
            seen |= bit
        else:
            return True
    return False


@part
def bound_by_size(workspace: Workspace, level: int, n: int, cells: int, floors: Ints) -> int:
    """The least total of a guess whose cells are on the workspace, by their sizes alone."""
    total = n
    for cell in range(cells):
        kind = workspace.answer[level, cell]
        size = workspace.start[level, kind + 1] - workspace.start[level, kind]
        workspace.cell_low[level, cell] = floors[size]
        workspace.known[level, cell] = size <= 2
        total += whole(floors[size])
    return total


@part
def bound_by_codes(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    cells: int,
    total: int,
    best: int,
    below: int,
) -> int:
    """Cells with a code that distinguishes all others take 2n - 1, all other cells at least 2n.

    Of the latter, three codes take 6 if three guesses are left. Returns `total`, raised until it
    meets `best`.
    """
    spread = workspace.spread[level]
    for cell in range(cells):
        kind = workspace.answer[level, cell]
        first = workspace.start[level, kind]
        size = workspace.start[level, kind + 1] - first
        if size <= 2:
            continue
        if size > spread + 1 or total >= best:
            break
        if perfect(data, workspace, level, n, first, size):
            workspace.known[level, cell] = 1
            learn(workspace, size, 2 * size - 1)
            continue
        if 2 * size > workspace.cell_low[level, cell]:
            total += 2 * size - workspace.cell_low[level, cell]
            workspace.cell_low[level, cell] = 2 * size
        if size == 3 and below >= min(3, data.floor.shape[0] - 1):
            workspace.known[level, cell] = 1
            learn(workspace, size, 6)
    return total


@part
def bound_by_members(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    cells: int,
    total: int,
    best: int,
    below: int,
) -> int:
    """`total`, raised by what larger cells take whether or not their first guess is one of them.

    A guess outside the cell splits it into at most `spread` parts; what a guess inside it leaves
    is counted.
    """
    spread = whole(workspace.spread[level])
    floors = data.floor[below if below == data.floor.shape[0] - 1 else max(below - 1, 0), spread]
    win = data.kinds - 1
    sums = workspace.sums
    square, squared = workspace.square[level], workspace.squared[level]
    for cell in range(cells):
        if total >= best:
            break
        if workspace.known[level, cell]:
            continue
        kind = workspace.answer[level, cell]
        first = workspace.start[level, kind]
        size = whole(workspace.start[level, kind + 1] - first)
        if size <= spread + 1 or size > SQUARE:
            continue
        low = whole(workspace.cell_low[level, cell])
        least = size + least_sum(floors, size, spread)
        order = workspace.order[level, first : first + size]
        for i in range(size):
            if least <= low:
                break
            mine = workspace.codes[level, order[i]]
            row = order[i] * n
            for j in range(size):
                if squared:
                    answer = whole(square[row + order[j]])
                else:
                    answer = answer_between(data, mine, workspace.codes[level, order[j]])
                sums[answer] += np.uint64(1)
            sums[win] = 0
            value = size
            for answer in range(win):
                value += floors[whole(sums[answer])]
                sums[answer] = 0
            least = min(least, whole(value))
        if least > low:
            total += least - low
            workspace.cell_low[level, cell] = least
    return total


@part
def bound_by_table(
    data: SearchData,
    workspace: Workspace,
    level: int,
    cells: int,
    total: int,
    best: int,
    below: int,
    images: bool,
) -> int:
    """`total`, raised to what the table holds on the cells or their images, or to `best`."""
    for cell in range(cells):
        if workspace.known[level, cell]:
            continue
        if total >= best:
            break
        kind = workspace.answer[level, cell]
        first = workspace.start[level, kind]
        size = workspace.start[level, kind + 1] - first
        key = workspace.cell_key[level, cell]
        if not images:
            entry = probe(data.table, salted(data, key, size, below))
            if entry != 0 and tag_of(entry) != cell_tag(workspace, level, first, size):
                continue
        elif has_image(data, size):
            lower_to(workspace, level, first, size, 0)
            entry = recall(data, workspace, level + 1, size, below, key)
        else:
            continue
        if entry == 0:
            continue
        if upper(entry) > 0:
            workspace.known[level, cell] = 1
            learn(workspace, size, lower(entry))
        if lower(entry) > workspace.cell_low[level, cell]:
            total += lower(entry) - workspace.cell_low[level, cell]
            workspace.cell_low[level, cell] = lower(entry)
    return total


@part
def bound(
    data: SearchData, workspace: Workspace, level: int, n: int, cells: int, best: int, below: int
) -> int:
    """A lower bound of a guess whose cells are on the workspace, in passes until that is `best`."""
    floors = data.floor[below, workspace.spread[level]]
    total = bound_by_size(workspace, level, n, cells, floors)
    if total < best and data.shortcuts.perfect:
        total = bound_by_codes(data, workspace, level, n, cells, total, best, below)
    if total < best and data.shortcuts.table:
        total = bound_by_table(data, workspace, level, cells, total, best, below, images=False)
    if total < best and data.shortcuts.members:
        total = bound_by_members(data, workspace, level, n, cells, total, best, below)
    if total < best and data.shortcuts.alike:
        total = bound_by_table(data, workspace, level, cells, total, best, below, images=True)
    return total


@part
def colours_used(data: SearchData, workspace: Workspace, level: int, guess: int) -> int:
    """The colours guessed so far with those of this guess, as bits."""
    used = workspace.used[level]
    for hole in range(data.holes):
        used |= whole(1) << whole(data.pegs[guess, hole])
    return whole(used)


@part
def remember(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    depth: int,
    key: np.uint64,
    best: int,
    exact: bool,
) -> None:
    """Keep a region's total or bound in the table, under its own key and that of its image."""
    guess = whole(workspace.found[level]) if exact else whole(-1)
    own, tag = salted(data, key, n, depth), region_tag(workspace, level, n)
    keep(data.table, own, tag, best, exact, guess, data.count_bits)
    if has_image(data, n):
        other = salted(data, workspace.image_key[level], n, depth)
        seen = image(data, workspace, level, guess)
        keep(data.table, other, workspace.image_tag[level], best, exact, seen, data.count_bits)


@part
def search(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    limit: int,
    depth: int,
    spread: int,
    least: int,
    key: np.uint64,
    only: int,
) -> int:
    """V of the region on the workspace if that is at most `limit`, else a lower bound above it.

    `depth` counts the guesses left, `spread` is the most cells a guess leaves, `least` a known
    lower bound, `key` the region's. With `only` >= 0 just that guess is tried. Arguments of
    the call below have the types of those here: Numba cannot cache recursion that casts.
    """
    if level + 1 >= LEVELS:
        data.control[STATE] = TOO_DEEP
    if data.control[STATE] != RUNNING:
        return whole(IMPOSSIBLE)
    below = depth if depth == data.floor.shape[0] - 1 else depth - 1
    best = limit + 1
    workspace.found[level] = -1
    if only >= 0:
        workspace.spread[level] = spread
        heaped, soft = 1, 2 * IMPOSSIBLE
    else:
        if has_image(data, n):
            entry = recall(data, workspace, level, n, depth, key)
            least = max(least, lower(entry))
            if upper(entry) > 0 or least > limit:
                workspace.found[level] = original(data, workspace, level, guess_of(entry))
                return whole(least)
        workspace.counters[NODES] += 1
        best, heaped, soft = expand(data, workspace, level, n, best, least, depth, spread)
        least = max(least, whole(data.floor[depth, workspace.spread[level], n]))
        if least > limit:
            heaped, soft = 0, least
        elif best <= limit:
            heaped, rejected = reject(workspace, level, heaped, best)
            soft = min(soft, rejected)
    workspace.squared[level] = only < 0 and n <= SQUARE
    stamp = workspace.counters[STAMP]
    width = data.widths[level] if n > data.whole else len(data.keys)
    while heaped > 0 and width > 0 and (best > least or not data.shortcuts.least):
        guess = only
        if only < 0:
            row = pop(workspace.heap[level], heaped) & 0xFFFFFFFF
            guess = whole(workspace.guesses[level, row])
        heaped -= 1
        cells = split(data, workspace, level, n, guess)
        if only < 0 and data.shortcuts.dedupe and met_before(workspace, level, cells, stamp):
            continue
        width -= 1
        total = bound(data, workspace, level, n, cells, best, below)
        used = colours_used(data, workspace, level, guess)
        for cell in range(cells):
            if total >= best:
                break
            if workspace.known[level, cell]:
                continue
            kind = workspace.answer[level, cell]
            first = workspace.start[level, kind]
            size = whole(workspace.start[level, kind + 1] - first)
            low = whole(workspace.cell_low[level, cell])
            most = whole(low + best - 1 - total if data.shortcuts.slack else IMPOSSIBLE - 1)
            lower_to(workspace, level, first, size, used)
            value = search(
                data,
                workspace,
                level + 1,
                size,
                most,
                whole(below),
                whole(workspace.spread[level]),
                low,
                workspace.cell_key[level, cell],
                whole(-1),
            )
            total += value - low
            if value <= most:
                learn(workspace, size, value)
        if total < best:
            best = total
            workspace.found[level] = guess
            heaped, rejected = reject(workspace, level, heaped, best)
            soft = min(soft, rejected)
        else:
            soft = min(soft, total)
    if data.control[STATE] != RUNNING:
        return whole(IMPOSSIBLE)
    exact = best <= limit
    if not exact:
        best = max(best, min(soft, IMPOSSIBLE))
    if data.shortcuts.table and only < 0:
        remember(data, workspace, level, n, depth, key, whole(best), exact)
    return whole(best)
