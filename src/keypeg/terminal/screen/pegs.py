"""How pegs look in a terminal: colours as data, and always a letter in them."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final

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

SLAB: Final = "#2b3040"
KEYS: Final = "#7f8799"
EMPTY: Final = "#a8b0c4"
COLOURLESS: Final = bool(os.environ.get("NO_COLOR"))

WIDTH: Final = 3
"""Columns of a drawn peg."""


def shade(peg: int, board: Board) -> str:
    """The colour of a peg."""
    shades = CLASSIC if board.edition is Edition.CLASSIC else LARGEST
    return shades[board.palette[peg - 1].name]


@lru_cache(maxsize=256)
def _styles(colour: str) -> tuple[Style, Style]:
    """For the face of a peg, and for its sides."""
    face = Color.parse(colour)
    letter = face.get_contrast_text(1.0).hex
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
    drawn = Text("", Style(bgcolor=None if COLOURLESS else KEYS))
    black, white = keys or (0, 0)
    dark = "#000000" if board.dark_key_peg == "black" else "#8c0000"
    none = board.holes - black - white
    for sign, many, colour in ((BLACK, black, dark), (WHITE, white, "#ffffff"), (NONE, none, SLAB)):
        drawn.append(sign * many, None if COLOURLESS else Style(color=colour, bold=True))
    return drawn
