"""Strategy trees: grown by a one-step rule, folded into the figures people compare.

A tree is a few arrays, a node each, parents before children: cheap to grow in a kernel, to
join and to fold. Rules themselves live in `strategies`; here a rule is a table of costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.solver.compiled import kernel
from keypeg.solver.kernels import BLOCK, LANES, count_into, score_into
from keypeg.solver.symmetry import prefix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from keypeg.solver.codespace import Arrays

    Words = NDArray[np.uint64]

ROOT: Final = -1
"""The parent of a tree's first node."""

NONE: Final = -1
"""No guess: none of those tried was cheap enough."""

DEAR: Final = np.int64(2**62)
"""More than any guess costs."""

FEW: Final = 24
"""Sets up to this size are cheaper to cost code by code than by a histogram."""


@dataclass(frozen=True)
class Tree:
    """What to guess after every sequence of answers; `size` codes are possible at a node."""

    parent: NDArray[np.int32]
    answer: NDArray[np.uint8]
    guess: NDArray[np.int32]
    size: NDArray[np.int32]

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Which guess of the game a node makes: 1 for the first."""
        return _depths(self.parent)

    @cached_property
    def wins(self) -> NDArray[np.int32]:
        """1 where a node's guess is a possible secret, else 0."""
        below = np.bincount(self.parent[1:], self.size[1:], len(self.size))
        return (self.size - below).astype(np.int32)

    @property
    def distribution(self) -> dict[int, int]:
        """How many codes are found with each number of guesses."""
        found = np.bincount(self.depth, self.wins).astype(np.int64)
        return {guesses: int(many) for guesses, many in enumerate(found) if many}

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """For every node, guesses from there on, summed over its codes."""
        return _totals(self.parent, self.size)


def join(root: Tree, subtrees: Iterable[tuple[int, int, Tree]]) -> Tree:
    """`root` with trees hung on it, each with the node and the answer it belongs to."""
    parts = [root]
    offset = len(root.parent)
    for node, answer, tree in subtrees:
        parent = tree.parent + np.int32(offset)
        parent[0] = node
        answers = tree.answer.copy()
        answers[0] = answer
        parts.append(Tree(parent, answers, tree.guess, tree.size))
        offset += len(parent)
    return Tree(
        np.concatenate([part.parent for part in parts]),
        np.concatenate([part.answer for part in parts]),
        np.concatenate([part.guess for part in parts]),
        np.concatenate([part.size for part in parts]),
    )


def single(guess: int, size: int) -> Tree:
    """A tree of one node."""
    return Tree(
        np.array([ROOT], np.int32),
        np.zeros(1, np.uint8),
        np.array([guess], np.int32),
        np.array([size], np.int32),
    )


@kernel
def _depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    depth = np.ones(len(parent), np.int32)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return depth


@kernel
def _totals(parent: NDArray[np.int32], size: NDArray[np.int32]) -> NDArray[np.int64]:
    total = size.astype(np.int64)
    for node in range(len(parent) - 1, 0, -1):
        total[parent[node]] += total[node]
    return total


@kernel
def padded(words: Words, region: NDArray[np.int32]) -> Words:
    """The words of the codes of `region` side by side, filled up with zeros to whole vectors."""
    out = np.zeros((words.shape[0], (len(region) + LANES - 1) // LANES * LANES), np.uint64)
    for row in range(words.shape[0]):
        for i in range(len(region)):
            out[row, i] = words[row, region[i]]
    return out


class Costs(NamedTuple):
    """A rule as kernels see it: the cost of a cell by its size, and of the cell it wins.

    A guess costs the sum of its cells, or the largest.
    """

    by_size: NDArray[np.int64]
    won: np.int64
    largest: bool


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
    by_size = costs.by_size
    kinds = holes * (holes + 3) // 2
    answers = np.empty(BLOCK, np.uint8)
    counts = np.empty((4, kinds), np.int32)
    tally = counts[0]
    best = np.int32(NONE)
    for guess in guesses:
        cost = np.int64(0)
        if many <= FEW and not costs.largest:
            score_into(words, guess, codes, 0, codes.shape[1], holes, answers)
            tally[:] = 0
            for i in range(many):
                before = tally[answers[i]]
                cost += by_size[before + 1] - by_size[before]
                tally[answers[i]] = before + 1
        else:
            count_into(words, guess, codes, many, holes, answers, counts)
            for kind in range(kinds):
                if costs.largest:
                    cost = max(cost, by_size[tally[kind]])
                else:
                    cost += by_size[tally[kind]]
        if tally[kinds - 1] and not costs.largest:
            cost += costs.won - by_size[1]
        if cost < below:
            best, below = guess, cost
            if cost <= enough:
                break
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
                    raise ValueError("a rule must not choose a guess that tells nothing apart")
                start[nodes] = start[node] + starts[kind]
                seen[nodes] = seen[node] | np.int64(space.colours[guess[node]])
                nodes += 1
        node += 1
    return parent[:nodes].copy(), answer[:nodes].copy(), guess[:nodes].copy(), size[:nodes].copy()
