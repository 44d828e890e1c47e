"""Whether a stored attempt is sound: only what could have been played, and every answer right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from keypeg.attempts.answers import needed
from keypeg.rules.code import check_code
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import score
from keypeg.table.admission import LAST_TIME

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.store.attempts import Attempt

_GUESS_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def is_sound(attempt: Attempt, board: Board, secret: Code) -> bool:
    """Whether these rows are an attempt at this code, as far as it says."""
    rows = attempt.rows
    possible = 1 <= len(rows) <= board.rows and all(_is_possible(row.code, board) for row in rows)
    named = all(_GUESS_ID.fullmatch(row.id) for row in rows)
    right = all(row.keys == score(secret, row.code) for row in rows)
    early = any(row.code == secret for row in rows[:-1])
    ended = attempt.needed == needed(rows, board)
    timed = is_time(attempt.begun) and is_time(attempt.changed)
    return possible and named and right and not early and ended and timed


def is_time(at: int) -> bool:
    """Whether this is a time of the calendar, in milliseconds since the epoch."""
    return 0 < at < LAST_TIME


def _is_possible(code: Code, board: Board) -> bool:
    try:
        check_code(code, board)
    except KeypegError:
        return False
    return True
