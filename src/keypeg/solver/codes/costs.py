"""What a region of a given size will probably take, learned from regions that were solved.

The search tries guesses in the order of the sum of these. No proof depends on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCALE: Final = 64
"""Costs are whole numbers in the compiled search: this many stand for one guess."""

_BRANCHING: Final = 0.6
_FEWEST: Final = 5
_WIDTHS: Final = (0.02, 0.1)


def typical(size: NDArray[np.float64]) -> NDArray[np.float64]:
    """The totals of regions of these sizes, estimated by size alone, for any board.

    n codes take 2n - 1 when one of them distinguishes all. The second term is fitted:
    of a (1 - 1/n) + b ln(n) + c ln(n)**2 guesses a code, the totals of (4,6), (4,7), (5,6) and
    (5,8) were least near a = 1, b = 0, c = 1/8, and flat around it. From the same first guess
    it also beats entropy and most parts on boards it was not fitted to: (5,7), (5,9), (4,10)n
    and (5,7)n.
    """
    return np.where(size > 0, 2 * size - 1 + size * np.log(np.maximum(size, 1)) ** 2 / 8, 0)


def usual(size: NDArray[np.float64], answers: int) -> NDArray[np.float64]:
    """The totals of regions of these sizes on a board with this number of answers.

    Each row divides the codes by 0.6 times the answers that do not end the game, and no region
    takes less than with a first guess that distinguishes all codes.
    """
    branching = max(2.0, _BRANCHING * (answers - 1))
    rows = 1 + np.log(np.maximum(size, 1)) / np.log(branching)
    return np.where(size > 0, np.maximum(size * rows, 2 * size - 1), 0)


def first_costs(most: int, answers: int) -> NDArray[np.float64]:
    """The costs of 0 to `most` codes that a search starts with."""
    return usual(np.arange(most + 1, dtype=np.float64), answers)


def learned_costs(
    totals: NDArray[np.int64], counts: NDArray[np.int64], answers: int
) -> NDArray[np.float64]:
    """Costs by size from the totals of solved regions, smoothed over neighbouring sizes.

    The ratio to the first costs is averaged with Gaussian weights on the logarithm of the size,
    narrow where regions are small and many.
    """
    most = len(totals) - 1
    base = first_costs(most, answers)
    sizes = np.flatnonzero(counts)
    sizes = sizes[sizes > 2]
    if len(sizes) < _FEWEST:
        return base
    ratios = totals[sizes] / counts[sizes] / base[sizes]
    knots = _knots(int(sizes[-1]))
    distance = np.abs(np.log(knots)[:, None] - np.log(sizes)[None, :])
    width = np.where(knots < 20, *_WIDTHS)[:, None]
    weights = np.sqrt(counts[sizes]) * np.exp(-((distance / width) ** 2)) + 1e-12 * np.exp(
        -distance
    )
    smooth = (weights * ratios).sum(axis=1) / weights.sum(axis=1)
    costs = base.copy()
    costs[3:] *= np.interp(np.log(np.arange(3, most + 1)), np.log(knots), smooth)
    costs[1:3] = 1, 3
    return costs


def _knots(largest: int) -> NDArray[np.int64]:
    """Sizes at which the curve is computed: all small ones, then an eighth apart."""
    spaced = np.exp(np.arange(np.log(20), np.log(largest + 1) + 0.12, 0.12)).astype(np.int64)
    knots = np.unique(np.concatenate([np.arange(3, 20), spaced]))
    return knots[knots <= largest]
