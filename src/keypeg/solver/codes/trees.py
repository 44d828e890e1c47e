"""Strategy trees: what to guess after every sequence of answers, and what that costs.

A tree is a few arrays with a place for each node, parents before children.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

ROOT: Final = -1
"""The parent of a tree's first node."""


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
    """`root` with subtrees, each given with the node and the answer that it belongs to."""
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


def branches(tree: Tree) -> dict[int, Tree]:
    """The subtrees after the first guess, by the answer that they belong to."""
    belongs = np.arange(len(tree.parent), dtype=np.int32)
    for node in range(1, len(belongs)):
        if tree.parent[node]:
            belongs[node] = belongs[tree.parent[node]]
    found = {}
    for child in np.flatnonzero(tree.parent == 0).tolist():
        nodes = np.flatnonzero(belongs == child)
        parent = np.searchsorted(nodes, tree.parent[nodes]).astype(np.int32)
        parent[0] = ROOT
        answers = tree.answer[nodes].copy()
        answers[0] = 0
        found[int(tree.answer[child])] = Tree(parent, answers, tree.guess[nodes], tree.size[nodes])
    return found


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
