"""Boards and codes for the solver's property tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from keypeg.rules.board import Board

if TYPE_CHECKING:
    from keypeg.rules.code import Code

LARGE = [Board(8, 12), Board(12, 20), Board(16, 20, blanks=True), Board(8, 20, repeats=False)]
"""Boards whose codes take several words."""


@st.composite
def small_boards(draw: st.DrawFn) -> Board:
    """Boards with few enough codes to list in a test."""
    holes = draw(st.integers(1, 4))
    colours = draw(st.integers(2, 5))
    blanks = draw(st.booleans())
    repeats = colours + blanks < holes or draw(st.booleans())
    return Board(holes, colours, blanks=blanks, repeats=repeats)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any boards, large ones often."""
    holes, colours = draw(st.integers(1, 16)), draw(st.integers(2, 20))
    blanks = draw(st.booleans())
    repeats = colours + blanks < holes or draw(st.booleans())
    anything = st.just(Board(holes, colours, blanks=blanks, repeats=repeats))
    return draw(st.one_of(st.sampled_from(LARGE), anything))


def code_lists(board: Board, most: int) -> st.SearchStrategy[list[Code]]:
    """One or more legal codes of `board`, in no order."""
    pegs = st.sampled_from(board.symbols)
    code = st.lists(pegs, min_size=board.holes, max_size=board.holes, unique=not board.repeats).map(
        tuple
    )
    return st.lists(code, min_size=1, max_size=most)
