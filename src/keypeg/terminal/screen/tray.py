"""The tray: the colours of the board, each to be clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from keypeg.terminal.screen.pegs import draw_peg

if TYPE_CHECKING:
    from keypeg.rules.board import Board


class TrayColour(Static):
    """A colour of the tray: its peg, its digit and its name. A click places it."""

    class Picked(Message):
        """This colour was clicked."""

        def __init__(self, peg: int) -> None:
            super().__init__()
            self.peg = peg

    def __init__(self, peg: int, board: Board, *, named: bool) -> None:
        name = "blank" if peg == 0 else board.palette[peg - 1].name
        face = draw_peg(peg, board)
        shown = Text.assemble(f"{peg:>2} ", face, f" {name}") if named else face
        super().__init__(shown, classes="colour")
        self._peg = peg

    def on_click(self) -> None:
        """Report which colour it is."""
        self.post_message(self.Picked(self._peg))
