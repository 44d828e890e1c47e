"""How a beginner plays: a code that may be the secret, as far as they remember the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.fitting.consistent import as_codes
from keypeg.solver.fitting.diagram import diagram

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.history import History

WIDTH: Final = 1 << 11
"""Wide enough to find a code that fits on any board that people play."""


def guess_as_beginner(
    board: Board,
    history: History,
    *,
    slip: float,
    seed: int,
    cancelled: Callable[[], bool] | None = None,
) -> Code:
    """A code that fits the rows remembered; each row is forgotten with probability `slip`.

    If no code is found that fits those, the earliest rows are forgotten too, one by one.
    """
    rng = np.random.default_rng(seed)
    remembered = tuple(clue for clue in history if rng.random() >= slip)
    found = diagram(board, remembered, width=WIDTH, seed=seed, cancelled=cancelled)
    while not found.held:
        remembered = remembered[1:]
        found = diagram(board, remembered, width=WIDTH, seed=seed, cancelled=cancelled)
    return as_codes(found.sample(1, rng))[0]
