"""Boards: the numbers of holes, colours and rows, and whether blanks and repeats are allowed.

A board has one text form everywhere: a preset's name, or holes x colours with `b` for
blanks, `n` for no repeats and `/rows`, as in `classic`, `4x6`, `5x8b`, `4x10n`, `4x6/8`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from keypeg.rules.colours import BLANK, CLASSIC, LARGEST, Colour, palette
from keypeg.rules.errors import CannotRead, quoted


class Edition(Enum):
    """The two editions in which the game is sold. Their colours and dark key pegs differ."""

    CLASSIC = "classic"
    ADVANCED = "advanced"


LIMITS: Final = {"holes": (1, 16), "colours": (2, len(LARGEST)), "rows": (1, 99)}
"""The least and the greatest value of each number."""


@dataclass(frozen=True, slots=True)
class Board:
    """A decoding board. By default it has 10 rows, or 12 if it has five holes or more."""

    holes: int
    colours: int
    rows: int = 0
    blanks: bool = False
    repeats: bool = True

    def __post_init__(self) -> None:
        if type(self.rows) is int and self.rows == 0:
            object.__setattr__(self, "rows", default_rows(self.holes))
        for field, (least, most) in LIMITS.items():
            value = getattr(self, field)
            if type(value) is not int or not least <= value <= most:
                shown = f", not {value:,}" if type(value) is int and abs(value) < 10**9 else ""
                raise CannotRead(f"a board has {least} to {most} {field}{shown}")
        for field in ("blanks", "repeats"):
            value = getattr(self, field)
            if type(value) is not bool:
                raise CannotRead(f"{field} is true or false, not {quoted(str(value))}")
        if not self.repeats and len(self.symbols) < self.holes:
            raise CannotRead(
                f"without repeats a board needs at least as many colours as holes: "
                f"{len(self.symbols)} {'with the blank ' if self.blanks else ''}"
                f"cannot fill {self.holes} holes"
            )

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read a board: the name of a preset, or a form like `5x8b/12`."""
        name = text.strip().lower() if text.isascii() else ""
        if name in PRESETS:
            return PRESETS[name]
        match = _FORM.fullmatch(name)
        if match is None:
            raise CannotRead(
                f"{quoted(text)} is not a valid board; use {', '.join(PRESETS)}, "
                "or holes x colours like 4x6, 5x8b (blanks), 4x10n (no repeats), 4x6/8 (8 rows)"
            )
        holes, colours, flags, rows = match.groups()
        if rows is not None and int(rows) == 0:
            raise CannotRead("a board has 1 to 99 rows, not 0")
        return cls(int(holes), int(colours), int(rows or 0), "b" in flags, "n" not in flags)

    def __str__(self) -> str:
        for name, preset in PRESETS.items():
            if preset == self:
                return name
        flags = "b" * self.blanks + "n" * (not self.repeats)
        rows = "" if self.rows == default_rows(self.holes) else f"/{self.rows}"
        return f"{self.holes}x{self.colours}{flags}{rows}"

    @property
    def symbols(self) -> range:
        """The values a peg may have: 1 for the first colour, and 0 for a blank if allowed."""
        return range(BLANK if self.blanks else 1, self.colours + 1)

    @property
    def codes(self) -> int:
        """The number of possible codes."""
        if self.repeats:
            return int(len(self.symbols) ** self.holes)
        return math.perm(len(self.symbols), self.holes)

    @property
    def palette(self) -> tuple[Colour, ...]:
        """The colours, in order; `palette[0]` is the colour of peg 1."""
        return palette(self.colours)

    @property
    def edition(self) -> Edition:
        """The edition whose colours are used: the classic one for up to six colours."""
        return Edition.CLASSIC if self.colours <= len(CLASSIC) else Edition.ADVANCED

    @property
    def dark_key_peg(self) -> str:
        """The name of the key peg for right colour, right hole: red in the advanced edition."""
        return "black" if self.edition is Edition.CLASSIC else "red"


def default_rows(holes: int) -> int:
    """The number of rows that the official boards with this number of holes have."""
    return 12 if type(holes) is int and holes >= 5 else 10


_FORM = re.compile(r"([0-9]{1,9})x([0-9]{1,9})(|b|n|bn|nb)(?:/([0-9]{1,9}))?")

PRESETS: Final = {
    "classic": Board(4, 6),
    "classic-blanks": Board(4, 6, blanks=True),
    "advanced": Board(5, 8),
    "advanced-blanks": Board(5, 8, blanks=True),
}
"""The four official games: Game No. 1 and No. 2 of each edition."""
