"""How a table is laid out in a window of a given size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keypeg.terminal.screen.board import columns_of
from keypeg.terminal.screen.pegs import WIDTH

if TYPE_CHECKING:
    from keypeg.rules.board import Board

LEAST_COLUMNS: Final = 40
LEAST_LINES: Final = 12
PANEL_COLUMNS: Final = 22
"""Columns that the panel needs beside the board, with the space between them."""
SHORT: Final = 18
"""Lines below which only what a player cannot do without is shown."""
BEFORE_NAME: Final = 7
"""Columns of the tray before the name of a colour: its digit and its peg."""
MARGINS: Final = 2
"""Columns beside the board, and as many beside the panel."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the panel is, and how much of it there is room for."""

    narrow: bool
    """Whether the panel is below the board."""
    short: bool
    """Whether there is no room for buttons and space between things."""
    named: bool
    """Whether the tray has the names of the colours."""
    tray_columns: int
    complaint: str = ""
    """What to say instead of showing the table, in a window that is too small for it."""


def layout(board: Board, columns: int, lines: int) -> Layout:
    """The layout for a board in a window of this size."""
    drawn = columns_of(board) + MARGINS
    narrow, short = columns - drawn < PANEL_COLUMNS, lines < SHORT
    room = columns - MARGINS - (0 if narrow else drawn + 1)  # 1 for the board's scroll bar
    symbols, longest = board.colours + board.blanks, max(len(c.name) for c in board.palette)
    side_by_side = min(3 if narrow else 2, _fitting(room, BEFORE_NAME + longest))
    named = not short and 0 < symbols <= side_by_side * (4 if narrow else 6)
    least = max(LEAST_COLUMNS, drawn)
    fits = columns >= least and lines >= LEAST_LINES
    return Layout(
        narrow,
        short,
        named,
        side_by_side if named else min(symbols, _fitting(room, WIDTH)),
        "" if fits else _complaint(least, columns, lines),
    )


def _fitting(room: int, width: int) -> int:
    """How many things of this width fit side by side, with a column between them."""
    return (room + 1) // (width + 1)


def _complaint(least: int, columns: int, lines: int) -> str:
    return (
        f"This window is too small: it has {columns} columns and {lines} lines; "
        f"{least} columns and {LEAST_LINES} lines are needed."
    )
