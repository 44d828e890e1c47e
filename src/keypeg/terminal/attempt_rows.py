"""The rows of somebody who breaks a code alone, for a person and for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keypeg.rules.code import format_code
from keypeg.rules.keypegs import KeyPegs, describe_key_pegs

if TYPE_CHECKING:
    from keypeg.messages.attempts import AttemptRow
    from keypeg.rules.board import Board


def keys_of(row: AttemptRow) -> KeyPegs:
    """The key pegs of a row."""
    return KeyPegs(row.black, row.white)


def row_sentence(row: AttemptRow, number: int, board: Board) -> str:
    """A row in words, with its number."""
    keys = describe_key_pegs(keys_of(row), board)
    return f"Row {number}: {format_code(row.code, board)}   {keys}"


def row_data(row: AttemptRow, board: Board) -> dict[str, Any]:
    """A row for a program."""
    return {"guess": format_code(row.code, board), "black": row.black, "white": row.white}
