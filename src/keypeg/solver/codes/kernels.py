"""The inner loops: arrays in, arrays out, compiled, without the interpreter lock.

Codes come as `words`, one column for each code, as in `codespace`; answers are returned as its
numbers. Tests compare each kernel with its slow twin in `reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.compiled import kernel, popcount

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

BLOCK = 2048
"""Codes scored at a time before they are counted, so that answers stay in the nearest cache."""

LANES = 32
"""Sets are padded to a multiple of this, so that vector loops have no remainder."""


@kernel
def score_into(
    guesses: Words,
    guess: int,
    codes: Words,
    start: int,
    stop: int,
    holes: int,
    out: NDArray[np.uint8],
) -> None:
    """Answers of one column of `guesses` to the codes from `start` to `stop`, into `out`."""
    last = np.uint64(holes * (holes + 3) // 2 - 1)
    one = np.uint64(1)
    if codes.shape[0] == 2:
        my_positions, my_counts = guesses[0, guess], guesses[1, guess]
        positions, counts = codes[0, start:stop], codes[1, start:stop]
        for i in range(stop - start):
            black = popcount(positions[i] & my_positions)
            common = popcount(counts[i] & my_counts)
            out[i] = min((common * (common + one) >> one) + black, last)
        return
    each = codes.shape[0] // 2
    many = stop - start
    out[:many] = 0
    for word in range(each, 2 * each):  # word by word, so that each pass is a vector loop
        mine, theirs = guesses[word, guess], codes[word, start:stop]
        for i in range(many):
            out[i] += popcount(theirs[i] & mine)
    for i in range(many):
        out[i] = out[i] * (out[i] + 1) >> 1
    for word in range(each):
        mine, theirs = guesses[word, guess], codes[word, start:stop]
        for i in range(many):
            out[i] += popcount(theirs[i] & mine)
    for i in range(many):
        out[i] = min(out[i], last)


@kernel
def matrix(guesses: Words, codes: Words, holes: int) -> NDArray[np.uint8]:
    """The answer of every guess (rows) to every code (columns)."""
    out = np.empty((guesses.shape[1], codes.shape[1]), np.uint8)
    for guess in range(guesses.shape[1]):
        for start in range(0, codes.shape[1], BLOCK):
            stop = min(start + BLOCK, codes.shape[1])
            score_into(guesses, guess, codes, start, stop, holes, out[guess, start:stop])
    return out


@kernel
def count_into(
    guesses: Words,
    guess: int,
    codes: Words,
    many: int,
    holes: int,
    answers: NDArray[np.uint8],
    counts: NDArray[np.int32],
) -> None:
    """How often each answer occurs among the first `many` codes, into `counts`.

    `answers` is scratch space of BLOCK bytes. `counts` has four rows, for four neighbours at a
    time: adding twice to one counter would wait for the first sum. Row 0 holds the result.
    """
    kinds = holes * (holes + 3) // 2
    counts[:] = 0
    for start in range(0, many, BLOCK):
        size = min(many - start, BLOCK)
        padded = min((size + LANES - 1) // LANES * LANES, codes.shape[1] - start)
        score_into(guesses, guess, codes, start, start + padded, holes, answers)
        quarters = size - size % 4
        for i in range(0, quarters, 4):
            counts[0, answers[i]] += 1
            counts[1, answers[i + 1]] += 1
            counts[2, answers[i + 2]] += 1
            counts[3, answers[i + 3]] += 1
        for i in range(quarters, size):
            counts[0, answers[i]] += 1
    for kind in range(kinds):
        counts[0, kind] += counts[1, kind] + counts[2, kind] + counts[3, kind]


@kernel
def histograms(guesses: Words, codes: Words, holes: int) -> NDArray[np.int32]:
    """How often each guess (rows) gets each answer (columns) among `codes`."""
    kinds = holes * (holes + 3) // 2
    out = np.empty((guesses.shape[1], kinds), np.int32)
    answers = np.empty(BLOCK, np.uint8)
    counts = np.empty((4, kinds), np.int32)
    for guess in range(guesses.shape[1]):
        count_into(guesses, guess, codes, codes.shape[1], holes, answers, counts)
        out[guess] = counts[0]
    return out


@kernel
def partition(
    answers: NDArray[np.uint8], kinds: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Places sorted by answer, equal answers in their order, and where each answer starts.

    The cell of answer `a` is `order[starts[a] : starts[a + 1]]`.
    """
    starts = np.zeros(kinds + 1, np.int32)
    for answer in answers:
        starts[answer + 1] += 1
    for kind in range(kinds):
        starts[kind + 1] += starts[kind]
    ends = starts[:kinds].copy()
    order = np.empty(len(answers), np.int32)
    for place, answer in enumerate(answers):
        order[ends[answer]] = place
        ends[answer] += 1
    return order, starts


@kernel
def mixed(word: np.uint64) -> np.uint64:
    """A 64-bit word mixed until it looks random (the finaliser of SplitMix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def fingerprints(guesses: Words, codes: Words, holes: int) -> NDArray[np.uint64]:
    """A number for each guess: equal where two guesses make the same partition.

    It does not depend on which answer a cell belongs to, but on whether the guess is one of
    `codes`. Each code has a random key; cells add up the keys of their codes, and the mixed sums
    are added. Two different partitions agree by accident once in 2**64.
    """
    kinds = holes * (holes + 3) // 2
    many = codes.shape[1]
    keys = np.empty(many, np.uint64)
    for i in range(many):
        keys[i] = mixed(np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15))
    out = np.empty(guesses.shape[1], np.uint64)
    answers = np.empty(many, np.uint8)
    sums = np.empty(kinds, np.uint64)
    for guess in range(guesses.shape[1]):
        score_into(guesses, guess, codes, 0, many, holes, answers)
        sums[:] = 0
        for i in range(many):
            sums[answers[i]] += keys[i]
        total = np.uint64(sums[kinds - 1] != 0)
        for kind in range(kinds):
            total += mixed(sums[kind])
        out[guess] = total
    return out
