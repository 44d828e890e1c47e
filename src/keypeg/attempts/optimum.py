"""What the strategy book would have needed for a code."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING

from keypeg.rules.keypegs import score
from keypeg.table.player import guess_at_once

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.table.computer import Rows


async def optimum(board: Board, code: Code) -> Rows | None:
    """The rows of the best player, up to the one that breaks the code; None without a book."""
    return await asyncio.to_thread(_rows, board, code)


@lru_cache(maxsize=512)
def _rows(board: Board, code: Code) -> Rows | None:
    rows: Rows = ()
    while not rows or rows[-1][0] != code:
        guess = guess_at_once(board, rows, "perfect")
        if guess is None:
            return None
        rows = (*rows, (guess, score(code, guess)))
    return rows
