from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.solver.codes.compiled import kernel
from keypeg.solver.exact.transposition import (
    code_keys,
    guess_of,
    keep,
    lower,
    new_table,
    probe,
    upper,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 10


@kernel
def kept(
    table: NDArray[np.uint64], key: np.uint64, low: int, high: int, guess: int
) -> tuple[int, int, int]:
    """Keep an entry and look it up again."""
    keep(table, key, low, high, guess, BITS)
    data = probe(table, key)
    return lower(data), upper(data), guess_of(data)


@kernel
def found(table: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    return probe(table, key)


words = st.integers(1, 2**64 - 1).map(np.uint64)


@settings(deadline=None)  # the first call compiles
@given(words, st.integers(1, 2**19), st.integers(0, 2**19), st.integers(-1, 2**19))
def test_an_entry_is_found_as_it_was_kept(key: np.uint64, low: int, high: int, guess: int) -> None:
    assert kept(new_table(4), key, low, high, guess) == (low, high, guess)


@settings(deadline=None)
@given(words, words)
def test_no_entry_answers_for_another_key(key: np.uint64, other: np.uint64) -> None:
    table = new_table(4)
    kept(table, key, 5, 5, 0)
    assert (found(table, other) == 0) == (key != other)


def test_a_lower_bound_never_displaces_an_exact_value() -> None:
    table, key = new_table(4), np.uint64(77 << BITS)
    kept(table, key, 9, 9, 3)
    assert kept(table, key, 4, 0, -1) == (9, 9, 3)


def test_a_torn_entry_matches_no_key() -> None:
    table, key = new_table(4), np.uint64(77 << BITS)
    kept(table, key, 9, 9, 3)
    table[np.flatnonzero(table)[1]] ^= np.uint64(1)
    assert found(table, key) == 0


def test_a_full_bucket_gives_up_its_smallest_region() -> None:
    table = new_table(2)
    for size in (5, 9, 7, 8, 6):
        kept(table, np.uint64((size << 40) | size), size, size, 0)
    sizes = [found(table, np.uint64((size << 40) | size)) != 0 for size in (5, 6, 7, 8, 9)]
    assert sizes == [False, True, True, True, True]


def test_keys_count_their_codes() -> None:
    keys, bits = code_keys(1296)
    assert int(keys.sum(dtype=np.uint64)) & ((1 << bits) - 1) == 1296
    assert len(set(keys.tolist())) == 1296
