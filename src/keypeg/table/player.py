"""The computer's player: the solver, asked off the event loop, at every level it knows."""

from __future__ import annotations

import asyncio
import secrets
from threading import Event
from typing import TYPE_CHECKING

from keypeg.solver.levels import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.table.computer import Rows


class SolverPlayer:
    """Plays what the solver suggests. `seconds` is what a search may take for a guess."""

    levels: tuple[str, ...] = tuple(level.name for level in LEVELS)

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds

    async def guess(self, board: Board, rows: Rows, level: str) -> Code | None:
        """The next guess; None when no code fits all the answers."""
        stop = Event()
        try:
            return await asyncio.to_thread(self._think, board, rows, level, stop.is_set)
        finally:
            # A thread cannot be ended from outside; one that nobody waits for ends itself.
            stop.set()

    def _think(
        self, board: Board, rows: Rows, level: str, cancelled: Callable[[], bool]
    ) -> Code | None:
        # The solver takes a while to import, and a table may never need it.
        from keypeg.solver.history import Answer  # noqa: PLC0415
        from keypeg.solver.suggest import Contradicted, suggest  # noqa: PLC0415

        history = tuple(Answer(guess, keys) for guess, keys in rows)
        seed = secrets.randbits(32)
        try:
            found = suggest(
                board, history, level, seconds=self.seconds, seed=seed, cancelled=cancelled
            )
        except Contradicted:
            return None
        return found.guess
