"""A strategy as a tree: which guess to make, and where each answer leads.

Nodes are numbered, the first guess is node 0. No search and no scoring here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Tree:
    """Guesses as places among all codes, and for each node the node that an answer leads to.

    `children[node, answer]` is -1 where the answer cannot come. The last answer ends the
    game; it leads to 0 where the guess can be right.
    """

    guesses: NDArray[np.int32]
    children: NDArray[np.int32]

    @classmethod
    def joined(cls, guess: int, answers: int, cells: Mapping[int, Tree], wins: bool) -> Tree:
        """The tree that makes `guess` and goes on with a tree for each answer."""
        guesses = [np.array([guess], np.int32)]
        root = np.full((1, answers), -1, np.int32)
        children = [root]
        nodes = 1
        for answer, cell in sorted(cells.items()):
            root[0, answer] = nodes
            below = cell.children.copy()
            below[:, :-1][below[:, :-1] >= 0] += nodes
            guesses.append(cell.guesses)
            children.append(below)
            nodes += len(cell.guesses)
        if wins:
            root[0, -1] = 0
        return cls(np.concatenate(guesses), np.concatenate(children))

    @classmethod
    def unpacked(cls, data: bytes, answers: int) -> Tree:
        """The tree that `packed` wrote."""
        guesses, masks = from_planes(data).astype(np.int64)
        bits = (masks[:, None] >> np.arange(answers)) & 1
        leads = bits.astype(np.bool_)
        leads[:, -1] = False
        children = np.full(bits.shape, -1, np.int32)
        children[leads] = np.arange(1, leads.sum() + 1)
        children[bits[:, -1] == 1, -1] = 0
        return cls(guesses.astype(np.int32), children)

    def packed(self) -> bytes:
        """Guesses and answers as bytes, nodes level by level: children need no pointers.

        A node's children stand in the order of their answers, after those of all nodes before
        it. A word of bits says which answers can come. Bytes of equal worth stand together,
        which compresses well.
        """
        nodes = self._by_level()
        bits = (self.children[nodes] >= 0).astype(np.int64)
        masks = (bits << np.arange(bits.shape[1])).sum(axis=1)
        return _planes(self.guesses[nodes]) + _planes(masks)

    def _by_level(self) -> NDArray[np.int64]:
        levels = [np.array([0])]
        while len(levels[-1]):
            children = self.children[levels[-1], :-1]
            levels.append(children[children >= 0].astype(np.int64))
        return np.concatenate(levels)

    @cached_property
    def distribution(self) -> tuple[int, ...]:
        """How many codes are found by the first guess, the second and so on."""
        found = []
        nodes = np.array([0])
        while len(nodes):
            children = self.children[nodes]
            found.append(int((children[:, -1] == 0).sum()))
            nodes = children[:, :-1][children[:, :-1] >= 0]
        return tuple(found)

    @property
    def total(self) -> int:
        """Guesses summed over all codes, the winning one included."""
        return sum(guess * codes for guess, codes in enumerate(self.distribution, 1))

    @property
    def worst(self) -> int:
        """The most guesses that any code takes."""
        return len(self.distribution)

    @property
    def codes(self) -> int:
        """How many codes the tree finds."""
        return sum(self.distribution)


def _planes(words: NDArray[np.integer[Any]]) -> bytes:
    """32-bit words as four runs of bytes, the lowest first."""
    return words.astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()


def from_planes(data: bytes) -> NDArray[np.uint32]:
    """The two runs of words that `packed` wrote."""
    planes = np.frombuffer(data, np.uint8).reshape(2, 4, -1)
    return np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<u4")[:, :, 0]
