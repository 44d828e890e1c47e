"""Makes a certificate: which claims a bound needs so that the checker can follow it.

A region is refuted once for all that need it: regions are taken in order of their size, the
largest first, and a region needs only smaller ones. What the checker sees by itself is asked of
the checker; what a cell takes beyond that comes from the search and becomes a claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.certificates.checker import AnswerTable, Certificate
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.engine import TooLarge
from keypeg.solver.exact.worker import ANY_GUESS, GUESS_BITS, JobTable, Limits, work
from keypeg.solver.exact.workspace import STATE, TOO_DEEP, new_control
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from keypeg.solver.certificates.checker import AnswerCell
    from keypeg.solver.exact.engine import Engine

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
) -> Certificate:
    """A certificate that no strategy of the engine's board, within its limit, is below `bound`.

    `progress` is called with the number of claims shown, and of those known to be needed so far.
    An engine that has just proven the bound makes this quick.
    """
    return _Writer(engine, progress, cancelled).write(bound)


class _Writer:
    """One run of `certify`."""

    def __init__(
        self,
        engine: Engine,
        progress: Callable[[int, int], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        space = engine.space
        self.engine, self.progress, self.cancelled = engine, progress, cancelled
        self.table = AnswerTable(space.holes, space.symbols, space.repeats)
        self.data, self.workspace = engine.ready(), engine.workspaces[0]
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
        for guess, cells in self.table.gaps(region, history, left, need.bound):
            after = (*history, guess)
            known = [self._known(cell, after) for cell in cells]
            total = len(region) + sum(known)
            for cell, low in sorted(zip(cells, known, strict=True), key=_size):
                if total >= need.bound:
                    break
                bound = self._bound(cell.codes, low, low + need.bound - total, after)
                if bound > low:
                    origin = Origin(len(self.done) - 1, guess, cell.answer, after)
                    self._need(cell.codes, bound, origin)
                    total += bound - low
            if total < need.bound:
                raise NotProven(
                    f"{self.engine.board}: a strategy may take fewer than "
                    f"{self.done[0].bound:,} guesses"
                )

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

    def _bound(self, region: Codes, low: int, wanted: int, history: tuple[int, ...]) -> int:
        """What a region takes, as far as that is not more than wanted."""
        left, unlimited = self._left(history), len(self.data.floor) - 1
        if left == 0 or len(region) <= 2 or low == 2 * len(region) - 1:
            return low  # this is what it takes
        used = 0
        for guess in history:
            used |= int(self.engine.space.colours[guess])
        job = _job(region, low)
        limits = Limits(wanted - 1, IMPOSSIBLE, unlimited if left is None else left, used)
        self.data.control[:] = new_control()
        work(self.data, self.workspace, job, limits)
        if self.data.control[STATE] == TOO_DEEP:
            raise TooLarge(f"{self.engine.board}: a line of play is too long for the search")
        return min(int(job.total[0]), wanted)

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


def _size(pair: tuple[AnswerCell, int]) -> int:
    return len(pair[0].codes)


def _by_generation(parents: list[int]) -> list[int]:
    """The claims so that children of one parent are together, and come after it."""
    children: dict[int, list[int]] = {}
    for claim, parent in enumerate(parents[1:], 1):
        children.setdefault(parent, []).append(claim)
    order = [0]
    for claim in order:
        order += children.get(claim, ())
    return order


def _job(region: Codes, low: int) -> JobTable:
    """A job for the search: what a region takes with any guess, known to be `low` at least."""
    return JobTable(
        codes=np.array(region),
        starts=np.array([0, len(region)], np.int64),
        cell=np.zeros(1, np.int32),
        guess=np.full(1, ANY_GUESS, np.int32),
        low=np.full(1, low, np.int32),
        total=np.full(1, IMPOSSIBLE, np.int32),
        limit=np.zeros(1, np.int64),
        lows=np.full(1, low, np.int64),
        best=np.full(1, IMPOSSIBLE << GUESS_BITS, np.int64),
        left=np.ones(1, np.int64),
    )
