"""Results to share: words for everybody, then key pegs as emoji; never a peg of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.board import Edition
from keypeg.rules.errors import counted
from keypeg.rules.keypegs import describe_key_pegs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.keypegs import KeyPegs


def shared(number: int, board: Board, rows: Sequence[KeyPegs], link: str | None = None) -> str:
    """The text of a finished attempt, whose answers these are.

    The same as `shareText` of web/game/daily.js. Screen readers read the first line, and are told
    there what the grid shows.
    """
    broken = bool(rows) and rows[-1].black == board.holes
    needed = counted(len(rows), "row") if broken else f"not broken in {board.rows} rows"
    name = "keypeg daily" if str(board) == "classic" else f"keypeg daily {board}"
    return result_text(f"{name} {number}: {needed}", board, rows, *([link] if link else []))


def result_text(first: str, board: Board, rows: Sequence[KeyPegs], *more: str) -> str:
    """A line for everybody, the key pegs as emoji, the same in words, and more lines."""
    dark = "⚫" if board.edition is Edition.CLASSIC else "🔴"
    grid = (
        dark * keys.black + "⚪" * keys.white + "▫️" * (board.holes - keys.black - keys.white)
        for keys in rows
    )
    answers = "; ".join(describe_key_pegs(keys, board) for keys in rows)
    return "\n".join([first, *grid, f"In words: {answers}.", *more])
