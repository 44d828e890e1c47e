from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from keypeg.solver.codes.compiled import kernel
from keypeg.solver.exact.transposition import (
    code_keys,
    guess_of,
    keep,
    lower,
    new_table,
    probe,
    tag_of,
    upper,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 10


@kernel
def kept(
    table: NDArray[np.uint64], key: np.uint64, tag: np.uint64, low: int, exact: bool, guess: int
) -> tuple[int, int, int, np.uint64]:
    """Keep an entry and look it up again."""
    keep(table, key, tag, low, exact, guess, BITS)
    data = probe(table, key)
    return lower(data), upper(data), guess_of(data), tag_of(data)


@kernel
def found(table: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    return probe(table, key)


words = st.integers(1, 2**64 - 1).map(np.uint64)
tags = st.integers(0, 2**26 - 1).map(np.uint64)
TAG, OTHER = np.uint64(3), np.uint64(4)
EXACT, BOUND = True, False


@given(words, tags, st.integers(1, 2**19), st.booleans(), st.integers(-1, 60_000))
def test_an_entry_is_found_as_it_was_kept(
    key: np.uint64, tag: np.uint64, low: int, exact: bool, guess: int
) -> None:
    found = kept(new_table(4), key, tag, low, exact, guess)
    assert found == (low, low if exact else 0, guess, tag)


@given(words, words)
def test_no_entry_answers_for_another_key(key: np.uint64, other: np.uint64) -> None:
    table = new_table(4)
    kept(table, key, TAG, 5, EXACT, 0)
    assert (found(table, other) == 0) == (key != other)


def test_a_lower_bound_never_displaces_an_exact_value() -> None:
    table, key = new_table(4), np.uint64(77 << BITS)
    kept(table, key, TAG, 9, EXACT, 3)
    assert kept(table, key, TAG, 4, BOUND, -1) == (9, 9, 3, TAG)


def test_a_region_of_the_same_key_and_another_tag_learns_nothing() -> None:
    table, key = new_table(4), np.uint64(77 << BITS)
    kept(table, key, TAG, 9, EXACT, 3)
    assert kept(table, key, OTHER, 4, BOUND, -1) == (4, 0, -1, OTHER)


def test_a_torn_entry_matches_no_key() -> None:
    table, key = new_table(4), np.uint64(77 << BITS)
    kept(table, key, TAG, 9, EXACT, 3)
    table[np.flatnonzero(table)[1]] ^= np.uint64(1)
    assert found(table, key) == 0


def test_a_full_bucket_gives_up_its_smallest_region() -> None:
    table = new_table(2)
    for size in (5, 9, 7, 8, 6):
        kept(table, np.uint64((size << 40) | size), TAG, size, EXACT, 0)
    sizes = [found(table, np.uint64((size << 40) | size)) != 0 for size in (5, 6, 7, 8, 9)]
    assert sizes == [False, True, True, True, True]


def test_keys_count_their_codes() -> None:
    keys, bits = code_keys(1296)
    assert int(keys.sum(dtype=np.uint64)) & ((1 << bits) - 1) == 1296
    assert len(set(keys.tolist())) == 1296
