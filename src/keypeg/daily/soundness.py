"""Whether stored attempts are sound: each answer is right, and the rows end where they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.daily.codes import BOARDS, PURPOSE, Codes
from keypeg.daily.days import parse_day
from keypeg.rules.errors import CannotRead
from keypeg.rules.keypegs import score
from keypeg.store.attempts import NOT_BROKEN, Attempts
from keypeg.store.errors import Unreadable

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.store.attempts import Attempt, AttemptKey
    from keypeg.store.sql import SqlLog


async def check_attempts(log: SqlLog) -> int:
    """Check all attempts of a database; gives their number. Raises an error at the first."""
    attempts, codes = Attempts(log), Codes(log.derive(PURPOSE))
    keys = await attempts.keys()
    for key in keys:
        attempt = await attempts.read(key)
        if attempt is not None:
            board, code = _sealed(codes, key)
            _check(key, attempt, board, code)
    return len(keys)


def _sealed(codes: Codes, key: AttemptKey) -> tuple[Board, Code]:
    board = next((board for board in BOARDS if str(board) == key.board), None)
    try:
        day = parse_day(key.day)
    except CannotRead:
        day = None
    if board is None or day is None:
        raise Unreadable(f"the database has an attempt at {key.day} on {key.board}, unknown here")
    return board, codes.opening(day, board).code


def _check(key: AttemptKey, attempt: Attempt, board: Board, code: Code) -> None:
    wrong = [
        number for number, row in enumerate(attempt.rows, 1) if row.keys != score(code, row.code)
    ]
    broken = [number for number, row in enumerate(attempt.rows, 1) if row.code == code]
    end = len(attempt.rows) if len(attempt.rows) == board.rows else None
    needed = broken[0] if broken else (NOT_BROKEN if end else None)
    if wrong or needed != attempt.needed or broken not in ([], [len(attempt.rows)]):
        raise Unreadable(f"an attempt at the daily code of {key.day} on {key.board} is damaged")
