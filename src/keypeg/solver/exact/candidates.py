"""Which guesses are worth trying on a region, cheapest first: all are looked at, few are kept.

A guess is rejected when the lower bound of its cells is too high, or when a colour never guessed
appears in it before a smaller one. Those kept wait in a heap, ordered by learned cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.solver.codes.compiled import part, whole
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.counting import (
    answers_into,
    column_stride,
    count_cells,
    count_strip,
    enough_cells,
    fill_columns,
    keep_columns,
    keeps_columns,
    least_sum,
    weigh,
    weigh_strip,
)
from keypeg.solver.exact.workspace import SMALL, SQUARE, STAMP, STRIP, SearchData, Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Longs = NDArray[np.int64]


@part
def in_colour_order(pegs: Bytes, code: int, used: int) -> bool:
    """Whether the colours outside `used` first appear in increasing order, none left out."""
    expected = used
    for hole in range(pegs.shape[1]):
        bit = whole(1) << whole(pegs[code, hole])
        if expected & bit == 0:
            if bit != ~expected & (expected + 1):
                return False
            expected |= bit
    return True


@part
def push(heap: Longs, many: int, value: int) -> None:
    """Put `value` into a binary heap that holds `many`."""
    place = many
    while place > 0:
        above = (place - 1) >> 1
        if heap[above] <= value:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = value


@part
def pop(heap: Longs, many: int) -> int:
    """Take the least value off a binary heap that holds `many`."""
    least = whole(heap[0])
    sink(heap, many - 1, 0, whole(heap[many - 1]))
    return least


@part
def sink(heap: Longs, many: int, place: int, value: int) -> None:
    """Put `value` at a place of a binary heap that holds `many`, or below what is less."""
    while True:
        below = 2 * place + 1
        if below >= many:
            break
        if below + 1 < many and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = value


@part
def reject(workspace: Workspace, level: int, heaped: int, best: int) -> tuple[int, int]:
    """Leave only guesses bounded below `best` in the heap; how many, and the least bound of others.

    All at once: taking them out one by one would sort them first.
    """
    heap, lows = workspace.heap[level], workspace.low[level]
    kept = 0
    soft = 2 * IMPOSSIBLE
    for i in range(heaped):
        low = whole(lows[heap[i] & 0xFFFFFFFF])
        if low < best:
            heap[kept] = heap[i]
            kept += 1
        else:
            soft = min(soft, low)
    for place in range(kept // 2 - 1, -1, -1):
        sink(heap, kept, place, whole(heap[place]))
    return kept, soft


@part
def threshold(values: Longs, wanted: int, sample: Longs) -> int:
    """A value that about `wanted` of the values are below, estimated from a sample of them."""
    drawn = min(len(sample), len(values))
    for i in range(drawn):
        value = values[i * len(values) // drawn]
        place = i
        while place > 0 and sample[place - 1] > value:
            sample[place] = sample[place - 1]
            place -= 1
        sample[place] = value
    return whole(sample[wanted * drawn // len(values)])


@part
def draft(data: SearchData, workspace: Workspace, level: int, n: int, heaped: int) -> None:
    """From here down, choose among the cheapest guesses in the heap and the region's codes."""
    stamp = workspace.counters[STAMP]
    heap = workspace.heap[level, :heaped]
    cutoff = threshold(heap, data.pool, workspace.sample)
    pooled = 0
    for i in range(n):
        workspace.pool_codes[pooled] = workspace.codes[level, i]
        pooled += 1
    for i in range(heaped):
        guess = workspace.guesses[level, heap[i] & 0xFFFFFFFF]
        if heap[i] < cutoff and workspace.inside[guess] != stamp:
            workspace.pool_codes[pooled] = guess
            pooled += 1
    for i in range(pooled):
        workspace.pool_words[0, i] = data.words[0, workspace.pool_codes[i]]
        workspace.pool_words[1, i] = data.words[1, workspace.pool_codes[i]]
    workspace.pool[level] = pooled
    workspace.has_columns[level] = 0
    if n * column_stride(pooled) <= len(workspace.columns):
        for start in range(0, pooled, STRIP):
            fill_columns(data, workspace, level, n, start, min(STRIP, pooled - start))
        keep_columns(workspace, level, n)


@part
def expand(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    best: int,
    least: int,
    depth: int,
    spread: int,
) -> tuple[int, int, int]:
    """Look at every guess on the region and put those worth trying into the heap.

    Guesses that leave only cells of one or two codes are settled here. Returns the best total
    settled (or `best` if none is below), the number of guesses in the heap, and the least bound of
    a rejected guess. Stops as soon as `least` is reached.
    """
    workspace.counters[STAMP] += 1
    workspace.spread[level] = spread
    if n <= SMALL:
        return expand_small(data, workspace, level, n, best, least, depth, spread)
    return expand_large(data, workspace, level, n, best, depth, spread)


@part
def expand_small(
    data: SearchData,
    workspace: Workspace,
    level: int,
    n: int,
    best: int,
    least: int,
    depth: int,
    spread: int,
) -> tuple[int, int, int]:
    """`expand`, the region's own codes first: often one of them is enough."""
    pooled = workspace.pool[level]
    codes = pooled or len(data.keys)
    win = data.kinds - 1
    below = depth if depth == data.floor.shape[0] - 1 else depth - 1
    floors = data.floor[below, spread]
    stamp = workspace.counters[STAMP]
    heap, guesses, lows = workspace.heap[level], workspace.guesses[level], workspace.low[level]
    heaped = 0
    soft = 2 * IMPOSSIBLE
    for i in range(n):
        guess = whole(workspace.codes[level, i])
        workspace.inside[guess] = stamp
        line = workspace.square[level, i * n : i * n + n]
        answers_into(data, workspace, level, n, guess, line)
        low, cost, largest = weigh(data, workspace, n, line, floors)
        if low >= best:
            soft = min(soft, low)
        elif largest <= 2:
            best = low
            workspace.found[level] = guess
            if data.shortcuts.least and best <= least:
                return best, 0, soft
        elif not data.shortcuts.colours or in_colour_order(data.pegs, guess, workspace.used[level]):
            guesses[heaped], lows[heaped] = guess, low
            push(heap, heaped, (whole(cost) << 32) | heaped)
            heaped += 1
    most = min(n, win)
    enough = enough_cells(floors, n, most, best, 1) if data.shortcuts.cells else 0
    if enough > most:
        return best, heaped, min(soft, n + least_sum(floors, n, most))
    most = count_cells(data, workspace, level, n)
    if data.shortcuts.spread and most < spread:
        workspace.spread[level] = most
        floors = data.floor[below, most]
    if data.shortcuts.cells:
        soft = min(soft, n + least_sum(floors, n, most))
    if enough > most:
        return best, heaped, soft
    line = workspace.line[:n]
    for place in range(codes):
        guess = whole(workspace.pool_codes[place]) if pooled else place
        if workspace.split[place] < max(2, enough) or workspace.inside[guess] == stamp:
            continue
        if data.shortcuts.colours and not in_colour_order(data.pegs, guess, workspace.used[level]):
            continue
        answers_into(data, workspace, level, n, guess, line)
        low, cost, largest = weigh(data, workspace, n, line, floors)
        if low >= best:
            soft = min(soft, low)
            continue
        if largest <= 2:
            best = low
            workspace.found[level] = guess
            if data.shortcuts.least and best <= least:
                return best, 0, soft
            if data.shortcuts.cells:
                enough = enough_cells(floors, n, most, best, enough)
            continue
        guesses[heaped], lows[heaped] = guess, low
        push(heap, heaped, (whole(cost) << 32) | heaped)
        heaped += 1
    return best, heaped, soft


@part
def expand_large(
    data: SearchData, workspace: Workspace, level: int, n: int, best: int, depth: int, spread: int
) -> tuple[int, int, int]:
    """`expand`, strip by strip over all guesses."""
    pooled = workspace.pool[level]
    codes = pooled or len(data.keys)
    below = depth if depth == data.floor.shape[0] - 1 else depth - 1
    floors = data.floor[below, spread]
    stamp = workspace.counters[STAMP]
    heap, guesses, lows = workspace.heap[level], workspace.guesses[level], workspace.low[level]
    weights = workspace.weights
    heaped = widest = 0
    soft = 2 * IMPOSSIBLE
    for i in range(n):
        workspace.inside[workspace.codes[level, i]] = stamp
    for start in range(0, codes, STRIP):
        size = min(STRIP, codes - start)
        count_strip(data, workspace, level, n, start, size)
        weigh_strip(data, workspace, size, floors)
        for g in range(size):
            guess = whole(workspace.pool_codes[start + g]) if pooled else start + g
            cells = whole(weights[2, g])
            low = n + whole(weights[0, g])
            cost = whole(weights[1, g])
            largest = whole(weights[3, g])
            widest = max(widest, cells)
            if cells == 1 and workspace.inside[guess] != stamp:
                continue
            if low >= best:
                soft = min(soft, low)
                continue
            if data.shortcuts.colours and not in_colour_order(
                data.pegs, guess, workspace.used[level]
            ):
                continue
            if largest <= 2:
                best = low
                workspace.found[level] = guess
                continue
            guesses[heaped], lows[heaped] = guess, low
            push(heap, heaped, (whole(cost) << 32) | heaped)
            heaped += 1
    if workspace.has_columns[level] == 0 and keeps_columns(data, workspace, level, n):
        keep_columns(workspace, level, n)
    if data.shortcuts.spread:
        workspace.spread[level] = min(spread, widest)
    if not pooled and heaped > data.pool:
        draft(data, workspace, level, n, heaped)
    if n <= SQUARE:
        for i in range(n):
            line = workspace.square[level, i * n : i * n + n]
            answers_into(data, workspace, level, n, whole(workspace.codes[level, i]), line)
    return best, heaped, soft
