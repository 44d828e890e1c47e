"""The computer's player: the solver, asked in a thread, at every level it knows.

For a process that serves one person. A server thinks in a process of its own (server.opponent).
"""

from __future__ import annotations

import asyncio
import secrets
from threading import Event
from typing import TYPE_CHECKING

from keypeg.draw import draw_code
from keypeg.solver.levels import LEVELS, Way, level_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.table.computer import Rows


def guess_at_once(board: Board, rows: Rows, level: str) -> Code | None:
    """The guess that takes no thought, if there is one.

    That is the first guess of whoever plays any code that fits, and all of the best player's
    on a board that has a book. Nothing is compiled for it.
    """
    from keypeg.solver.books.book import book_of  # noqa: PLC0415 - NumPy, which a table may never need

    way = level_named(level).way
    if way is Way.FITTING and not rows:
        return draw_code(board)
    book = book_of(board) if way is Way.BEST else None
    return None if book is None else book.guess(rows)


class SolverPlayer:
    """Plays what the solver suggests. `seconds` is what a search may take for a guess."""

    levels: tuple[str, ...] = tuple(level.name for level in LEVELS)
    needs_company = False

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds

    async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code | None:
        """The next guess; None when no code fits all the answers."""
        del account  # one person has the processor to themselves
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
        from keypeg.solver.history import Clue  # noqa: PLC0415
        from keypeg.solver.suggest import next_guess  # noqa: PLC0415

        history = tuple(Clue(guess, keys) for guess, keys in rows)
        seed = secrets.randbits(32)
        return next_guess(
            board, history, level, seconds=self.seconds, seed=seed, cancelled=cancelled
        )
