"""What the finished jobs of a proof took, so that no job is done twice after a stop.

A job is finished under a limit. Either its total is at most that limit, and known, or it takes
more than the limit, and that stays true whatever the bound is later.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.jobs import Job
from keypeg.solver.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Cell


class Ledger:
    """The finished jobs of a board, kept in a file too if a path is given."""

    def __init__(self, board: Board, worst: int | None = None, path: Path | None = None) -> None:
        header = {"proof": str(board), "worst": worst}
        self._journal = None if path is None else Journal(path, header)
        self._jobs: dict[tuple[int, int, int], Job] = {}
        if self._journal is not None:
            self._journal.read_by(self._read)

    def close(self) -> None:
        """Close the file, so that another search can use it."""
        if self._journal is not None:
            self._journal.close()

    def __len__(self) -> int:
        return len(self._jobs)

    def note(self, jobs: Sequence[Job]) -> None:
        """Record that these jobs are finished."""
        for job in jobs:
            self._take(job)
        if self._journal is not None and jobs:
            self._journal.add(
                {**job._asdict(), "total": job.total if job.total < IMPOSSIBLE else None}
                for job in jobs
            )

    def _read(self, entry: Mapping[str, Any]) -> None:
        total = IMPOSSIBLE if entry["total"] is None else entry["total"]
        job = Job(**{**entry, "total": total})
        if any(type(value) is not int for value in job):
            raise TypeError("a field that is not a number")
        if not (0 < job.limit < IMPOSSIBLE and job.total > 0):
            raise ValueError("a limit or a total out of range")
        if job.limit < job.total < IMPOSSIBLE:
            raise ValueError("a total over its limit")
        self._take(job)

    def _take(self, job: Job) -> None:
        known = self._jobs.get(job[:3])
        if known is None or job.low >= known.low:
            self._jobs[job[:3]] = job

    def best(self, first: int, cell: Cell) -> tuple[int, int]:
        """The least total known for a cell and its guess; IMPOSSIBLE where none is known."""
        found = (self._jobs.get((first, cell.answer, guess)) for guess in cell.guesses.tolist())
        totals = [(job.total, job.guess) for job in found if job is not None]
        return min(totals, default=(IMPOSSIBLE, 0))

    def informed(self, first: int, cell: Cell) -> Cell:
        """The cell with its bounds raised to what is known."""
        if not self._jobs or cell.settled:
            return cell
        found = (self._jobs.get((first, cell.answer, guess)) for guess in cell.guesses.tolist())
        known = np.array([0 if job is None else job.low for job in found], np.int32)
        lows = np.maximum(cell.lows, known)
        return replace(cell, lows=lows, low=max(cell.low, int(lows.min(initial=IMPOSSIBLE))))
