"""What the holes still to be filled can explain: looking ahead keeps a diagram narrow.

Two questions are answered exactly and separately. Can the holes left give every row its missing
black key pegs, whatever the colours add up to? Can the colours used so far be completed to a code
with every row's total, whatever the order? If either answer is no, a prefix leads nowhere. A
question is skipped from the hole on where its answer would take more entries than a limit.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from keypeg.solver.codes.arrays import Bytes, Flags, Words


class Reach:
    """Both answers for one history, computed when first asked for."""

    def __init__(self, holes: int, black: Bytes, total: Bytes, matches: Bytes, limit: int) -> None:
        self._holes = holes
        self._limit = limit
        self._black = black
        self._total = total
        self._matches = matches
        """[row, hole, guessed colour]"""
        self._multiplicity = matches.sum(axis=1, dtype=np.uint8)
        self._most = self._multiplicity.max(axis=0, initial=0)

    def possible(self, hole: int, black: Bytes, used: Bytes) -> Flags:
        """Whether holes from `hole` on can explain what each column leaves."""
        answer = np.ones(black.shape[1], bool)
        if not self._black.size:
            return answer
        blacks, uses = self._blacks[hole], self._uses[hole]
        if blacks is not None:
            answer &= _contains(blacks, _keys(black, self._black))
        if uses is not None:
            answer &= _contains(uses, _keys(np.minimum(used, self._most[:, None]), self._most))
        return answer

    @cached_property
    def _blacks(self) -> list[Words | None]:
        """For each hole, the missing blacks that the holes from there on can give."""
        layers: list[Words | None] = [None] * (self._holes + 1)
        if not _packable(self._black):
            return layers
        given = np.zeros((self._black.size, 1), np.uint8)
        for hole in range(self._holes, -1, -1):
            layers[hole] = np.sort(_keys(given, self._black))
            if hole:
                columns = np.unique(self._matches[:, hole - 1], axis=1)
                given = _distinct(_sums(given, columns), self._black)
                if given.shape[1] > self._limit:
                    break
        return layers

    @cached_property
    def _uses(self) -> list[Words | None]:
        """For each hole, the colours used that can be completed to every row's total."""
        layers: list[Words | None] = [None] * (self._holes + 1)
        used = self._multisets() if _packable(self._most) else None
        if used is None:
            return layers
        keys, sizes = _keys(used, self._most), used.sum(axis=0, dtype=np.uint8)
        for hole in range(self._holes, -1, -1):
            keys, first = np.unique(keys, return_index=True)
            sizes = sizes[first]
            if keys.size > self._limit:
                break
            layers[hole] = keys
            keys, sizes = _one_fewer(keys, sizes, self._most)
            keys, sizes = keys[sizes < hole], sizes[sizes < hole]
        return layers

    def _multisets(self) -> Bytes | None:
        """The colour counts, each up to `_most`, that give every row its total."""
        chosen = np.zeros((0, 1), np.uint8)
        total = self._total[:, None].astype(np.int16)
        pegs = np.full(1, self._holes, np.int16)
        rest = self._multiplicity.sum(axis=1, dtype=np.int16)
        for colour, most in enumerate(self._most):
            here = self._multiplicity[:, colour].astype(np.int16)
            rest = rest - here
            parts = []
            for count in range(int(most) + 1):
                left = total - np.minimum(here, count)[:, None]
                good = (left >= 0) & (left <= rest[:, None]) & (left <= pegs - count)
                kept = np.flatnonzero(good.all(axis=0) & (pegs >= count))
                line = np.full((1, kept.size), count, np.uint8)
                parts.append(
                    (np.concatenate([chosen[:, kept], line]), left[:, kept], pegs[kept] - count)
                )
            chosen, total, pegs = (np.concatenate(p, axis=-1) for p in zip(*parts, strict=True))
            if chosen.shape[1] > self._limit:
                return None
        return chosen


def _sums(given: Bytes, columns: Bytes) -> Bytes:
    """Each of `given` plus each of `columns`, or plus nothing."""
    nothing = np.zeros((len(columns), 1), np.uint8)
    choices = np.unique(np.concatenate([nothing, columns], axis=1), axis=1)
    sums: Bytes = (given[:, :, None] + choices[:, None, :]).reshape(len(given), -1)
    return sums


def _one_fewer(keys: Words, sizes: Bytes, most: Bytes) -> tuple[Words, Bytes]:
    """The same colour counts, and those with one peg less of any colour."""
    fewer, smaller = [keys], [sizes]
    weight = 1
    for largest in reversed(most.tolist()):
        used = np.flatnonzero(keys // np.uint64(weight) % np.uint64(largest + 1))
        fewer.append(keys[used] - np.uint64(weight))
        smaller.append(sizes[used] - np.uint8(1))
        weight *= largest + 1
    return np.concatenate(fewer), np.concatenate(smaller)


def _distinct(digits: Bytes, most: Bytes) -> Bytes:
    """The different columns, leaving out those with a digit above `most`."""
    digits = digits[:, (digits <= most[:, None]).all(axis=0)]
    _, first = np.unique(_keys(digits, most), return_index=True)
    return digits[:, first]


def _packable(most: Bytes) -> bool:
    return math.prod(int(m) + 1 for m in most) <= 1 << 64


def _keys(digits: Bytes, most: Bytes) -> Words:
    """Each column as one number."""
    key = np.zeros(digits.shape[1], np.uint64)
    for line, largest in zip(digits, most, strict=True):
        key *= np.uint64(int(largest) + 1)
        key += line
    return key


def _contains(entries: Words, keys: Words) -> Flags:
    if not entries.size:
        return np.zeros(keys.size, bool)
    place = np.minimum(np.searchsorted(entries, keys), entries.size - 1)
    found: Flags = entries[place] == keys
    return found
