"""Compiling ahead: what takes a minute the first time is done before anyone waits for it."""

from __future__ import annotations

from keypeg.rules.board import Board
from keypeg.rules.game import Game, Row
from keypeg.rules.keypegs import score
from keypeg.rules.terms import Terms
from keypeg.solver.analysis import analysis
from keypeg.solver.history import Clue
from keypeg.solver.suggest import suggest


def warm() -> None:
    """Ask for every kind of advice once, on positions outside the books."""
    board, secret = Board(4, 6), (1, 5, 2, 4)
    rows = tuple(Clue(guess, score(secret, guess)) for guess in ((6, 6, 5, 5), (1, 1, 2, 3)))
    for level in ("strong", "perfect"):
        suggest(board, rows, level)
    large = Board(8, 10)
    suggest(large, (Clue((1, 1, 2, 2, 3, 3, 4, 4), score((1,) * 8, (1, 1, 2, 2, 3, 3, 4, 4))),))
    analysis(Game("warm", Terms(board), tuple(Row(*row) for row in rows)))
