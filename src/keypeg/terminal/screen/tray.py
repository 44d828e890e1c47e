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
    """A colour of the tray. A click places it."""

    class Picked(Message):
        """This colour was clicked."""

        def __init__(self, peg: int) -> None:
            super().__init__()
            self.peg = peg

    def __init__(self, peg: int, board: Board) -> None:
        super().__init__(classes="colour")
        self._peg, self._board = peg, board

    def show(self, *, named: bool) -> None:
        """Draw the peg, with its digit and its name where there is room."""
        name = "blank" if self._peg == 0 else self._board.palette[self._peg - 1].name
        face = draw_peg(self._peg, self._board)
        self.update(Text.assemble(f"{self._peg:>2} ", face, f" {name}") if named else face)

    def on_click(self) -> None:
        """Report which colour it is."""
        self.post_message(self.Picked(self._peg))
