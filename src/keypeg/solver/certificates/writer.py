"""Makes a certificate: which claims a bound needs so that the checker can follow it.

A region is refuted once for all that need it: regions are taken in order of their size, the
largest first, and a region needs only smaller ones. What the checker sees by itself is asked of
the checker; what a cell takes beyond that comes from the search and becomes a claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.certificates.checker import AnswerTable, Certificate
from keypeg.solver.exact.lower_bounds import Desk, searched
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from keypeg.solver.certificates.checker import AnswerCell
    from keypeg.solver.exact.engine import Engine
    from keypeg.solver.exact.lower_bounds import Bounds

    Codes = NDArray[np.int32]

Key = tuple[int | None, bytes]
"""A region's codes, and how many guesses are left for it if that is limited."""


class NotProven(KeypegError):
    """A bound that is not true, or that the search cannot show, gets no certificate."""


class Origin(NamedTuple):
    """Where a region comes from: a cell of a claim's region, and the guesses made until then."""

    parent: int
    guess: int
    answer: int
    history: tuple[int, ...]


@dataclass(slots=True)
class Need:
    """A claim that is needed, by whatever needed it first, with the highest bound needed."""

    bound: int
    origin: Origin


def certify(
    engine: Engine,
    bound: int,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    bounds: Bounds | None = None,
) -> Certificate:
    """A certificate that no strategy of the engine's board, within its limit, is below `bound`.

    `progress` is called with the number of claims shown, and of those known to be needed so far.
    An engine that has just proven the bound makes this quick. With the bounds that a search for a
    lower bound has found, nothing is searched further than there.
    """
    return _Writer(engine, progress, cancelled, bounds).write(bound)


class _Writer:
    """One run of `certify`."""

    def __init__(
        self,
        engine: Engine,
        progress: Callable[[int, int], None] | None,
        cancelled: Callable[[], bool] | None,
        bounds: Bounds | None,
    ) -> None:
        space = engine.space
        self.engine, self.progress, self.cancelled = engine, progress, cancelled
        self.bounds = bounds
        self.table = AnswerTable(space.holes, space.symbols, space.repeats)
        self.desk = Desk(engine.ready(), engine.workspaces[0])
        self.needs: list[dict[Key, Need]] = [{} for _ in range(len(space) + 1)]
        """By size of the region."""
        self.needed = 0
        self.done: list[Need] = []

    def write(self, bound: int) -> Certificate:
        """Show all that is needed, from the largest region to the smallest."""
        everything = np.arange(len(self.table.codes), dtype=np.int32)
        self._need(everything, bound, Origin(0, 0, 0, ()))
        for needs in reversed(self.needs):
            for (left, codes), need in needs.items():
                self._report()
                self.done.append(need)
                self._show(np.frombuffer(codes, np.int32), left, need)
        return self._certificate()

    def _show(self, region: Codes, left: int | None, need: Need) -> None:
        """Find out which smaller claims the claim about a region needs."""
        history = need.origin.history
        if self._follows_from_sizes(region, history, need.bound):
            return
        for guess, cells in self.table.gaps(region, history, left, need.bound):
            after = (*history, guess)
            known = [self._known(cell, after) for cell in cells]
            total = len(region) + sum(known)
            by_size = sorted(range(len(cells)), key=lambda place: len(cells[place].codes))
            for effort, place in product(self._efforts(after), by_size):
                if total >= need.bound:
                    break
                cell, low = cells[place], known[place]
                bound = self._bound(cell.codes, low, low + need.bound - total, after, effort)
                if bound > low:
                    origin = Origin(len(self.done) - 1, guess, cell.answer, after)
                    self._need(cell.codes, bound, origin)
                    total += bound - low
                    known[place] = bound
            if total < need.bound:
                raise NotProven(
                    f"{self.engine.board}: a strategy may take fewer than "
                    f"{self.done[0].bound:,} guesses"
                )

    def _follows_from_sizes(self, region: Codes, history: tuple[int, ...], bound: int) -> bool:
        """Whether a bound is known to follow from the sizes of what guesses leave."""
        if self.bounds is None or len(history) != 2:
            return False
        return self.bounds.known(region).sizes >= bound

    def _efforts(self, history: tuple[int, ...]) -> Sequence[int]:
        """How hard a cell is searched, one effort after another; without bounds, in full."""
        return (0,) if self.bounds is None else self.bounds.passes(history)

    def _left(self, history: tuple[int, ...]) -> int | None:
        limit = self.engine.limit
        return None if limit is None else max(limit - len(history), 0)

    def _need(self, region: Codes, bound: int, origin: Origin) -> None:
        """Note that a claim is needed."""
        needs = self.needs[len(region)]
        key = self._left(origin.history), region.tobytes()
        if key in needs:
            needs[key].bound = max(needs[key].bound, bound)
        else:
            needs[key] = Need(bound, origin)
            self.needed += 1

    def _known(self, cell: AnswerCell, history: tuple[int, ...]) -> int:
        """What the checker will know of a cell: by itself, or by a claim that is needed anyway."""
        need = self.needs[len(cell.codes)].get((self._left(history), cell.codes.tobytes()))
        return cell.low if need is None else max(cell.low, need.bound)

    def _bound(
        self, region: Codes, low: int, wanted: int, history: tuple[int, ...], effort: int
    ) -> int:
        """What a region takes, as far as that is not more than wanted."""
        left, unlimited = self._left(history), len(self.desk.data.floor) - 1
        if left == 0 or len(region) <= 2 or low == 2 * len(region) - 1:
            return low  # this is what it takes
        if self.bounds is not None and len(history) <= 2:
            return max(low, self.bounds.bound(region, wanted, history, effort))
        depth = unlimited if left is None else left
        return min(searched(self.engine, self.desk, region, low, wanted, history, depth), wanted)

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(len(self.done), self.needed)
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("stopped before the certificate was complete")

    def _certificate(self) -> Certificate:
        """The claims in the order of their parents: that is what compresses best."""
        space = self.engine.space
        order = _by_generation([need.origin.parent for need in self.done])
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order))
        columns = np.array(
            [
                (number[need.origin.parent], need.origin.guess, need.origin.answer, need.bound)
                for need in self.done
            ],
            np.int32,
        )
        parents, guesses, answers, bounds = columns[order].T
        return Certificate(
            space.holes,
            space.symbols,
            space.repeats,
            self.engine.limit,
            parents,
            guesses,
            answers,
            bounds,
        )


def _by_generation(parents: list[int]) -> list[int]:
    """The claims so that children of one parent are together, and come after it."""
    children: dict[int, list[int]] = {}
    for claim, parent in enumerate(parents[1:], 1):
        children.setdefault(parent, []).append(claim)
    order = [0]
    for claim in order:
        order += children.get(claim, ())
    return order
