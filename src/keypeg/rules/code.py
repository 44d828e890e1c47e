"""Codes: the secret behind the shield and the guess in each row, and how they are written.

A code is a tuple with a number for each hole: 1 for the board's first colour, 0 for a blank.
Written, a peg is two letters (`RD WH BU GN`), one letter (`RWBG`), a digit (`1524`) or a
colour's full name; a blank is `-`, or `0` among digits.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from keypeg.rules.colours import BLANK, digit
from keypeg.rules.errors import AgainstTheRules, CannotRead, counted, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from keypeg.rules.board import Board

Code = tuple[int, ...]


class Form(Enum):
    """The ways to write a code."""

    SHORT = "RD WH BU GN"
    LETTERS = "RWBG"
    DIGITS = "1524"


_LONGEST = 400
_WORD = re.compile(r"[^\s,]+")


def parse_code(text: str, board: Board, column: int = 1) -> Code:
    """Read a code in any form, and check that it is legal on `board`.

    `column` is where the text begins in its line, for error messages.
    """
    if len(text) > _LONGEST:
        raise CannotRead(f"a code is at most {_LONGEST} characters, not {len(text):,}")
    symbols = _symbols(board)
    pegs = []
    tokens = _split(text, board)
    for hole, (token, offset) in enumerate(tokens, 1):
        peg = symbols.get(token.lower()) if token.isascii() else None
        if peg is None:
            at = column + offset
            raise CannotRead(
                f"peg {hole} (column {at}): {quoted(token)} is not a peg of this board; "
                f"use {_accepted(board)}",
                at,
            )
        pegs.append(peg)
    if len(pegs) != board.holes:
        raise CannotRead(f"{_length(board)}; {quoted(text.strip())} has {len(pegs)}")
    code = tuple(pegs)
    check_code(code, board)
    return code


def _length(board: Board) -> str:
    return f"a code on this board has {counted(board.holes, 'peg')}"


def check_code(code: Code, board: Board) -> None:
    """Raise an error if the code is not legal on this board."""
    if type(code) is not tuple or len(code) != board.holes:
        raise CannotRead(_length(board))
    seen: dict[int, int] = {}
    for hole, peg in enumerate(code, 1):
        if type(peg) is not int or not BLANK <= peg <= board.colours:
            least = BLANK if board.blanks else 1
            raise CannotRead(
                f"hole {hole}: pegs on this board are numbered {least} to {board.colours}"
            )
        if peg == BLANK and not board.blanks:
            raise AgainstTheRules(f"hole {hole} is empty, and blanks are off on this board")
        if not board.repeats and peg in seen:
            name = "the blank" if peg == BLANK else board.palette[peg - 1].name
            raise AgainstTheRules(
                f"{name} is in holes {seen[peg]} and {hole}, and repeats are off on this board"
            )
        seen[peg] = hole


def format_code(code: Code, board: Board, form: Form = Form.SHORT) -> str:
    """Write a code; `parse_code` reads it back."""
    palette = board.palette
    if form is Form.SHORT:
        return " ".join("-" if peg == BLANK else palette[peg - 1].short for peg in code)
    if form is Form.LETTERS:
        return "".join("-" if peg == BLANK else palette[peg - 1].letter for peg in code)
    return "".join(digit(peg, palette) for peg in code)


def describe_code(code: Code, board: Board) -> str:
    """The names of the colours of a code, as they are read aloud."""
    return ", ".join("blank" if peg == BLANK else board.palette[peg - 1].name for peg in code)


@lru_cache(maxsize=64)
def _symbols(board: Board) -> Mapping[str, int]:
    """Every way to write one peg, in lower case. A blank is included even if it is not allowed."""
    symbols = {"-": BLANK, "0": BLANK, "blank": BLANK}
    for peg, colour in enumerate(board.palette, 1):
        for name in (*colour, digit(peg, board.palette)):
            symbols[name.lower()] = peg
    return symbols


def _split(text: str, board: Board) -> list[tuple[str, int]]:
    """The written pegs and their offsets, divided in the way that fills the row."""
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    characters = [(c, start + i) for word, start in words for i, c in enumerate(word)]
    pairs = [pair for word, start in words for pair in _pairs(word, start)]
    symbols = _symbols(board)
    if len(words) > 1 and all(len(word) > 1 and word.lower() in symbols for word, _ in words):
        return words
    for reading in (words, characters, pairs):
        if len(reading) == board.holes:
            return reading
    if len(words) > 1:
        return words
    return pairs if pairs and all(token.lower() in symbols for token, _ in pairs) else characters


def _pairs(word: str, start: int) -> Iterator[tuple[str, int]]:
    """The letters of a word in pairs; any other character, such as a blank, by itself."""
    for match in re.finditer(r"[A-Za-z]{2}|.", word):
        yield match[0], start + match.start()


def _accepted(board: Board) -> str:
    """The ways to write a peg, for error messages."""
    last = digit(board.colours, board.palette)
    blank = ", - for a blank" if board.blanks else ""
    return (
        f"{' '.join(colour.short for colour in board.palette)}, one letter each "
        f"({''.join(colour.letter for colour in board.palette)}) or 1 to {last}{blank}"
    )
