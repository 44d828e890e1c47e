"""How few guesses a region can possibly take: tables of lower bounds by size alone.

The tables are computed once for each board, and the search looks up cells in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE: Final = 1 << 19
"""Represents a total that cannot be reached: larger than that of any board searched."""


def most_codes(spread: int, rows: int) -> int:
    """The most codes that can be found in `rows` guesses, if a guess leaves `spread` cells."""
    return sum(spread**guess for guess in range(rows))


def complete_tree(most: int, spread: int, rows: int | None = None) -> NDArray[np.int32]:
    """The least total of any strategy for 0 to `most` codes, if a guess leaves `spread` cells.

    A guess can be right once, and `spread` other answers each lead to one further guess: so
    at most spread**k codes are found by guess k + 1, and the best tree fills these from the
    top. With `rows` guesses, what does not fit is impossible.
    """
    totals = np.zeros(most + 1, np.int64)
    found, guess, room = 0, 1, 1
    while found < most and (rows is None or guess <= rows):
        fill = min(room, most - found)
        totals[found + 1 : found + fill + 1] = guess
        found, guess, room = found + fill, guess + 1, room * spread
        if room == 0:
            break
    totals[found + 1 :] = IMPOSSIBLE
    return np.minimum(np.cumsum(totals), IMPOSSIBLE).astype(np.int32)


def floors(
    most: int, spread: int, rows: int | None = None, complete: bool = True
) -> NDArray[np.int32]:
    """Lower bounds by guesses left, cells a guess can leave, and size.

    The first index counts the guesses left up to `rows`; the last place on that axis stands
    for no limit. Without `complete`, one code is found at once and the rest by the next guess.
    """
    limits: list[int | None] = [*range((rows or 0) + 1), None]
    table = np.empty((len(limits), spread + 1, most + 1), np.int32)
    for place, left in enumerate(limits):
        for cells in range(spread + 1):
            table[place, cells] = complete_tree(most, cells if complete else most, left)
    return table
