"""The strategy that takes as few guesses as an exact lower bound."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from keypeg.solver.exact.search import Proof

if TYPE_CHECKING:
    from keypeg.solver.exact.cells import Cell
    from keypeg.solver.exact.lower_bounds import Bounds, LowerBound


def strategy(bounds: Bounds, found: LowerBound) -> Proof:
    """A strategy that takes `found.total` guesses, which those bounds have shown to be the least.

    What they know says which first and second guesses it begins with; the rest is searched again,
    for which the table has almost all that is needed.
    """
    began = time.perf_counter()
    engine = bounds.engine
    first, cells = _opening(bounds, found)
    solved = []
    for cell in cells:
        totals = engine.solve(first, [cell], budget=bounds.known(cell.codes).low).solved
        if totals is None:
            raise ValueError(f"{found.board}: a cell takes more than its bound says")
        solved += totals
    tree = engine.tree(first, cells, solved)
    seconds = found.seconds + time.perf_counter() - began
    return Proof.of(engine, tree, proven=True, lower=found.total, seconds=seconds)


def _opening(bounds: Bounds, found: LowerBound) -> tuple[int, list[Cell]]:
    """The best first guess, and its cells with their best second guesses alone."""
    for first in bounds.engine.firsts().tolist():
        cells = bounds.engine.cells(first)
        known = [bounds.known(cell.codes) for cell in cells]
        total = found.board.codes + sum(each.low for each in known)
        if total == found.total and all(each.exact for each in known):
            return first, [_with_best(bounds, cell) for cell in cells]
    raise ValueError(f"{found.board}: a bound of {found.total:,} that is not exact")


def _with_best(bounds: Bounds, cell: Cell) -> Cell:
    """The cell with a second guess that is known to take the least; with all, if none is."""
    least = bounds.known(cell.codes).low
    for place, guess in enumerate(cell.guesses.tolist()):
        known = [bounds.known(part) for part in bounds.parts(cell.codes, guess)]
        total = len(cell.codes) + sum(each.low for each in known)
        if total == least and all(each.exact for each in known):
            return cell.among([place])
    return cell
