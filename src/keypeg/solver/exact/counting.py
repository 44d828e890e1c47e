"""How guesses split a region, for all guesses at once: vector code over columns and strips.

A column holds the answers of every guess on the board to one code of the region. Regions further
down are parts of it and use the same columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import kernel, part, popcount, whole, with_bit
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.workspace import BLOCK, SMALL, SearchData, Workspace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int32]
    Words = NDArray[np.uint64]


@part
def answers_into(
    data: SearchData, workspace: Workspace, level: int, n: int, guess: int, out: Bytes
) -> None:
    """Score `guess` against the region's codes."""
    last = np.uint64(data.kinds - 1)
    one = np.uint64(1)
    mine, counted = data.words[0, guess], data.words[1, guess]
    positions, counts = workspace.positions[level, :n], workspace.counts[level, :n]
    for i in range(n):
        black = popcount(positions[i] & mine)
        common = popcount(counts[i] & counted)
        out[i] = min((common * (common + one) >> one) + black, last)


@part
def answer_between(data: SearchData, one: int, other: int) -> int:
    """Score one code against another."""
    black = whole(popcount(data.words[0, one] & data.words[0, other]))
    common = whole(popcount(data.words[1, one] & data.words[1, other]))
    return min((common * (common + 1) >> 1) + black, data.kinds - 1)


@kernel
def column_stride(codes: int) -> int:
    """Bytes from one column to the next: not a power of two, or columns share cache lines."""
    return (codes + 63) // 64 * 64 + 64


@part
def count_cells(data: SearchData, workspace: Workspace, level: int, n: int) -> int:
    """Into how many cells each guess of the pool splits the region; returns the most.

    Column by column: the answers of all guesses to one code set a bit each in what was seen.
    """
    pooled = workspace.pool[level]
    codes = pooled or len(data.keys)
    words = workspace.pool_words if pooled else data.words
    stride = column_stride(codes)
    has = workspace.has_columns[level] != 0
    build = not has and keeps_columns(data, workspace, level, n)
    seen = workspace.seen
    most = np.uint8(0)
    for start in range(0, codes, BLOCK):
        size = min(BLOCK, codes - start)
        for g in range(size):
            seen[g] = 0
        for i in range(n):
            if has:
                place = workspace.at[level, i] * stride + start
                column = workspace.columns[place : place + size]
            else:
                if build:
                    place = i * stride + start
                    column = workspace.columns[place : place + size]
                else:
                    column = workspace.line[:size]
                mine, counted = workspace.positions[level, i], workspace.counts[level, i]
                score_strip(data, words, start, size, mine, counted, column)
            for g in range(size):
                seen[g] = with_bit(seen[g], column[g])
        split = workspace.split[start : start + size]
        for g in range(size):
            cells = np.uint8(popcount(seen[g]))
            split[g] = cells
            most = max(most, cells)
    if build:
        keep_columns(workspace, level, n)
    return whole(most)


@part
def keeps_columns(data: SearchData, workspace: Workspace, level: int, n: int) -> bool:
    """Whether there is room for columns, and no smaller pool to come."""
    pooled = workspace.pool[level]
    codes = pooled or len(data.keys)
    settled = pooled > 0 or n <= SMALL or data.pool >= codes
    return bool(settled and n * column_stride(codes) <= len(workspace.columns))


@part
def keep_columns(workspace: Workspace, level: int, n: int) -> None:
    """From here down, use the columns just filled: one for each code of this region."""
    workspace.has_columns[level] = 1
    for i in range(n):
        workspace.at[level, i] = i


@part
def fill_columns(
    data: SearchData, workspace: Workspace, level: int, n: int, start: int, size: int
) -> None:
    """Score a strip of the pool against the region's codes, into the columns."""
    pooled = workspace.pool[level]
    words = workspace.pool_words if pooled else data.words
    stride = column_stride(pooled or len(data.keys))
    for i in range(n):
        column = workspace.columns[i * stride + start : i * stride + start + size]
        score_strip(
            data,
            words,
            start,
            size,
            workspace.positions[level, i],
            workspace.counts[level, i],
            column,
        )


@part
def score_strip(
    data: SearchData,
    words: Words,
    start: int,
    size: int,
    mine: np.uint64,
    counted: np.uint64,
    out: Bytes,
) -> None:
    """The answers of a strip of guesses to one code."""
    last, unit = np.uint64(data.kinds - 1), np.uint64(1)
    positions, counts = words[0, start : start + size], words[1, start : start + size]
    for g in range(size):
        black = popcount(positions[g] & mine)
        common = popcount(counts[g] & counted)
        out[g] = min((common * (common + unit) >> unit) + black, last)


@part
def count_strip(
    data: SearchData, workspace: Workspace, level: int, n: int, start: int, size: int
) -> None:
    """How often each answer comes to each of a strip of guesses, into `workspace.many`.

    One answer at a time over all guesses of the strip, which is vector code; bytes are
    emptied into wider counters before they overflow.
    """
    pooled = workspace.pool[level]
    words = workspace.pool_words if pooled else data.words
    stride = column_stride(pooled or len(data.keys))
    kinds = data.kinds
    few, many = workspace.few, workspace.many
    has = workspace.has_columns[level] != 0
    kept = has or keeps_columns(data, workspace, level, n)
    for kind in range(kinds):
        for g in range(size):
            few[kind, g] = 0
            many[kind, g] = 0
    for i in range(n):
        if kept:
            place = (whole(workspace.at[level, i]) if has else i) * stride + start
            column = workspace.columns[place : place + size]
        else:
            column = workspace.line[:size]
        if not has:
            mine, counted = workspace.positions[level, i], workspace.counts[level, i]
            score_strip(data, words, start, size, mine, counted, column)
        for kind in range(kinds):
            answer = np.uint8(kind)
            strip = few[kind]
            for g in range(size):
                strip[g] += np.uint8(column[g] == answer)
        if (i + 1) % 255 == 0 or i + 1 == n:
            for kind in range(kinds):
                for g in range(size):
                    many[kind, g] += few[kind, g]
                    few[kind, g] = 0


@part
def weigh_strip(data: SearchData, workspace: Workspace, size: int, floors: Ints) -> None:
    """Of each guess of a strip that was counted: bound, learned cost, number of cells, largest.

    The bound is that of the cells, without the guess itself.
    """
    weights = workspace.weights
    low, cost, cells, largest = weights[0], weights[1], weights[2], weights[3]
    for g in range(size):
        low[g] = cost[g] = cells[g] = largest[g] = 0
    for kind in range(data.kinds - 1):
        many = workspace.many[kind]
        for g in range(size):
            codes = many[g]
            low[g] += floors[codes]
            cost[g] += data.cost[codes]
            cells[g] += codes != 0
            largest[g] = max(largest[g], np.int32(codes))


@part
def weigh(
    data: SearchData, workspace: Workspace, n: int, line: Bytes, floors: Ints
) -> tuple[int, int, int]:
    """Of a guess's answers: a lower bound, the learned cost and the largest cell."""
    win = data.kinds - 1
    sizes = workspace.sums
    one = np.uint64(1)
    for i in range(n):
        sizes[line[i]] += one
    low, cost, largest = n, 0, 0
    sizes[win] = 0
    for i in range(n):
        size = whole(sizes[line[i]])
        if size != 0:
            sizes[line[i]] = 0
            low += floors[size]
            cost += data.cost[size]
            largest = max(largest, size)
    return low, cost, largest


@part
def least_sum(floors: Ints, n: int, cells: int) -> int:
    """The least that `n` codes in `cells` cells can take: equal cells, since floors are convex."""
    if cells <= 0:
        return 0 if n == 0 else IMPOSSIBLE
    each = n // cells
    larger = n - each * cells
    return larger * whole(floors[each + 1]) + (cells - larger) * whole(floors[each])


@part
def enough_cells(floors: Ints, n: int, most: int, best: int, cells: int) -> int:
    """The fewest cells, from `cells` on, with which a guess could do better than `best`."""
    while cells <= most and n + least_sum(floors, n, cells) >= best:
        cells += 1
    return cells
