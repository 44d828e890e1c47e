"""The cells that a first guess leaves, and what solving one gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from keypeg.solver.codes.trees import Tree


@dataclass(frozen=True, eq=False)
class Cell:
    """What an answer to the first guess leaves, and the second guesses worth trying there.

    `low` is a lower bound of its total, `lows` of its total with each of the guesses.
    """

    answer: int
    codes: NDArray[np.int32]
    guesses: NDArray[np.int32]
    lows: NDArray[np.int32]
    low: int

    @property
    def settled(self) -> bool:
        """Whether its size alone decides its total: one or two codes."""
        return len(self.codes) <= 2

    def among(self, places: NDArray[np.int64] | list[int]) -> Cell:
        """The cell with only the second guesses at these places."""
        return replace(self, guesses=self.guesses[places], lows=self.lows[places])


class Solved(NamedTuple):
    """A cell's least total, and the second guess that reaches it.

    `totals` has the total of each of the cell's guesses, IMPOSSIBLE where it was cut short.
    `branch` is the strategy if another process found it; otherwise it is in the table here.
    """

    total: int
    guess: int
    totals: NDArray[np.int32]
    branch: Tree | None = None
