"""Which guesses are worth trying on a region, cheapest first: all are looked at, few kept.

A guess is turned down when its cells cannot take little enough, or when a colour never
guessed appears in it before a smaller one. Those kept wait in a heap, by learned cost.
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
)
from keypeg.solver.exact.desk import SMALL, SQUARE, STAMP, STRIP, Desk, Game

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
    least, value = whole(heap[0]), heap[many - 1]
    many -= 1
    place = 0
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
    return least


@part
def threshold(values: Longs, wanted: int, sample: Longs) -> int:
    """A value that about `wanted` of the values are below, judged by a sample of them."""
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
def draft(game: Game, desk: Desk, level: int, n: int, heaped: int) -> None:
    """From here down, choose among the cheapest guesses in the heap and the region's codes."""
    stamp = desk.counters[STAMP]
    heap = desk.heap[level, :heaped]
    dearest = threshold(heap, game.pool, desk.sample)
    pooled = 0
    for i in range(n):
        desk.pool_codes[pooled] = desk.codes[level, i]
        pooled += 1
    for i in range(heaped):
        guess = desk.guesses[level, heap[i] & 0xFFFFFFFF]
        if heap[i] < dearest and desk.inside[guess] != stamp:
            desk.pool_codes[pooled] = guess
            pooled += 1
    for i in range(pooled):
        desk.pool_words[0, i] = game.words[0, desk.pool_codes[i]]
        desk.pool_words[1, i] = game.words[1, desk.pool_codes[i]]
    desk.pool[level] = pooled
    desk.has_columns[level] = 0
    if n * column_stride(pooled) <= len(desk.columns):
        for start in range(0, pooled, STRIP):
            fill_columns(game, desk, level, n, start, min(STRIP, pooled - start))
        keep_columns(desk, level, n)


@part
def expand(
    game: Game, desk: Desk, level: int, n: int, best: int, least: int, depth: int, spread: int
) -> tuple[int, int, int]:
    """Look at every guess on the region and put those worth trying into the heap.

    Guesses that leave cells of one or two codes are settled here. Gives the best total so
    settled (below `best`, or `best`), the guesses in the heap, and the least bound of a guess
    that was turned down; stops as soon as `least` is reached.
    """
    desk.counters[STAMP] += 1
    desk.spread[level] = spread
    if n <= SMALL:
        return expand_small(game, desk, level, n, best, least, depth, spread)
    return expand_large(game, desk, level, n, best, depth, spread)


@part
def expand_small(
    game: Game, desk: Desk, level: int, n: int, best: int, least: int, depth: int, spread: int
) -> tuple[int, int, int]:
    """`expand`, the region's own codes first: often one of them is enough."""
    pooled = desk.pool[level]
    codes = pooled or len(game.keys)
    win = game.kinds - 1
    below = depth if depth == game.floor.shape[0] - 1 else depth - 1
    floors = game.floor[below, spread]
    stamp = desk.counters[STAMP]
    heap, guesses, lows = desk.heap[level], desk.guesses[level], desk.low[level]
    heaped = 0
    soft = 2 * IMPOSSIBLE
    for i in range(n):
        guess = whole(desk.codes[level, i])
        desk.inside[guess] = stamp
        line = desk.square[level, i * n : i * n + n]
        answers_into(game, desk, level, n, guess, line)
        low, cost, largest = weigh(game, desk, n, line, floors)
        if low >= best:
            soft = min(soft, low)
        elif largest <= 2:
            best = low
            desk.found[level] = guess
            if game.rules.least and best <= least:
                return best, 0, soft
        elif not game.rules.colours or in_colour_order(game.pegs, guess, desk.used[level]):
            guesses[heaped], lows[heaped] = guess, low
            push(heap, heaped, (whole(cost) << 32) | heaped)
            heaped += 1
    most = min(n, win)
    enough = enough_cells(floors, n, most, best, 1) if game.rules.cells else 0
    if enough > most:
        return best, heaped, min(soft, n + least_sum(floors, n, most))
    most = count_cells(game, desk, level, n)
    if game.rules.spread and most < spread:
        desk.spread[level] = most
        floors = game.floor[below, most]
    if game.rules.cells:
        soft = min(soft, n + least_sum(floors, n, most))
    if enough > most:
        return best, heaped, soft
    line = desk.line[:n]
    for place in range(codes):
        guess = whole(desk.pool_codes[place]) if pooled else place
        if desk.split[place] < max(2, enough) or desk.inside[guess] == stamp:
            continue
        if game.rules.colours and not in_colour_order(game.pegs, guess, desk.used[level]):
            continue
        answers_into(game, desk, level, n, guess, line)
        low, cost, largest = weigh(game, desk, n, line, floors)
        if low >= best:
            soft = min(soft, low)
            continue
        if largest <= 2:
            best = low
            desk.found[level] = guess
            if game.rules.least and best <= least:
                return best, 0, soft
            if game.rules.cells:
                enough = enough_cells(floors, n, most, best, enough)
            continue
        guesses[heaped], lows[heaped] = guess, low
        push(heap, heaped, (whole(cost) << 32) | heaped)
        heaped += 1
    return best, heaped, soft


@part
def expand_large(
    game: Game, desk: Desk, level: int, n: int, best: int, depth: int, spread: int
) -> tuple[int, int, int]:
    """`expand`, strip by strip over all guesses."""
    pooled = desk.pool[level]
    codes = pooled or len(game.keys)
    win = game.kinds - 1
    below = depth if depth == game.floor.shape[0] - 1 else depth - 1
    floors = game.floor[below, spread]
    stamp = desk.counters[STAMP]
    heap, guesses, lows = desk.heap[level], desk.guesses[level], desk.low[level]
    heaped = widest = 0
    soft = 2 * IMPOSSIBLE
    for i in range(n):
        desk.inside[desk.codes[level, i]] = stamp
    for start in range(0, codes, STRIP):
        size = min(STRIP, codes - start)
        count_strip(game, desk, level, n, start, size)
        for g in range(size):
            guess = whole(desk.pool_codes[start + g]) if pooled else start + g
            cells = largest = low = cost = 0
            for kind in range(win):
                many = whole(desk.many[kind, g])
                if many != 0:
                    cells += 1
                    low += floors[many]
                    cost += game.cost[many]
                    largest = max(largest, many)
            low += n
            widest = max(widest, cells)
            if cells == 1 and desk.inside[guess] != stamp:
                continue
            if low >= best:
                soft = min(soft, low)
                continue
            if game.rules.colours and not in_colour_order(game.pegs, guess, desk.used[level]):
                continue
            if largest <= 2:
                best = low
                desk.found[level] = guess
                continue
            guesses[heaped], lows[heaped] = guess, low
            push(heap, heaped, (whole(cost) << 32) | heaped)
            heaped += 1
    if desk.has_columns[level] == 0 and keeps_columns(game, desk, level, n):
        keep_columns(desk, level, n)
    if game.rules.spread:
        desk.spread[level] = min(spread, widest)
    if not pooled and heaped > game.pool:
        draft(game, desk, level, n, heaped)
    if n <= SQUARE:
        for i in range(n):
            line = desk.square[level, i * n : i * n + n]
            answers_into(game, desk, level, n, whole(desk.codes[level, i]), line)
    return best, heaped, soft
