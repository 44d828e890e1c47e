"""Answering guesses: the next row of an attempt, and rows that were answered before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.attempts.errors import GuessReused
from keypeg.rules.keypegs import score
from keypeg.store.attempts import NOT_BROKEN, PlayedRow

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.store.attempts import Attempt

MOST_RACES: Final = 20
"""How often a guess is tried again when other guesses of the same attempt came first."""


def next_rows(
    secret: Code, board: Board, before: Attempt | None, row: tuple[str, Code]
) -> tuple[tuple[PlayedRow, ...], int | None]:
    """The rows of an attempt with one more, and what was needed if it is done with that."""
    id_, code = row
    keys = score(secret, code)
    rows = (*(before.rows if before else ()), PlayedRow(id_, code, keys))
    return rows, needed(rows, board)


def needed(rows: tuple[PlayedRow, ...], board: Board) -> int | None:
    """The rows that were needed, NOT_BROKEN, or None while there are rows left."""
    if rows and rows[-1].keys.black == board.holes:
        return len(rows)
    return NOT_BROKEN if len(rows) == board.rows else None


def row_of(attempt: Attempt | None, id_: str, code: Code) -> int | None:
    """The number of the row that a guess with this id was answered in."""
    for number, row in enumerate(attempt.rows if attempt else (), 1):
        if row.id == id_:
            if row.code != code:
                raise GuessReused("this id was used for another guess; make a new one")
            return number
    return None
