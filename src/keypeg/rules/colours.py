"""The colours of code pegs and their names. Which colours a board has depends on their number."""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """One colour of code peg: its full name, the rule books' two letters, and one letter."""

    name: str
    short: str
    letter: str


BLANK = 0
"""The value of an empty hole; colours are numbered from 1."""

CLASSIC = (
    Colour("red", "RD", "R"),
    Colour("blue", "BU", "B"),
    Colour("yellow", "YW", "Y"),
    Colour("green", "GN", "G"),
    Colour("white", "WH", "W"),
    Colour("black", "BK", "K"),
)

ADVANCED = (
    Colour("magenta", "MA", "M"),
    Colour("orange", "OR", "O"),
    Colour("blue", "BU", "B"),
    Colour("purple", "PU", "P"),
    Colour("yellow", "YW", "Y"),
    Colour("white", "WH", "W"),
    Colour("green", "GN", "G"),
    Colour("black", "BK", "K"),
)

NINE = (*ADVANCED, Colour("red", "RD", "R"))

# With ten colours or more, A, B, C and so on continue the digits and are the letters of the later
# colours. Blue, green and black get U, N and L instead, so that a letter never means two colours.
LARGEST = (
    Colour("magenta", "MA", "M"),
    Colour("orange", "OR", "O"),
    Colour("blue", "BU", "U"),
    Colour("purple", "PU", "P"),
    Colour("yellow", "YW", "Y"),
    Colour("white", "WH", "W"),
    Colour("green", "GN", "N"),
    Colour("black", "BK", "L"),
    Colour("red", "RD", "R"),
    Colour("amber", "AM", "A"),
    Colour("brown", "BN", "B"),
    Colour("cyan", "CY", "C"),
    Colour("denim", "DN", "D"),
    Colour("emerald", "EM", "E"),
    Colour("flame", "FL", "F"),
    Colour("grey", "GY", "G"),
    Colour("hazel", "HZ", "H"),
    Colour("indigo", "IN", "I"),
    Colour("jade", "JD", "J"),
    Colour("khaki", "KH", "K"),
)


def palette(colours: int) -> tuple[Colour, ...]:
    """The colours of a board with this number of colours: the classic ones for up to six."""
    box = next(box for box in (CLASSIC, ADVANCED, NINE, LARGEST) if colours <= len(box))
    return box[:colours]


def digit(peg: int, colours: tuple[Colour, ...]) -> str:
    """The one-character name of a peg: 1 to 9, then letters."""
    return str(peg) if peg <= 9 else colours[peg - 1].letter
