"""How pegs look in a terminal: colours as data, and always a letter in them."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.color import Color

from keypeg.rules.board import Edition
from keypeg.rules.code import Form, format_code
from keypeg.terminal.wording import BLACK, NONE, WHITE

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.keypegs import KeyPegs

CLASSIC: Final = {
    "red": "#a81905",
    "blue": "#0026be",
    "yellow": "#e6cf00",
    "green": "#19a07e",
    "white": "#f7fffe",
    "black": "#080808",
}
"""Six colours that stay apart for colour-blind eyes (smallest CIEDE2000 distance 25.6)."""

LARGEST: Final = {
    "red": "#a30021",
    "yellow": "#e6c131",
    "green": "#14a16b",
    "blue": "#0f10d1",
    "white": "#fdfaf6",
    "black": "#1e1e1f",
    "orange": "#dd5a0c",
    "magenta": "#f054e4",
    "cyan": "#9de4ff",
    "purple": "#4b2959",
    "amber": "#ffb000",
    "brown": "#7b4b2a",
    "denim": "#3f6fb5",
    "emerald": "#50c878",
    "flame": "#e25822",
    "grey": "#8a8a8a",
    "hazel": "#8e7618",
    "indigo": "#5a2ca0",
    "jade": "#00776b",
    "khaki": "#c3b091",
}
"""The same for up to ten colours (15.3); from there on the letters must tell them apart."""

SIXTEEN: Final = {
    "red": "#aa0000",
    "yellow": "#ffff55",
    "green": "#00aa00",
    "blue": "#0000aa",
    "white": "#ffffff",
    "black": "#000000",
    "orange": "#aa5500",
    "magenta": "#ff55ff",
    "cyan": "#55ffff",
    "purple": "#aa00aa",
    "amber": "#ff5555",
    "brown": "#aa5500",
    "denim": "#5555ff",
    "emerald": "#55ff55",
    "flame": "#ff5555",
    "grey": "#aaaaaa",
    "hazel": "#aa5500",
    "indigo": "#aa00aa",
    "jade": "#00aaaa",
    "khaki": "#aaaaaa",
}
"""For terminals of 16 colours, in Rich's own values for these, so that none is mistaken for
another; #555555 is the slab. Ten are apart, beyond them the letters must tell."""
DARK: Final = {"#aa0000", "#0000aa", "#000000", "#aa00aa", "#5555ff"}
"""Those of the 16 that need a white letter, whatever the terminal makes of them."""

SLAB: Final = "#2b3040"
KEYS: Final = "#7f8799"
EMPTY: Final = "#a8b0c4"
COLOURLESS: Final = bool(os.environ.get("NO_COLOR"))
FEW: Final = Console(force_terminal=True).color_system == "standard"
"""Whether the terminal has 16 colours."""

WIDTH: Final = 3
"""Columns of a drawn peg."""


def shade(peg: int, board: Board, *, few: bool = FEW) -> str:
    """The colour of a peg."""
    shades = CLASSIC if board.edition is Edition.CLASSIC else LARGEST
    return (SIXTEEN if few else shades)[board.palette[peg - 1].name]


@lru_cache(maxsize=256)
def _styles(colour: str) -> tuple[Style, Style]:
    """For the face of a peg, and for its sides."""
    letter = Color.parse(colour).get_contrast_text(1.0).hex
    if FEW:
        letter = "#ffffff" if colour in DARK else "#000000"
    return Style(color=letter, bgcolor=colour, bold=True), Style(color=colour)


def draw_peg(peg: int | None, board: Board, form: Form = Form.LETTERS) -> Text:
    """A peg with its letter, two letters or digit; None is an empty hole, 0 a blank."""
    if peg is None:
        return Text(" · ", Style(color=EMPTY))
    label = format_code((peg,), board, form)
    if peg == 0:
        return Text(f"({label})", Style(bold=True))
    if COLOURLESS:
        return Text(f"({label})" if len(label) == 1 else f"{label} ", Style(bold=True))
    face, side = _styles(shade(peg, board))
    if len(label) > 1:
        return Text.assemble((label, face), ("▌", side))
    return Text.assemble(("▐", side), (label, face), ("▌", side))


def draw_covered() -> Text:
    """A peg that nobody may see."""
    return Text("(#)" if COLOURLESS else "▐▓▌", Style(color=KEYS))


def draw_key_pegs(keys: KeyPegs | None, board: Board) -> Text:
    """Key pegs as signs on their own plate; the dark one red in the advanced edition."""
    drawn = Text("", Style(bgcolor=None if COLOURLESS or FEW else KEYS))
    black, white = keys or (0, 0)
    dark = "#000000" if board.dark_key_peg == "black" else "#8c0000"
    none = board.holes - black - white
    for sign, many, colour in (
        (BLACK, black, dark),
        (WHITE, white, "#ffffff"),
        (NONE, none, EMPTY if FEW else SLAB),
    ):
        drawn.append(sign * many, None if COLOURLESS else Style(color=colour, bold=True))
    return drawn
