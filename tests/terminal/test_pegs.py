"""The colours of pegs: apart from each other, and from the slab they stand on."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem

from keypeg.rules.board import PRESETS, Board
from keypeg.terminal.screen.pegs import SIXTEEN, SLAB, draw_peg, shade


def nearest(colour: str) -> int | None:
    """Which of the 16 colours a terminal shows for it."""
    return Color.parse(colour).downgrade(ColorSystem.STANDARD).number


@pytest.mark.parametrize("board", [*PRESETS.values(), Board(4, 10)])
def test_pegs_of_16_colours_are_apart_and_stand_out_from_the_slab(board: Board) -> None:
    shown = [nearest(shade(peg, board, few=True)) for peg in range(1, board.colours + 1)]
    assert len({*shown, nearest(SLAB)}) == board.colours + 1


def test_every_colour_of_the_largest_board_has_one_of_16() -> None:
    board = Board(4, 20)
    assert {colour.name for colour in board.palette} | {"red", "white"} <= set(SIXTEEN)
    assert all(str(draw_peg(peg, board)).strip("▐▌() ") for peg in range(1, 21))
