"""Positions in a game: what the best play from here takes, and what a given guess would.

Exact, by the engine of the search. A total sums the guesses still to be made over all codes
that are left, the winning one included.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.codes.symmetry import Symmetry, useful
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.cells import Cell, Solved
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.jobs import survey
from keypeg.solver.exact.workspace import Shortcuts
from keypeg.solver.playing.onestep import partitioned

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from keypeg.rules.board import Board

    Codes = NDArray[np.int32]
    Waiting = Callable[[], bool]


class Positions:
    """The positions of one board. Get one from `positions`, which keeps what was learned."""

    def __init__(self, board: Board) -> None:
        # The engine would order unguessed colours by its first guess alone; here more are known.
        self._engine = Engine(board, shortcuts=Shortcuts(colours=False))
        self._lock = threading.Lock()
        # Compiling takes longer than anyone's deadline, so it is done before one is set.
        codes = self._engine.space.everything[:4]
        self.after(codes, 0, Symmetry(self._engine.space))

    def best(
        self, codes: Codes, symmetry: Symmetry, waiting: Waiting | None = None
    ) -> Solved | None:
        """The least total from `codes` and the guess that has it, or None if told to stop."""
        with self._lock:
            cell = self._cell(0, codes, symmetry)
            solved = self._engine.solve(int(codes[0]), [cell], waiting=waiting)
        return None if solved is None else solved[0]

    def after(
        self, codes: Codes, guess: int, symmetry: Symmetry, waiting: Waiting | None = None
    ) -> dict[int, int] | None:
        """The least total of what each answer to `guess` leaves, or None if told to stop.

        The answer that ends the game leaves nothing, and is left out.
        """
        engine = self._engine
        following = symmetry.after(guess)
        with self._lock:
            cells = [
                self._cell(answer, part, following)
                for answer, part in partitioned(engine.space, codes, guess)
            ]
            solved = engine.solve(guess, cells, waiting=waiting) if cells else []
        if solved is None:
            return None
        return {cell.answer: best.total for cell, best in zip(cells, solved, strict=True)}

    def _cell(self, answer: int, codes: Codes, symmetry: Symmetry) -> Cell:
        """A cell for the engine, with every guess that differs on it."""
        engine = self._engine
        if len(codes) <= 2:
            low = 2 * len(codes) - 1
            return Cell(answer, codes, codes[:1], np.array([low], np.int32), low)
        guesses = useful(engine.space, symmetry.canonical, codes)
        lows, cost, marks = survey(engine.data, engine.workspaces[0], codes, guesses, engine.worst)
        _, distinct = np.unique(marks, return_index=True)
        splits = distinct[(lows[distinct] < IMPOSSIBLE) & (cost[distinct] >= 0)]
        order = splits[np.argsort(cost[splits], kind="stable")]
        low = int(lows[order].min(initial=IMPOSSIBLE))
        return Cell(answer, codes, guesses[order], lows[order], low)


@lru_cache(maxsize=1)
def positions(board: Board) -> Positions:
    """The positions of `board`, with what was learned of them so far."""
    return Positions(board)
