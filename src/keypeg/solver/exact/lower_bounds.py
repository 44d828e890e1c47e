"""Lower bounds of boards that are too large for a proof: below these no strategy can be.

What is left after two guesses is bounded by the sizes of the cells that third guesses leave, and
searched only a little further: that is the effort. What is left after one guess takes the least of
what its second guesses take, and the board the least of what its first guesses take. Each guess is
bounded only until it is seen to take more than the least.
"""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from keypeg.solver.codes.kernels import matrix
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.engine import TooLarge
from keypeg.solver.exact.survey import least_by_sizes
from keypeg.solver.exact.worker import ANY_GUESS, GUESS_BITS, JobTable, Limits, work
from keypeg.solver.exact.workspace import STATE, TOO_DEEP, new_control
from keypeg.solver.journal import Journal
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Cell
    from keypeg.solver.exact.engine import Engine
    from keypeg.solver.exact.workspace import SearchData, Workspace

    Codes = NDArray[np.int32]

SMALL: Final = 12
"""Regions up to this size are searched in full: that takes less than bounding the larger ones."""


NONE: Final = -1
"""The effort of asking only for what is known."""

MOST_EFFORT: Final = 18
"""With this effort a region is searched as far as any total goes."""

GUESSES_KEPT: Final = 600
"""Pairs of guesses for which the third guesses that differ are kept."""


class BoundProgress(NamedTuple):
    """How far the search is: its effort, cells of first guesses bounded, and the bound so far."""

    effort: int
    done: int
    of: int
    bound: int


class LowerBound(NamedTuple):
    """No strategy takes fewer guesses in total than `total`; `exact` if one takes as few."""

    board: Board
    total: int
    exact: bool
    seconds: float


@dataclass(slots=True)
class Known:
    """What is known of a region: it takes `low` at least, and no more if that is `exact`.

    `sizes` is what the sizes of the cells after one more guess show, if they were looked at.
    `effort` is the one after which `low` is all that can be shown with it.
    """

    low: int
    exact: bool = False
    sizes: int = 0
    effort: int = NONE


def slack(effort: int) -> int:
    """How far beyond what sizes show a region after two guesses is searched at most."""
    return 0 if effort == 0 else 1 << effort


def find_lower_bound(
    bounds: Bounds,
    at_least: int | None = None,
    progress: Callable[[BoundProgress], None] | None = None,
    log: Path | None = None,
) -> LowerBound:
    """The best lower bound found until it is cancelled or exact, or is `at_least` what is wanted.

    With a log, what an earlier run has done is not done again.
    """
    if log is None:
        return _Raising(bounds, at_least, progress, None).run()
    with closing(Journal(log, {"bound": str(bounds.engine.board)})) as journal:
        return _Raising(bounds, at_least, progress, journal).run()


class Desk(NamedTuple):
    """What a thread works with: a workspace, and the board's data with a control of its own."""

    data: SearchData
    workspace: Workspace


class Bounds:
    """Lower bounds of regions of one board, kept by their codes.

    Each workspace of the engine has a thread; these share the second guesses of a cell.
    """

    def __init__(self, engine: Engine, cancelled: Callable[[], bool] | None = None) -> None:
        self.engine, self.cancelled = engine, cancelled
        self.effort = 0
        self._desks = [Desk(engine.ready(), workspace) for workspace in engine.workspaces]
        self._data = self._desks[0].data
        self._floor = self._data.floor[-1, -1]
        self._known: dict[bytes, Known] = {}
        self._guesses = lru_cache(maxsize=GUESSES_KEPT)(self._guesses_after)
        self._changing = threading.Lock()

    def known(self, region: Codes) -> Known:
        """What is known of a region so far."""
        key = hashlib.blake2b(region.tobytes(), digest_size=16).digest()
        known = self._known.get(key)
        if known is None:
            fresh = Known(int(self._floor[len(region)]), exact=len(region) <= 2)
            known = self._known.setdefault(key, fresh)
        return known

    def passes(self, history: Sequence[int]) -> Sequence[int]:
        """The efforts that are made, one after another, for what is left after these guesses."""
        return range(self.effort + 1) if len(history) == 2 else (NONE, self.effort)

    def bound(self, region: Codes, wanted: int, history: tuple[int, ...], effort: int) -> int:
        """What the region takes at least, as far as that is not more than wanted."""
        known = self.known(region)
        if len(history) == 1 and len(region) > SMALL and not (known.low >= wanted or known.exact):
            if known.effort < effort:
                self._by_guesses(region, history[0], known, wanted, effort)
            return min(known.low, wanted)
        return self._bound(self._desks[0], region, wanted, history, effort)

    def _bound(
        self, desk: Desk, region: Codes, wanted: int, history: tuple[int, ...], effort: int
    ) -> int:
        """The same of what is left after more than one guess, or small."""
        known = self.known(region)
        if known.low >= wanted or known.exact or effort == NONE:
            return min(known.low, wanted)
        if len(region) <= SMALL or len(history) > 2:
            self._search(desk, region, history, known, wanted)
        else:
            if not known.sizes:
                self._take_sizes(desk, region, history, known)
            self._search(desk, region, history, known, min(wanted, known.sizes + slack(effort)))
        return min(known.low, wanted)

    def _by_guesses(
        self, region: Codes, first: int, known: Known, wanted: int, effort: int
    ) -> None:
        """Bound a cell of a first guess by what its second guesses take."""
        cell = self.engine.cell(0, region, self._guesses((first,)))
        seconds = _Seconds(cell, wanted)
        failed: list[BaseException] = []

        def run(desk: Desk) -> None:
            try:
                while (guess := seconds.next()) is not None:
                    seconds.note(*self._after(desk, region, (first, guess), seconds, effort))
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                failed.append(error)
                seconds.end()

        threads = [threading.Thread(target=run, args=(desk,)) for desk in self._desks[1:]]
        for thread in threads:
            thread.start()
        run(self._desks[0])
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        self._learn(known, seconds.least, exact=seconds.exact)
        if seconds.least < wanted:
            known.effort = effort

    def _learn(self, known: Known, low: int, *, exact: bool) -> None:
        """Note what was found of a region, unless more was found meanwhile."""
        with self._changing:
            if low >= known.low:
                known.low, known.exact = low, known.exact or exact

    def _after(
        self, desk: Desk, region: Codes, history: tuple[int, int], seconds: _Seconds, effort: int
    ) -> tuple[int, bool]:
        """What a cell takes with a second guess, unless more than wanted; whether that is exact."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled(f"{self.engine.board}: stopped")
        parts = self.parts(region, history[1])
        lows = [self.known(part).low for part in parts]
        total = len(region) + sum(lows)
        for each in range(effort + 1):
            for place, part in enumerate(parts):
                wanted = seconds.least
                if total >= wanted:
                    return total, False
                low = self._bound(desk, part, lows[place] + wanted - total, history, each)
                total += low - lows[place]
                lows[place] = low
        return total, all(self.known(part).exact for part in parts)

    def parts(self, region: Codes, guess: int) -> list[Codes]:
        """The cells of a guess, without the winning one, the smallest first."""
        data = self._data
        line = matrix(data.words[:, guess : guess + 1].copy(), data.words, data.holes)[0][region]
        parts = (region[line == answer] for answer in range(data.kinds - 1))
        return sorted((part for part in parts if len(part)), key=len)

    def _guesses_after(self, history: tuple[int, ...]) -> Codes:
        """The guesses that differ after these."""
        symmetry = self.engine.symmetry
        for guess in history:
            symmetry = symmetry.after(guess)
        return symmetry.canonical.copy()

    def _take_sizes(
        self, desk: Desk, region: Codes, history: tuple[int, ...], known: Known
    ) -> None:
        guesses = self._guesses(history)
        sizes = least_by_sizes(desk.data, desk.workspace, region, guesses)
        self._learn(known, sizes, exact=False)
        known.sizes = sizes

    def _search(
        self, desk: Desk, region: Codes, history: tuple[int, ...], known: Known, wanted: int
    ) -> None:
        """Search a region until it is known to take what is wanted."""
        if known.low >= wanted or known.exact:
            return
        unlimited = len(self._data.floor) - 1
        found = searched(self.engine, desk, region, known.low, wanted, history, unlimited)
        self._learn(known, min(found, wanted), exact=found < wanted)


class _Seconds:
    """The second guesses of a cell, handed out to threads, and the least that one takes so far.

    `least` begins with what is wanted, and is `exact` if a guess is known to take as few.
    """

    def __init__(self, cell: Cell, wanted: int) -> None:
        self.least, self.exact = wanted, False
        order = np.argsort(cell.lows, kind="stable")
        self._left: Iterator[tuple[int, int]] = zip(
            cell.guesses[order].tolist(), cell.lows[order].tolist(), strict=True
        )
        self._lock = threading.Lock()

    def next(self) -> int | None:
        """The next guess; None if none is left that may take less."""
        with self._lock:
            guess, low = next(self._left, (0, self.least))
            return guess if low < self.least else None

    def note(self, total: int, exact: bool) -> None:
        """A guess takes at least this total."""
        with self._lock:
            if total < self.least:
                self.least, self.exact = total, exact

    def end(self) -> None:
        """Hand out no more."""
        with self._lock:
            self._left = iter(())


class _Raising:
    """One run of `find_lower_bound`."""

    def __init__(
        self,
        bounds: Bounds,
        at_least: int | None,
        progress: Callable[[BoundProgress], None] | None,
        journal: Journal | None,
    ) -> None:
        self.started = time.perf_counter()
        self.bounds, self.progress, self.journal = bounds, progress, journal
        self.engine = engine = bounds.engine
        self.wanted = IMPOSSIBLE if at_least is None else at_least
        self.cells = {int(first): engine.cells(int(first)) for first in engine.firsts()}
        for cells in self.cells.values():
            for cell in cells:
                known = bounds.known(cell.codes)
                known.low = max(known.low, cell.low)
        if journal is not None:
            journal.read_by(self._read)
        self.least = self._now()

    def run(self) -> LowerBound:
        """Try harder and harder, until that is enough, exact or cancelled."""
        exact = False
        try:
            for effort in range(MOST_EFFORT + 1):
                if self.least >= self.wanted or exact:
                    break
                self.bounds.effort = max(self.bounds.effort, effort)
                exact = self._raise(effort)
        except Cancelled:
            self.least = self._now()
        seconds = time.perf_counter() - self.started
        return LowerBound(self.engine.board, self.least, exact, seconds)

    def _raise(self, effort: int) -> bool:
        """Bound every first guess with this effort; whether the bound is exact."""
        least, exact = self.wanted, False
        for first in sorted(self.cells, key=self._total):
            for place, cell in enumerate(self.cells[first]):
                total = self._total(first)
                if total >= least:
                    break
                self._report(effort, place, first)
                known = self.bounds.known(cell.codes)
                wanted = known.low + least - total
                self.bounds.bound(cell.codes, wanted, (first,), effort)
                self._write(effort, first, cell, known)
            if self._total(first) < least:
                least = self._total(first)
                exact = all(self.bounds.known(cell.codes).exact for cell in self.cells[first])
        self.least = max(least, self.least)
        return exact

    def _total(self, first: int) -> int:
        """What a first guess takes at least."""
        cells = self.cells[first]
        return self.engine.board.codes + sum(self.bounds.known(cell.codes).low for cell in cells)

    def _now(self) -> int:
        return min(self.wanted, *(self._total(first) for first in self.cells))

    def _report(self, effort: int, place: int, first: int) -> None:
        if self.progress is not None:
            of = len(self.cells[first])
            self.progress(BoundProgress(effort, place, of, self._now()))

    def _write(self, effort: int, first: int, cell: Cell, known: Known) -> None:
        if self.journal is not None:
            whole = known.exact or known.effort >= effort
            entry = {"first": first, "answer": cell.answer, "effort": effort, "whole": whole}
            self.journal.add([{**entry, "low": known.low, "exact": known.exact}])

    def _read(self, entry: Mapping[str, Any]) -> None:
        numbers = [entry[name] for name in ("first", "answer", "effort", "low")]
        flags = [entry[name] for name in ("whole", "exact")]
        if any(type(number) is not int for number in numbers) or {*map(type, flags)} != {bool}:
            raise TypeError("a field of another type")
        first, answer, effort, low = numbers
        if not (0 <= effort <= MOST_EFFORT and 0 < low < IMPOSSIBLE):
            raise ValueError("an effort or a bound out of range")
        codes = {cell.answer: cell.codes for cell in self.cells[first]}[answer]
        known = self.bounds.known(codes)
        self.bounds.effort = max(self.bounds.effort, effort)
        if low >= known.low:
            known.low, known.exact = low, entry["exact"]
            known.effort = max(known.effort, effort if entry["whole"] else NONE)


def searched(
    engine: Engine,
    desk: Desk,
    region: Codes,
    low: int,
    wanted: int,
    history: Sequence[int],
    depth: int,
) -> int:
    """What is left after these guesses takes, or IMPOSSIBLE if that is `wanted` or more.

    It is known to take `low` at least; `depth` counts the guesses left.
    """
    used = 0
    for guess in history:
        used |= int(engine.space.colours[guess])
    job, limits = _job(region, low), Limits(wanted - 1, IMPOSSIBLE, depth, used)
    desk.data.control[:] = new_control()
    work(desk.data, desk.workspace, job, limits)
    if desk.data.control[STATE] == TOO_DEEP:
        raise TooLarge(f"{engine.board}: a line of play is too long for the search")
    return int(job.total[0])


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
