"""A search cut into jobs (first guess, answer, second guess) that threads take in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.cells import Solved
from keypeg.solver.exact.worker import GUESS_BITS, JobTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.cells import Cell
    from keypeg.solver.exact.ledger import Ledger

_GUESS: Final = (1 << GUESS_BITS) - 1
_NO_GUESSES: Final = np.zeros(0, np.int32)


class Job(NamedTuple):
    """A finished job: a first guess, the number of its answer, a second guess, what was found.

    `total` is what the cell takes with that second guess, or IMPOSSIBLE if over `limit`.
    """

    first: int
    answer: int
    guess: int
    limit: int
    total: int

    @property
    def low(self) -> int:
        """What the cell takes at least with that second guess."""
        return self.total if self.total <= self.limit else self.limit + 1


@dataclass(frozen=True, eq=False)
class Jobs:
    """The second guesses of one first guess's cells, as jobs."""

    first: int
    cells: Sequence[Cell]
    table: JobTable
    noted: NDArray[np.bool_]
    branches: dict[tuple[int, int], Tree]
    """By cell and guess, strategies that came with a total."""

    @classmethod
    def of(cls, first: int, cells: Sequence[Cell], ledger: Ledger | None = None) -> Jobs:
        """Every second guess of every cell that its size does not settle."""
        known = [_known(first, cell, ledger) for cell in cells]
        left = np.array([0 if cell.settled else len(cell.guesses) for cell in cells], np.int64)
        open_cells = [cell for cell, some in zip(cells, left, strict=True) if some]
        many = int(left.sum())
        table = JobTable(
            codes=np.concatenate([cell.codes for cell in cells]),
            starts=np.cumsum([0, *(len(cell.codes) for cell in cells)]).astype(np.int64),
            cell=np.repeat(np.arange(len(cells), dtype=np.int32), left),
            guess=np.concatenate([_NO_GUESSES, *(cell.guesses for cell in open_cells)]),
            low=np.concatenate([_NO_GUESSES, *(cell.lows for cell in open_cells)]),
            total=np.full(many, IMPOSSIBLE, np.int32),
            limit=np.zeros(many, np.int64),
            lows=np.array([cell.low for cell in cells], np.int64),
            best=np.array([total << GUESS_BITS | guess for total, guess in known], np.int64),
            left=left,
        )
        return cls(first, cells, table, np.zeros(many, np.bool_), {})

    def __len__(self) -> int:
        return len(self.table.cell)

    @property
    def done(self) -> int:
        """How many jobs are done, searched or rejected by their bounds."""
        return len(self) - int(self.table.left.sum())

    @property
    def low(self) -> int:
        """A lower bound of all cells together."""
        return int(self.table.lows.sum())

    def best(self, cell: int) -> int:
        """The least total known of a cell."""
        return int(self.table.best[cell]) >> GUESS_BITS

    def improve(self, cell: int, total: int, guess: int = _GUESS) -> None:
        """Lower the least total known of a cell, if this one is less."""
        self.table.best[cell] = min(int(self.table.best[cell]), total << GUESS_BITS | guess)

    def finished(self) -> list[Job]:
        """The jobs finished since the last call."""
        table = self.table
        new = np.flatnonzero((table.limit > 0) & ~self.noted)
        self.noted[new] = True
        return [
            Job(
                self.first,
                self.cells[table.cell[job]].answer,
                int(table.guess[job]),
                int(table.limit[job]),
                int(table.total[job]),
            )
            for job in new
        ]

    def solved(self) -> list[Solved]:
        """The least total of each cell, once every job is done."""
        table = self.table
        parts = np.split(table.total, np.searchsorted(table.cell, np.arange(1, len(self.cells))))
        found = [(int(word) >> GUESS_BITS, int(word) & _GUESS) for word in table.best]
        return [
            Solved(total, guess, part, self.branches.get((cell, guess)))
            for cell, ((total, guess), part) in enumerate(zip(found, parts, strict=True))
        ]


def _known(first: int, cell: Cell, ledger: Ledger | None) -> tuple[int, int]:
    """The least total of a cell that is known before any job is done, and its guess."""
    if cell.settled:
        return cell.low, int(cell.codes[0])
    return (IMPOSSIBLE, 0) if ledger is None else ledger.best(first, cell)
