"""Histories on small boards, true ones and doubtful ones, for the solver's property tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from keypeg.rules.keypegs import score
from keypeg.solver import reference
from keypeg.solver.history import Clue, History

from .boards import small_boards

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@st.composite
def truthful(draw: st.DrawFn, most: int = 5) -> tuple[Board, History]:
    """A small board and rows that a secret answered."""
    board = draw(small_boards())
    codes = st.sampled_from(reference.codes(board))
    secret = draw(codes)
    guesses = draw(st.lists(codes, max_size=most))
    return board, tuple(Clue(guess, score(secret, guess)) for guess in guesses)


@st.composite
def doubtful(draw: st.DrawFn, most: int = 6) -> tuple[Board, History]:
    """A small board and rows of which some may be answered wrongly."""
    board, history = draw(truthful(most))
    keys = st.sampled_from(reference.answers(board))
    return board, tuple(
        clue._replace(keys=draw(keys)) if draw(st.booleans()) else clue for clue in history
    )
