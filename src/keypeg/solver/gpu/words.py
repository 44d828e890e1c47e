"""Codes as 32-bit words for a graphics processor, and how two of them are scored.

A code is a word of places and one or more words of counts. A place is a few bits with the number
of the peg there: of two codes, the groups of bits that differ are the holes that differ. Counts
have a bit for each symbol and each number from 1 on that it occurs, so that the bits in common are
the pegs in common. The bit for a symbol in every hole is left out: then the codes are equal, which
their places show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from keypeg.solver.codes.codespace import CodeSpace

    Words = NDArray[np.uint32]

WORD: Final = 32


class WordLayout(NamedTuple):
    """How the codes of a board lie in words."""

    holes: int
    symbols: int

    @property
    def bits(self) -> int:
        """Bits of a place."""
        return max(1, (self.symbols - 1).bit_length())

    @property
    def fits(self) -> bool:
        """Whether the places fit into one word."""
        return self.holes * self.bits <= WORD

    @property
    def levels(self) -> int:
        """How often a symbol can occur, so far as it is counted."""
        return max(1, self.holes - 1)

    @property
    def counts(self) -> int:
        """Words of counts."""
        return -(-self.symbols * self.levels // WORD)

    @property
    def lowest(self) -> int:
        """The lowest bit of each place."""
        return sum(1 << hole * self.bits for hole in range(self.holes))

    @property
    def cells(self) -> int:
        """Cells of a tally, by pegs in common and holes that differ."""
        return (self.holes + 1) ** 2


def pack(space: CodeSpace) -> Words:
    """The words of every code, a column for each: places, then counts."""
    layout = WordLayout(space.holes, space.symbols)
    out = np.zeros((1 + layout.counts, len(space)), np.uint32)
    for hole, pegs in enumerate(space.pegs.T):
        out[0] |= pegs.astype(np.uint32) << np.uint32(hole * layout.bits)
    for symbol in range(layout.symbols):
        many = (space.pegs == symbol).sum(axis=1)
        for level in range(layout.levels):
            word, bit = divmod(symbol * layout.levels + level, WORD)
            out[1 + word] |= (many > level).astype(np.uint32) << np.uint32(bit)
    return out


def cell(layout: WordLayout, one: Words, other: Words) -> NDArray[np.int64]:
    """The cell of the tally that each answer belongs to: what the kernels compute, slowly."""
    differing = one[0] ^ other[0]
    for shift in range(1, layout.bits):
        differing = differing | (one[0] ^ other[0]) >> np.uint32(shift)
    wrong = np.bitwise_count(differing & np.uint32(layout.lowest)).astype(np.int64)
    common = np.bitwise_count(one[1:] & other[1:]).sum(axis=0, dtype=np.int64)
    return np.asarray(common * (layout.holes + 1) + wrong, np.int64)


def answers(layout: WordLayout) -> NDArray[np.uint8]:
    """The number of the answer of each cell, as `codespace.Answers` numbers them."""
    side = layout.holes + 1
    common, wrong = np.divmod(np.arange(layout.cells), side)
    black = layout.holes - wrong
    solved = layout.holes * (layout.holes + 3) // 2 - 1
    number = np.minimum(common * (common + 1) // 2 + black, solved)
    return np.where(wrong == 0, solved, number).astype(np.uint8)
