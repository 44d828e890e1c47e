"""The cells that a first guess leaves, and their second guesses as jobs for threads to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.jobs import GUESS_BITS
from keypeg.solver.exact.ledger import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.ledger import Ledger

_NONE: Final = np.zeros(0, np.int32)
_GUESS: Final = (1 << GUESS_BITS) - 1


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


class Solved(NamedTuple):
    """A cell's least total, and the second guess that reaches it.

    `totals` has the total of each of the cell's guesses, IMPOSSIBLE where it was cut short;
    `branch` is the strategy, where somebody else's table holds it.
    """

    total: int
    guess: int
    totals: NDArray[np.int32]
    branch: Tree | None = None


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs of one first guess as arrays that threads share; see `jobs.work`."""

    first: int
    cells: Sequence[Cell]
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    cell: NDArray[np.int32]
    guess: NDArray[np.int32]
    low: NDArray[np.int32]
    total: NDArray[np.int32]
    limit: NDArray[np.int64]
    lows: NDArray[np.int64]
    best: NDArray[np.int64]
    left: NDArray[np.int64]
    noted: NDArray[np.bool_]
    branches: dict[tuple[int, int], Tree]
    """By cell and guess, strategies that came with a total."""

    @classmethod
    def of(cls, first: int, cells: Sequence[Cell], ledger: Ledger | None) -> Jobs:
        """Every second guess of every cell that is not settled by its size."""
        settled = np.array([len(cell.codes) <= 2 for cell in cells])
        known = [
            (cell.low, int(cell.codes[0])) if small else _best(first, cell, ledger)
            for cell, small in zip(cells, settled, strict=True)
        ]
        left = np.where(settled, 0, [len(cell.guesses) for cell in cells]).astype(np.int64)
        open_cells = [cell for cell, some in zip(cells, left, strict=True) if some]
        many = int(left.sum())
        return cls(
            first=first,
            cells=cells,
            codes=np.concatenate([cell.codes for cell in cells]),
            starts=np.cumsum([0, *(len(cell.codes) for cell in cells)]).astype(np.int64),
            cell=np.repeat(np.arange(len(cells), dtype=np.int32), left),
            guess=np.concatenate([_NONE, *(cell.guesses for cell in open_cells)]),
            low=np.concatenate([_NONE, *(cell.lows for cell in open_cells)]),
            total=np.full(many, IMPOSSIBLE, np.int32),
            limit=np.zeros(many, np.int64),
            lows=np.array([cell.low for cell in cells], np.int64),
            best=np.array([total << GUESS_BITS | guess for total, guess in known], np.int64),
            left=left,
            noted=np.zeros(many, np.bool_),
            branches={},
        )

    @property
    def arrays(self) -> tuple[NDArray[np.int32] | NDArray[np.int64], ...]:
        """What `jobs.work` takes, in its order."""
        return (
            *(self.codes, self.starts, self.cell, self.guess, self.low),
            *(self.total, self.limit, self.lows, self.best, self.left),
        )

    @property
    def done(self) -> int:
        """How many jobs are done with, searched or turned down."""
        return len(self.cell) - int(self.left.sum())

    def finished(self) -> list[Job]:
        """The jobs finished since this was last asked."""
        new = np.flatnonzero((self.limit > 0) & ~self.noted)
        self.noted[new] = True
        return [
            Job(
                self.first,
                self.cells[self.cell[job]].answer,
                int(self.guess[job]),
                int(self.limit[job]),
                int(self.total[job]),
            )
            for job in new
        ]

    def solved(self) -> list[Solved]:
        """The least total of each cell, once every job is done."""
        parts = np.split(self.total, np.searchsorted(self.cell, np.arange(1, len(self.cells))))
        found = [(int(word) >> GUESS_BITS, int(word) & _GUESS) for word in self.best]
        return [
            Solved(total, guess, part, self.branches.get((cell, guess)))
            for cell, ((total, guess), part) in enumerate(zip(found, parts, strict=True))
        ]


def _best(first: int, cell: Cell, ledger: Ledger | None) -> tuple[int, int]:
    return (IMPOSSIBLE, 0) if ledger is None else ledger.best(first, cell)
