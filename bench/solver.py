"""How fast the solver scores and grows one-step trees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench import Row, bench, best_of
from keypeg.rules.board import Board
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.kernels import histograms, matrix
from keypeg.solver.playing.strategies import RULES, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.code import Code

GUESSES, CODES = 1000, 1296


@bench
def kernels() -> Iterator[Row]:
    """Pairs a second on one core."""
    for board in (Board(4, 6), Board(5, 8)):
        space = codespace(board)
        guesses = space.gather(space.everything[:: len(space) // GUESSES][:GUESSES])
        codes = space.gather(space.everything[:: len(space) // CODES][:CODES])
        for what, kernel, target in (("scoring", matrix, 2e9), ("histogram", histograms, 0.9e9)):
            seconds = best_of(15, partial(kernel, guesses, codes, space.holes))
            yield Row(f"{board}: {what}", GUESSES * CODES / seconds, target, within=False)


@bench
def one_step_trees() -> Iterator[Row]:
    """Whole trees on two threads, first guess given."""
    trees: list[tuple[Board, Code, float]] = [
        (Board(4, 6), (1, 1, 2, 3), 0.010),
        (Board(5, 8), (1, 1, 2, 2, 3), 3.3),
    ]
    for board, first, target in trees:
        for rule in RULES:
            seconds = best_of(9 if target < 1 else 2, partial(evaluate, board, rule, first))
            yield Row(f"{board}: {rule}", seconds, target)
