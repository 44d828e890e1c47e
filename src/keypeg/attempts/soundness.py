"""Whether a stored attempt is sound: each answer is right, and the rows end where they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.attempts.answers import needed
from keypeg.rules.keypegs import score

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.store.attempts import Attempt


def is_sound(attempt: Attempt, board: Board, secret: Code) -> bool:
    """Whether these rows are an attempt at this code, as far as it says."""
    right = all(row.keys == score(secret, row.code) for row in attempt.rows)
    early = any(row.code == secret for row in attempt.rows[:-1])
    return right and not early and attempt.needed == needed(attempt.rows, board)
