"""Whether the stored attempts at daily codes are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.attempts.soundness import is_sound
from keypeg.daily.codes import BOARDS, PURPOSE, Codes
from keypeg.daily.days import parse_day
from keypeg.rules.errors import CannotRead
from keypeg.store.daily_attempts import DailyAttempts
from keypeg.store.errors import Unreadable

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.store.daily_attempts import DailyKey
    from keypeg.store.sql import SqlLog


async def check_attempts(log: SqlLog) -> int:
    """Check all attempts of a database; gives their number. Raises an error at the first."""
    attempts, codes = DailyAttempts(log), Codes(log.derive(PURPOSE))
    keys = await attempts.keys()
    for key in keys:
        attempt = await attempts.read(key)
        if attempt is not None:
            board, code = _sealed(codes, key)
            if not is_sound(attempt, board, code):
                raise Unreadable(
                    f"an attempt at the daily code of {key.day} on {key.board} is damaged"
                )
    return len(keys)


def _sealed(codes: Codes, key: DailyKey) -> tuple[Board, Code]:
    board = next((board for board in BOARDS if str(board) == key.board), None)
    try:
        day = parse_day(key.day)
    except CannotRead:
        day = None
    if board is None or day is None:
        raise Unreadable(f"the database has an attempt at {key.day} on {key.board}, unknown here")
    return board, codes.opening(day, board).code
