"""The computer as an opponent: what a seat of its own thinks, in the server's worker process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from keypeg.table.player import SolverPlayer, guess_at_once

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.server.solver_worker import SolverWorker
    from keypeg.table.computer import Rows


class Opponent:
    """Plays at every level of the solver; book moves at once, also while the worker warms up."""

    levels = SolverPlayer.levels
    needs_company = True

    def __init__(self, worker: SolverWorker) -> None:
        self._worker = worker

    async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code | None:
        """The next guess; None when no code fits all the answers."""
        known = await asyncio.to_thread(guess_at_once, board, rows, level)
        if known is not None:
            return known
        return await self._worker.guess(board, rows, level, account)
