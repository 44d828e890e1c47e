"""Positions in a game: the total of the best play from here, and of each guess. All exact.

A total sums the guesses still to be made over all codes that are left, the winning one included.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

from keypeg.solver.codes.symmetry import Symmetry, useful
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.workspace import Shortcuts
from keypeg.solver.playing.onestep import partitioned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Cell, Solved

    Codes = NDArray[np.int32]


class PositionSolver:
    """Solves positions of one board. Get one from `solver_of`, which keeps what was learned."""

    def __init__(self, board: Board) -> None:
        # The engine would order unguessed colours by its first guess alone; here more are known.
        self._engine = Engine(board, shortcuts=Shortcuts(colours=False))
        self._lock = threading.Lock()
        # Compiling takes longer than anyone's deadline, so it is done before one is set.
        codes = self._engine.space.everything[:4]
        self.after(codes, 0, Symmetry(self._engine.space))

    def best(
        self, codes: Codes, symmetry: Symmetry, stop: Callable[[], bool] | None = None
    ) -> Solved | None:
        """The least total from `codes` and a guess that reaches it, or None if stopped."""
        with self._lock:
            solved = self._solve(int(codes[0]), [self._cell(0, codes, symmetry)], stop)
        return None if solved is None else solved[0]

    def after(
        self, codes: Codes, guess: int, symmetry: Symmetry, stop: Callable[[], bool] | None = None
    ) -> dict[int, int] | None:
        """The least total of what each answer to `guess` leaves, or None if stopped.

        The answer that ends the game leaves nothing, and is left out.
        """
        following = symmetry.after(guess)
        with self._lock:
            cells = [
                self._cell(answer, part, following)
                for answer, part in partitioned(self._engine.space, codes, guess)
            ]
            solved = self._solve(guess, cells, stop) if cells else []
        if solved is None:
            return None
        return {cell.answer: best.total for cell, best in zip(cells, solved, strict=True)}

    def _solve(
        self, first: int, cells: Sequence[Cell], stop: Callable[[], bool] | None
    ) -> list[Solved] | None:
        should_stop = None if stop is None else lambda _: stop()
        return self._engine.solve(first, cells, should_stop=should_stop).solved

    def _cell(self, answer: int, codes: Codes, symmetry: Symmetry) -> Cell:
        """A cell for the engine, with every guess that differs on it."""
        small = len(codes) <= 2
        guesses = codes if small else useful(self._engine.space, symmetry.canonical, codes)
        return self._engine.cell(answer, codes, guesses)


@lru_cache(maxsize=1)
def solver_of(board: Board) -> PositionSolver:
    """The solver of `board`'s positions, with what was learned of them so far."""
    return PositionSolver(board)
