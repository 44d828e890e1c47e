"""What is known of a region, however it was reached: bounds kept under an order-free key.

A key is the sum of its codes' random words, whose lowest bits count the codes. That leaves about
50 bits, too few for a long proof, so an entry has a tag of 26 more, from the sum of the same words
mixed twice. The tag is computed only when a key matches. Threads share the table without locks: an
entry is written as (key ^ data, data), so one that is torn by a race matches no key
(Hyatt and Mann 2002, "A lockless transposition-table implementation").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import part, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUCKET: Final = 4
"""Entries that share a cache line; a new one replaces the smallest region among them."""

_TOTAL: Final = 20
_EXACT: Final = 1 << _TOTAL
_GUESS: Final = _TOTAL + 1
_TAG: Final = _GUESS + 17
"""Where an entry's parts begin: a total, whether it is exact, a guess, the tag."""


def new_table(bits: int) -> NDArray[np.uint64]:
    """An empty table of 2**bits entries."""
    return np.zeros(2 << bits, np.uint64)


def code_keys(codes: int) -> tuple[NDArray[np.uint64], int]:
    """A random word for each code with 1 in its count, and how many low bits count codes."""
    bits = codes.bit_length()
    words = np.random.default_rng(1971).integers(0, 1 << (64 - bits), codes, np.uint64)
    return (words << np.uint64(bits)) | np.uint64(1), bits


@part
def stirred(word: np.uint64) -> np.uint64:
    """A word mixed over all bits, so that different sets of such words have different sums."""
    word = (word ^ (word >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return word ^ (word >> np.uint64(32))


@part
def twice_stirred(word: np.uint64) -> np.uint64:
    """A word mixed twice: mixed once, its sums would nearly follow from the sums of `word`."""
    return stirred(stirred(word))


@part
def bucket(table: NDArray[np.uint64], key: np.uint64) -> int:
    """Where the entries of `key` begin."""
    mixed = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    lines = np.uint64(len(table) // (2 * BUCKET))
    return whole((mixed >> np.uint64(20)) & (lines - np.uint64(1))) * 2 * BUCKET


@part
def probe(table: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    """What is kept under `key`, or 0; the caller compares tags."""
    first = bucket(table, key)
    for entry in range(first, first + 2 * BUCKET, 2):
        data = table[entry + 1]
        if table[entry] ^ data == key:
            return np.uint64(data)
    return np.uint64(0)


@part
def tag_of(word: np.uint64) -> np.uint64:
    """The tag of an entry, or of a region whose words, mixed twice, have this sum."""
    return word >> np.uint64(_TAG)


@part
def lower(data: np.uint64) -> int:
    """The lower bound of an entry."""
    return whole(data & np.uint64(_EXACT - 1))


@part
def upper(data: np.uint64) -> int:
    """The upper bound of an entry, which is its lower bound too; 0 where none is known."""
    return lower(data) if data & np.uint64(_EXACT) else whole(0)


@part
def guess_of(data: np.uint64) -> int:
    """The guess that reaches the upper bound, or -1."""
    return whole((data >> np.uint64(_GUESS)) & np.uint64((1 << (_TAG - _GUESS)) - 1)) - 1


@part
def keep(
    table: NDArray[np.uint64],
    key: np.uint64,
    tag: np.uint64,
    low: int,
    exact: bool,
    guess: int,
    count_bits: int,
) -> None:
    """Keep a total under `key`, whose lowest `count_bits` bits count the region's codes."""
    count = (np.uint64(1) << np.uint64(count_bits)) - np.uint64(1)
    first = bucket(table, key)
    victim = first
    smallest = ~np.uint64(0)
    for entry in range(first, first + 2 * BUCKET, 2):
        data = table[entry + 1]
        if data == 0:
            victim = entry
            break
        held = table[entry] ^ data
        if held == key:
            victim = entry
            if tag_of(data) == tag:
                if not exact and upper(data) > 0:
                    return
                low = max(low, lower(data))
            break
        if held & count < smallest:
            smallest = held & count
            victim = entry
    data = (
        np.uint64(low)
        | (np.uint64(exact) << np.uint64(_TOTAL))
        | (np.uint64(guess + 1) << np.uint64(_GUESS))
        | (tag << np.uint64(_TAG))
    )
    table[victim + 1] = data
    table[victim] = key ^ data
