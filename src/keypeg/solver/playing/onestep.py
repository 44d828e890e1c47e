"""One-step play, compiled: the cheapest guess by a table of costs, and the tree it grows.

Which costs make which strategy is in `strategies`. The cheapest guess is chosen; of equal ones,
one that may be the secret, and of those the smallest.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.solver.codes.compiled import kernel
from keypeg.solver.codes.kernels import BLOCK, LANES, matrix, partition, score_into
from keypeg.solver.codes.symmetry import Symmetry, prefix, useful
from keypeg.solver.codes.trees import ROOT, Tree, join, single
from keypeg.solver.progress import Watch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from keypeg.solver.codes.codespace import Arrays, CodeSpace

    Words = NDArray[np.uint64]

NONE: Final = -1
"""No guess: none of those tried was cheap enough."""

DEAR: Final = np.int64(2**62)
"""More than any guess costs."""

THREADS: Final = 2
"""Threads that grow a tree; the kernels run without the interpreter lock."""

SINGLE_HANDED: Final = 16_000_000
"""A region with fewer codes times guesses than this is grown in one piece by one thread."""


class Costs(NamedTuple):
    """A rule as kernels see it: the cost of a cell by its size, and of the cell it wins.

    A guess costs the sum of its cells, or the largest.
    """

    by_size: NDArray[np.int64]
    won: np.int64
    largest: bool


def best_guess(
    space: CodeSpace, remaining: NDArray[np.int32], guesses: NDArray[np.int32], costs: Costs
) -> int:
    """The first cheapest of `guesses`, possible secrets before others."""
    if len(remaining) <= 2:
        return int(remaining[0])
    possible = np.zeros(len(space), np.bool_)
    possible[remaining] = True
    codes = padded(space.words, remaining)
    best, below = NONE, DEAR
    for few in (guesses[possible[guesses]], guesses[~possible[guesses]]):
        found, below = cheapest(
            space.words, few, codes, len(remaining), space.holes, costs, below, -DEAR
        )
        best = int(found) if found != NONE else best
    return best


@dataclass(frozen=True, eq=False)
class _Region:
    """Codes that share a history, and the node and answer that led to them."""

    codes: NDArray[np.int32]
    symmetry: Symmetry
    node: int
    answer: int


def plant(space: CodeSpace, costs: Costs, first: int, watch: Watch | None = None) -> Tree:
    """The whole tree by `costs` when `first` is the first guess."""
    watch = watch or Watch(len(space))
    parts: list[tuple[int, int, Tree]] = []
    nodes = 1
    watch.add(1)
    with ThreadPoolExecutor(THREADS) as pool:
        regions = _below(space, space.everything, Symmetry(space).after(first), 0)
        while regions:
            following: list[_Region] = []
            grown = pool.map(lambda region: _grow(space, costs, region, watch), regions)
            for region, (part, symmetry) in zip(regions, grown, strict=True):
                parts.append((region.node, region.answer, part))
                below = _below(space, region.codes, symmetry, nodes) if symmetry else []
                following += below
                nodes += len(part.parent)
                watch.add(len(region.codes) - sum(len(cell.codes) for cell in below))
            regions = sorted(following, key=lambda region: -len(region.codes))
    return join(single(first, len(space)), parts)


def _below(
    space: CodeSpace, codes: NDArray[np.int32], symmetry: Symmetry, node: int
) -> list[_Region]:
    """The regions that the last guess of `symmetry`, made at `node`, leaves of `codes`."""
    cells = partitioned(space, codes, symmetry.guesses[-1])
    if len(cells[0][1]) == len(codes):
        raise ValueError("a rule must not choose a guess that splits nothing")
    return [_Region(cell, symmetry, node, answer) for answer, cell in cells]


def _grow(
    space: CodeSpace, costs: Costs, region: _Region, watch: Watch
) -> tuple[Tree, Symmetry | None]:
    """The tree of a region; of a large one its first node only, and the symmetry below it."""
    watch.check()
    large = len(region.codes) * len(space) > SINGLE_HANDED
    guess = NONE
    if len(region.codes) <= 2:
        guess = int(region.codes[0])
    elif large or not region.symmetry.trivial:
        guesses = useful(space, region.symmetry.canonical, region.codes)
        guess = best_guess(space, region.codes, guesses, costs)
    if large:
        return single(guess, len(region.codes)), region.symmetry.after(guess)
    guessed = ((1 << space.symbols) - 1) & ~region.symmetry.free
    arrays = grow(space.arrays, region.codes, guess, np.int64(guessed), costs)
    return Tree(*arrays), None


def partitioned(
    space: CodeSpace, codes: NDArray[np.int32], guess: int
) -> list[tuple[int, NDArray[np.int32]]]:
    """The answers `guess` may get and the codes each leaves, the winning answer left out."""
    words = space.gather(np.array([guess], np.int32))
    answers = matrix(words, space.gather(codes), space.holes)[0]
    order, starts = partition(answers, space.answers.many)
    cells = [codes[order[starts[a] : starts[a + 1]]] for a in range(space.answers.solved)]
    return [(answer, cell) for answer, cell in enumerate(cells) if len(cell)]


@kernel
def padded(words: Words, region: NDArray[np.int32]) -> Words:
    """The words of the codes of `region` side by side, filled up with zeros to whole vectors."""
    out = np.zeros((words.shape[0], (len(region) + LANES - 1) // LANES * LANES), np.uint64)
    for row in range(words.shape[0]):
        for i in range(len(region)):
            out[row, i] = words[row, region[i]]
    return out


@kernel
def cost_of(sizes: NDArray[np.int32], costs: Costs) -> np.int64:
    """What a guess costs that leaves cells of such sizes, the last of them the one it wins."""
    cost = np.int64(0)
    if costs.largest:
        for size in sizes:
            cost = max(cost, costs.by_size[size])
        return cost
    for size in sizes:
        cost += costs.by_size[size]
    return cost + (costs.won - costs.by_size[1] if sizes[-1] else 0)


@kernel
def cheapest(
    words: Words,
    guesses: NDArray[np.int32],
    codes: Words,
    many: int,
    holes: int,
    costs: Costs,
    below: np.int64,
    enough: np.int64,
) -> tuple[np.int32, np.int64]:
    """The first cheapest of `guesses` on the first `many` of `codes`, if cheaper than `below`.

    A guess that costs no more than `enough` ends the search.
    """
    kinds = holes * (holes + 3) // 2
    answers = np.zeros((4, BLOCK), np.uint8)  # zeros: rows left unscored are counted too
    tally = np.empty((4, kinds), np.int32)
    best = np.int32(NONE)
    for at in range(0, len(guesses), 4):
        together = min(4, len(guesses) - at)
        tally[:] = 0
        for start in range(0, many, BLOCK):
            size = min(many - start, BLOCK)
            stop = min(start + (size + LANES - 1) // LANES * LANES, codes.shape[1])
            for k in range(together):
                score_into(words, guesses[at + k], codes, start, stop, holes, answers[k])
            for i in range(size):  # four at once: no sum waits for the one before
                tally[0, answers[0, i]] += 1
                tally[1, answers[1, i]] += 1
                tally[2, answers[2, i]] += 1
                tally[3, answers[3, i]] += 1
        for k in range(together):
            cost = cost_of(tally[k], costs)
            if cost < below:
                best, below = guesses[at + k], cost
                if cost <= enough:
                    return best, below
    return best, below


@kernel
def worthwhile(space: Arrays, present: np.int64, guessed: np.int64) -> NDArray[np.int32]:
    """The codes that are not another one with absent or never guessed colours exchanged."""
    every = (np.int64(1) << space.symbols) - 1
    absent = every & ~present
    free = every & ~guessed
    unused = absent & (absent - 1)
    out = np.empty(len(space.colours), np.int32)
    found = 0
    for code in range(len(space.colours)):
        used = np.int64(space.colours[code])
        out[found] = code
        plain = used & unused == 0 if space.repeats else prefix(used & absent, absent)
        found += plain and prefix(used & free, free)
    return out[:found]


@kernel
def decide(
    space: Arrays, region: NDArray[np.int32], codes: Words, guessed: np.int64, costs: Costs
) -> np.int32:
    """The cheapest guess on `region`: of equals a possible secret, of those the smallest.

    No guess is cheaper than a possible secret that leaves single codes only, and no other
    guess is cheaper than one that does: either ends the search.
    """
    words, holes, many = space.words, space.holes, len(region)
    single = costs.by_size[1]
    alone = single if costs.largest else many * single
    finest = single if costs.largest else alone - single + costs.won
    best, cost = cheapest(words, region, codes, many, holes, costs, DEAR, finest)
    if cost <= alone:
        return best
    present = np.int64(0)
    for code in region:
        present |= np.int64(space.colours[code])
    guesses = worthwhile(space, present, guessed)
    other, _ = cheapest(words, guesses, codes, many, holes, costs, cost, alone)
    return best if other == NONE else other


@kernel
def split(region: NDArray[np.int32], answers: NDArray[np.uint8], starts: NDArray[np.int32]) -> None:
    """Sort `region` by answer, in place and stably; answer `a` starts at `starts[a]`."""
    before = region.copy()
    starts[:] = 0
    for i in range(len(region)):
        starts[answers[i] + 1] += 1
    for kind in range(1, len(starts)):
        starts[kind] += starts[kind - 1]
    for i in range(len(region)):
        region[starts[answers[i]]] = before[i]
        starts[answers[i]] += 1
    for kind in range(len(starts) - 1, 0, -1):
        starts[kind] = starts[kind - 1]
    starts[0] = 0


@kernel
def grow(
    space: Arrays, region: NDArray[np.int32], first: int, guessed: np.int64, costs: Costs
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]:
    """The arrays of the whole tree below `region`, of which `first` is the first guess.

    With NONE for `first`, that is chosen too. `guessed` are the colours guessed before.
    Regions are stretches of one array.
    """
    words, holes = space.words, space.holes
    kinds = holes * (holes + 3) // 2
    room = 2 * len(region)  # a guess wins or splits, so nodes are fewer than this
    parent = np.empty(room, np.int32)
    answer = np.empty(room, np.uint8)
    guess = np.empty(room, np.int32)
    size = np.empty(room, np.int32)
    start = np.empty(room, np.int32)
    seen = np.empty(room, np.int64)
    order = region.copy()
    answers = np.empty((len(region) + LANES) // LANES * LANES, np.uint8)
    starts = np.empty(kinds + 1, np.int32)
    parent[0], answer[0], size[0], start[0], seen[0] = ROOT, 0, len(region), 0, guessed
    nodes = 1
    node = 0
    while node < nodes:
        cell = order[start[node] : start[node] + size[node]]
        guess[node] = cell[0]
        if len(cell) == 1:
            node += 1
            continue
        codes = padded(words, cell)
        if node == 0 and first != NONE:
            guess[node] = first
        elif len(cell) > 2:
            guess[node] = decide(space, cell, codes, seen[node], costs)
        score_into(words, guess[node], codes, 0, codes.shape[1], holes, answers)
        split(cell, answers, starts)
        for kind in range(kinds - 1):
            if starts[kind + 1] > starts[kind]:
                parent[nodes], answer[nodes] = node, kind
                size[nodes] = starts[kind + 1] - starts[kind]
                if size[nodes] == len(cell):
                    raise ValueError("a rule must not choose a guess that splits nothing")
                start[nodes] = start[node] + starts[kind]
                seen[nodes] = seen[node] | np.int64(space.colours[guess[node]])
                nodes += 1
        node += 1
    return parent[:nodes].copy(), answer[:nodes].copy(), guess[:nodes].copy(), size[:nodes].copy()
