"""The compiled recursion of the search: the least total of one region, or proof of a bound.

A region is a set of codes that the answers so far allow. V(1) = 1, V(2) = 3, and otherwise
V(S) = |S| + the least, over all guesses, of the sum of V over the cells that the guess leaves,
the winning cell apart. `search` works that out below a limit. A guess's cells are bounded in
passes, each dearer than the last and each able to turn the guess down: by size alone, by
whether a code of the cell tells the others apart, by what the table holds on the cell or on
one alike, by searching.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import part, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.candidates import expand, pop
from keypeg.solver.exact.canonical import has_image, image, original, recall
from keypeg.solver.exact.counting import answer_between, answers_into
from keypeg.solver.exact.desk import (
    LEVELS,
    NODES,
    SQUARE,
    STAMP,
    STOP,
    TOO_DEEP,
    Desk,
    Game,
    cell_tag,
    learn,
    lower_to,
    region_tag,
    salted,
)
from keypeg.solver.exact.transposition import guess_of, keep, lower, probe, stirred, tag_of, upper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]


@part
def met_before(desk: Desk, level: int, cells: int, stamp: int) -> bool:
    """Whether a guess with these cells was met under this stamp; it is now.

    A region below may overwrite a mark: that costs a second look at most.
    """
    mark = np.uint64(cells)
    for cell in range(cells):
        mark += stirred(desk.cell_key[level, cell])
    slots = len(desk.marks)
    slot = whole(mark >> np.uint64(20)) & (slots - 1)
    while desk.stamps[slot] == stamp:
        if desk.marks[slot] == mark:
            return True
        slot = (slot + 1) & (slots - 1)
    desk.stamps[slot] = stamp
    desk.marks[slot] = mark
    return False


@part
def split(game: Game, desk: Desk, level: int, n: int, guess: int) -> int:
    """Sort the region's places by their answers to a guess; the cells, smallest first."""
    kinds = game.kinds
    line = desk.line[:n]
    answers_into(game, desk, level, n, guess, line)
    start, order = desk.start[level], desk.order[level]
    keys, sums = desk.keys[level], desk.sums
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
            before = desk.answer[level, place - 1]
            if start[before + 1] - start[before] <= size:
                break
            desk.answer[level, place] = before
            desk.cell_key[level, place] = desk.cell_key[level, place - 1]
            place -= 1
        desk.answer[level, place] = kind
        desk.cell_key[level, place] = key
        cells += 1
    return cells


@part
def perfect(game: Game, desk: Desk, level: int, n: int, first: int, size: int) -> bool:
    """Whether a code of the cell tells all codes of the cell apart."""
    order = desk.order[level, first : first + size]
    square, squared = desk.square[level], desk.squared[level]
    for i in range(size):
        seen = np.uint64(0)
        mine = desk.codes[level, order[i]]
        row = order[i] * n
        for j in range(size):
            if squared:
                answer = whole(square[row + order[j]])
            else:
                answer = answer_between(game, mine, desk.codes[level, order[j]])
            bit = np.uint64(1) << np.uint64(answer)
            if seen & bit:
                break
            seen |= bit
        else:
            return True
    return False


@part
def bound_by_size(desk: Desk, level: int, n: int, cells: int, floors: Ints) -> int:
    """The least total of a guess whose cells are on the desk, by their sizes alone."""
    total = n
    for cell in range(cells):
        kind = desk.answer[level, cell]
        size = desk.start[level, kind + 1] - desk.start[level, kind]
        desk.cell_low[level, cell] = floors[size]
        desk.known[level, cell] = size <= 2
        total += whole(floors[size])
    return total


@part
def bound_by_codes(
    game: Game, desk: Desk, level: int, n: int, cells: int, total: int, best: int, below: int
) -> int:
    """Cells in which a code tells all codes apart take 2n - 1, all others at least 2n.

    Three codes take 6 then, with three guesses left. `total` raised, at most to `best`.
    """
    spread = desk.spread[level]
    for cell in range(cells):
        kind = desk.answer[level, cell]
        first = desk.start[level, kind]
        size = desk.start[level, kind + 1] - first
        if size <= 2:
            continue
        if size > spread + 1 or total >= best:
            break
        if perfect(game, desk, level, n, first, size):
            desk.known[level, cell] = 1
            learn(desk, size, 2 * size - 1)
            continue
        if 2 * size > desk.cell_low[level, cell]:
            total += 2 * size - desk.cell_low[level, cell]
            desk.cell_low[level, cell] = 2 * size
        if size == 3 and below >= min(3, game.floor.shape[0] - 1):
            desk.known[level, cell] = 1
            learn(desk, size, 6)
    return total


@part
def bound_by_table(
    game: Game,
    desk: Desk,
    level: int,
    cells: int,
    total: int,
    best: int,
    below: int,
    images: bool,
) -> int:
    """What the table holds on the cells or their images. `total` raised, at most to `best`."""
    for cell in range(cells):
        if desk.known[level, cell]:
            continue
        if total >= best:
            break
        kind = desk.answer[level, cell]
        first = desk.start[level, kind]
        size = desk.start[level, kind + 1] - first
        key = desk.cell_key[level, cell]
        if not images:
            data = probe(game.table, salted(game, key, size, below))
            if data != 0 and tag_of(data) != cell_tag(desk, level, first, size):
                continue
        elif has_image(game, size):
            lower_to(desk, level, first, size, 0)
            data = recall(game, desk, level + 1, size, below, key)
        else:
            continue
        if data == 0:
            continue
        if upper(data) > 0:
            desk.known[level, cell] = 1
            learn(desk, size, lower(data))
        if lower(data) > desk.cell_low[level, cell]:
            total += lower(data) - desk.cell_low[level, cell]
            desk.cell_low[level, cell] = lower(data)
    return total


@part
def search(
    game: Game,
    desk: Desk,
    level: int,
    n: int,
    limit: int,
    depth: int,
    spread: int,
    least: int,
    key: np.uint64,
    only: int,
) -> int:
    """V of the region on the desk if that is at most `limit`, else a lower bound above it.

    `depth` counts the guesses left, `spread` is the most cells a guess leaves, `least` a known
    lower bound, `key` the region's. With `only` >= 0 just that guess is tried. Arguments of
    the call below have the types of those here: Numba cannot cache recursion that casts.
    """
    if level + 1 >= LEVELS:
        game.control[TOO_DEEP] = 1
        game.control[STOP] = 1
    if game.control[STOP] != 0:
        return whole(IMPOSSIBLE)
    below = depth if depth == game.floor.shape[0] - 1 else depth - 1
    best = limit + 1
    desk.found[level] = -1
    alike = only < 0 and has_image(game, n)
    if only >= 0:
        desk.spread[level] = spread
        heaped, soft = 1, 2 * IMPOSSIBLE
    else:
        if alike:
            data = recall(game, desk, level, n, depth, key)
            least = max(least, lower(data))
            if upper(data) > 0 or least > limit:
                desk.found[level] = original(game, desk, level, guess_of(data))
                return whole(least)
        desk.counters[NODES] += 1
        best, heaped, soft = expand(game, desk, level, n, best, least, depth, spread)
        least = max(least, whole(game.floor[depth, desk.spread[level], n]))
        if least > limit:
            heaped, soft = 0, least
    desk.squared[level] = only < 0 and n <= SQUARE
    stamp = desk.counters[STAMP]
    floors = game.floor[below, desk.spread[level]]
    width = game.widths[level] if n > game.whole else len(game.keys)
    while heaped > 0 and width > 0 and (best > least or not game.rules.least):
        guess = only
        if only < 0:
            row = pop(desk.heap[level], heaped) & 0xFFFFFFFF
            guess = whole(desk.guesses[level, row])
            if desk.low[level, row] >= best:
                soft = min(soft, whole(desk.low[level, row]))
                heaped -= 1
                continue
        heaped -= 1
        cells = split(game, desk, level, n, guess)
        if only < 0 and game.rules.dedupe and met_before(desk, level, cells, stamp):
            continue
        width -= 1
        total = bound_by_size(desk, level, n, cells, floors)
        if total < best and game.rules.perfect:
            total = bound_by_codes(game, desk, level, n, cells, total, best, below)
        if total < best and game.rules.table:
            total = bound_by_table(game, desk, level, cells, total, best, below, images=False)
        if total < best and game.rules.alike:
            total = bound_by_table(game, desk, level, cells, total, best, below, images=True)
        used = desk.used[level]
        for hole in range(game.holes):
            used |= whole(1) << whole(game.pegs[guess, hole])
        for cell in range(cells):
            if total >= best:
                break
            if desk.known[level, cell]:
                continue
            kind = desk.answer[level, cell]
            first = desk.start[level, kind]
            size = whole(desk.start[level, kind + 1] - first)
            low = whole(desk.cell_low[level, cell])
            most = whole(low + best - 1 - total if game.rules.slack else IMPOSSIBLE - 1)
            lower_to(desk, level, first, size, used)
            value = search(
                game,
                desk,
                level + 1,
                size,
                most,
                whole(below),
                whole(desk.spread[level]),
                low,
                desk.cell_key[level, cell],
                whole(-1),
            )
            total += value - low
            if value <= most:
                learn(desk, size, value)
        if total < best:
            best = total
            desk.found[level] = guess
        else:
            soft = min(soft, total)
    if game.control[STOP] != 0:
        return whole(IMPOSSIBLE)
    exact = best <= limit
    if not exact:
        best = max(best, min(soft, IMPOSSIBLE))
    if game.rules.table and only < 0:
        guess = whole(desk.found[level]) if exact else whole(-1)
        key, tag = salted(game, key, n, depth), region_tag(desk, level, n)
        keep(game.table, key, tag, best, exact, guess, game.count_bits)
        if alike:
            key, tag = salted(game, desk.image_key[level], n, depth), desk.image_tag[level]
            guess = image(game, desk, level, guess)
            keep(game.table, key, tag, best, exact, guess, game.count_bits)
    return whole(best)
