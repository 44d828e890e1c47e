"""Puzzles on paper: pages of six with a working grid, and the solutions at the end.

As a page for the browser's print dialog, which contains all it needs, or as plain text. The page
`/print` has the same sheets: the style and the shapes of pegs are those of the web folder.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import Form, format_code
from keypeg.rules.colours import BLANK
from keypeg.rules.keypegs import describe_key_pegs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.puzzles import Puzzle
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

A_PAGE: Final = 6
MIXED_GRADES: Final = (1, 2, 2, 3, 4, 5)
"""The grades of a page for which none was chosen."""
WEB: Final = Path(__file__).parent.parent / "web"


def text_sheet(puzzles: Sequence[Puzzle]) -> Iterator[str]:
    """The puzzles as lines, a form feed before the solutions."""
    yield task(puzzles[0].board)
    yield ""
    for number, puzzle in enumerate(puzzles, 1):
        board = puzzle.board
        yield f"{number}. {_name(puzzle)}"
        pegs = [format_code((peg,), board, Form.LETTERS) for peg in board.symbols]
        for guess, keys in puzzle.rows:
            yield f"   {_letters(guess, board)}   {describe_key_pegs(keys, board)}"
        yield f"   {' '.join('_' * board.holes)}   {'  '.join(pegs)}"
        yield ""
    board = puzzles[0].board
    letters = [
        f"{format_code((peg,), board, Form.LETTERS)} {_colour(peg, board)}" for peg in board.symbols
    ]
    yield f"{', '.join(letters)}."
    yield "\f" + "Solutions"
    for number, puzzle in enumerate(puzzles, 1):
        yield f"{number:>2}. {_letters(puzzle.code, puzzle.board)}"


def task(board: Board) -> str:
    """What is to be done, for whoever gets the sheet alone."""
    often = "A colour may appear in it more than once."
    repeats = often if board.repeats else "No colour appears in it twice."
    return f"Find the one code that fits all rows of a puzzle. {repeats}"


def html_sheet(puzzles: Sequence[Puzzle], labels: str) -> str:
    """The puzzles as a page; `labels` is `letters` or `shapes`."""
    sheet = _Sheet(labels)
    pages = [list(enumerate(puzzles, 1))[at : at + A_PAGE] for at in range(0, len(puzzles), A_PAGE)]
    body = "".join(sheet.page(page) for page in pages) + sheet.solutions(puzzles)
    style = (WEB / "style" / "sheet.css").read_text("utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>One answer left</title><style>{style}</style></head><body>{body}</body></html>\n"
    )


def _letters(code: Code, board: Board) -> str:
    return " ".join(format_code(code, board, Form.LETTERS))


def _colour(peg: int, board: Board) -> str:
    return "blank" if peg == BLANK else board.palette[peg - 1].name


def _name(puzzle: Puzzle) -> str:
    return f"Grade {puzzle.grade}, {puzzle.board}, {puzzle.seed}"


@cache
def shapes() -> dict[str, str]:
    """The shape of each colour, as a path in a box of 24 by 24."""
    module = (WEB / "look" / "shapes.js").read_text("utf-8")
    return dict(re.findall(r'^ *(\w+): "([^"]+)"', module, re.MULTILINE))


class _Sheet:
    def __init__(self, labels: str) -> None:
        self._labels = labels

    def page(self, numbered: Sequence[tuple[int, Puzzle]]) -> str:
        """Up to six puzzles."""
        articles = "".join(self._puzzle(number, puzzle) for number, puzzle in numbered)
        board = numbered[0][1].board
        return (
            f'<section class="sheet"><h2>One answer left</h2><p>{task(board)}</p>'
            f'<div class="sheet-puzzles">{articles}</div>{self._legend(board)}</section>'
        )

    def solutions(self, puzzles: Sequence[Puzzle]) -> str:
        """The codes of all puzzles."""
        items = "".join(
            f"<li>{number}. {self._pegs(puzzle.code, puzzle.board)}</li>"
            for number, puzzle in enumerate(puzzles, 1)
        )
        return (
            '<section class="sheet"><h2>Solutions</h2>'
            f'<ul class="sheet-solutions">{items}</ul></section>'
        )

    def _puzzle(self, number: int, puzzle: Puzzle) -> str:
        board = puzzle.board
        rows = "".join(
            f'<li class="sheet-row">{self._pegs(guess, board)}{_keys(keys, board)}</li>'
            for guess, keys in puzzle.rows
        )
        empty = '<span class="sheet-peg"></span>' * board.holes
        answer = f'<li class="sheet-row sheet-answer"><span class="sheet-pegs">{empty}</span></li>'
        title = f"<h3>{number}<span>{escape(_name(puzzle))}</span></h3>"
        return (
            f'<article>{title}<ul class="sheet-rows">{rows}{answer}</ul>'
            f"{self._grid(board)}</article>"
        )

    def _grid(self, board: Board) -> str:
        """For each peg and hole a box to cross out."""
        holes = "".join(f"<th>{hole}</th>" for hole in range(1, board.holes + 1))
        boxes = "<td></td>" * board.holes
        pegs = "".join(
            f"<tr><th>{self._sign(peg, board)}</th>{boxes}</tr>" for peg in board.symbols
        )
        return f'<table class="sheet-grid"><tr><th></th>{holes}</tr>{pegs}</table>'

    def _legend(self, board: Board) -> str:
        named = (f"{self._sign(peg, board)} {_colour(peg, board)}" for peg in board.symbols)
        return (
            f'<p class="sheet-legend">{", ".join(named)}. A filled key peg: right colour, right '
            "hole. A ring: right colour, wrong hole.</p>"
        )

    def _pegs(self, code: Code, board: Board) -> str:
        pegs = "".join(f'<span class="sheet-peg">{self._sign(peg, board)}</span>' for peg in code)
        return f'<span class="sheet-pegs">{pegs}</span>'

    def _sign(self, peg: int, board: Board) -> str:
        if peg == BLANK:
            return "–"
        colour = board.palette[peg - 1]
        if self._labels == "letters":
            return colour.letter
        path = f'<path fill-rule="evenodd" d="{shapes()[colour.name]}"/>'
        return f'<svg viewBox="0 0 24 24" role="img" aria-label="{colour.name}">{path}</svg>'


def _keys(keys: KeyPegs, board: Board) -> str:
    pegs = '<span class="sheet-key dark"></span>' * keys.black
    pegs += '<span class="sheet-key"></span>' * keys.white
    said = f'<span class="sheet-said">{describe_key_pegs(keys, board)}</span>'
    return f'<span class="sheet-keys">{pegs}</span>{said}'
