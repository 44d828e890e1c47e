"""QR codes for a terminal, two rows of modules in each line."""

from __future__ import annotations

import os
import shutil
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TextIO

import segno

if TYPE_CHECKING:
    from collections.abc import Iterator

BORDER: Final = 2
_HALVES: Final = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
_BLACK_ON_WHITE: Final = "\x1b[30;107m"
_AS_BEFORE: Final = "\x1b[0m"
_COLUMNS: Final = 40
"""A QR code of an address on the network is narrower."""


def can_draw(stream: TextIO) -> bool:
    """Whether a QR code can be drawn there."""
    colours = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    wide = shutil.get_terminal_size().columns >= _COLUMNS
    return colours and wide and "utf" in stream.encoding.lower()


def qr_lines(text: str) -> Iterator[str]:
    """A QR code, dark on light whatever the terminal's colours are, as cameras expect it."""
    rows = [list(row) for row in segno.make(text, micro=False).matrix_iter(border=BORDER)]
    nothing = [0] * len(rows[0])
    for upper, lower in zip_longest(rows[::2], rows[1::2], fillvalue=nothing):
        halves = (_HALVES[bool(up), bool(low)] for up, low in zip(upper, lower, strict=True))
        yield f"{_BLACK_ON_WHITE}{''.join(halves)}{_AS_BEFORE}"
