"""The jobs of a search on a Dask cluster: `ClusterEngine` is an engine whose threads are workers.

The bounds and the log stay on this side, so nothing is lost with a worker. A worker gets a few
second guesses of one cell and the current limit, and reports what they take. When a worker dies,
Dask gives its work to another. The `cluster` extra installs Dask; only `--cluster` imports this
module.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

import distributed
import numpy as np
from distributed.comm.addressing import resolve_address

from keypeg.rules.errors import KeypegError
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.cells import Cell, Solved
from keypeg.solver.exact.engine import Conclusion, Engine, Width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.engine import Learned, StopCheck
    from keypeg.solver.exact.jobs import Job, Jobs
    from keypeg.solver.exact.worker import Limits
    from keypeg.solver.exact.workspace import Shortcuts

    Future = distributed.Future["Report"]

AHEAD: Final = 2
"""Orders a worker holds: one to work on, and one so that it need not wait for the next."""

MOST: Final = 32
"""Second guesses in an order: few, so that the next order has a newer limit."""

_PATIENCE: Final = 0.1
_NEWS: Final = 0.5
_REACH: Final = "10s"


class NoCluster(KeypegError):
    """There is no cluster at the address, or it failed."""


class Order(NamedTuple):
    """What a worker is asked to do: search some second guesses of a cell up to a limit.

    `best` is the cell's least total so far: a better one is wanted with its strategy.
    """

    board: Board
    worst: int | None
    shortcuts: Shortcuts
    width: Width
    costs: NDArray[np.int32]
    search: str
    round: int
    first: int
    cell: Cell
    limit: int
    margin: int
    best: int


class Report(NamedTuple):
    """What a worker found: finished jobs, the best one's strategy, and what cells took by size."""

    jobs: list[Job]
    branch: Tree | None
    nodes: int
    learned: Learned


class ClusterEngine(Engine):
    """An engine whose jobs are done by the workers of a cluster."""

    def __init__(self, board: Board, worst: int | None, shortcuts: Shortcuts, address: str) -> None:
        super().__init__(board, worst, shortcuts, threads=1)
        self._elsewhere = 0
        self._round = 0
        try:
            resolve_address(address)  # a client hangs on exit if its address is not valid
            self.client = distributed.Client(address, timeout=_REACH, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NoCluster(f"no Dask scheduler answers at {address}: {error}") from None
        self._news = distributed.Variable(f"keypeg-{uuid4().hex}", client=self.client)

    def close(self) -> None:
        """Disconnect from the cluster."""
        with suppress(NoCluster):  # a cluster that has gone needs no clearing up
            _asked(self._news.delete)
        self.client.close()

    @property
    def nodes(self) -> int:
        """Regions looked at so far, here and elsewhere."""
        return super().nodes + self._elsewhere

    def _work(self, jobs: Jobs, limits: Limits, stop: Callable[[], bool]) -> Conclusion:
        """Hand out orders until no job is left, or until the caller wants no more."""
        self._round += 1
        going = _Round(jobs, limits)
        self._announce(jobs)
        coming: queue.SimpleQueue[Future] = queue.SimpleQueue()
        out: dict[Future, _Share] = {}
        try:
            shares = going.shares(AHEAD * self._workers())
            while not going.over_budget:
                if stop():
                    return Conclusion.STOPPED
                self._hand_out(going, shares, out, coming)
                if not out:
                    break
                self._take_in(going, out, coming)
            return Conclusion.OVER_BUDGET if going.over_budget else Conclusion.SOLVED
        finally:
            self._round += 1
            self._announce(jobs)
            self.client.cancel(list(out))

    def _workers(self) -> int:
        """How many worker processes there are; 1 while the first is still to come."""
        return max(1, len(_asked(self.client.nthreads)))

    def _hand_out(
        self,
        going: _Round,
        shares: Iterator[_Share],
        out: dict[Future, _Share],
        coming: queue.SimpleQueue[Future],
    ) -> None:
        """Give every worker as many orders as it may hold."""
        room = AHEAD * self._workers()
        while len(out) < room and (share := next(shares, None)):
            order = self._order(going, share)
            if order is None:
                going.finish(share)
                continue
            future = self.client.submit(carry_out, order, pure=False)
            out[future] = share
            future.add_done_callback(coming.put)

    def _order(self, going: _Round, share: _Share) -> Order | None:
        """The jobs of a share that are still worth doing."""
        limit, jobs = going.limit(share.cell), going.jobs
        low = int(jobs.table.lows[share.cell])
        places = share.places[jobs.table.low[share.places] <= limit]
        if not len(places) or limit < low:
            return None
        cell = jobs.cells[share.cell]
        guesses, lows = jobs.table.guess[places], jobs.table.low[places]
        return Order(
            board=self.board,
            worst=self.limit,
            shortcuts=self.data.shortcuts,
            width=self.width,
            costs=self.costs,
            search=self._news.name,
            round=self._round,
            first=jobs.first,
            cell=Cell(cell.answer, cell.codes, guesses, lows, low),
            limit=limit,
            margin=going.limits.margin,
            best=jobs.best(share.cell),
        )

    def _take_in(
        self,
        going: _Round,
        out: dict[Future, _Share],
        coming: queue.SimpleQueue[Future],
    ) -> None:
        """Wait a moment for a report, and enter it."""
        try:
            future = coming.get(timeout=_PATIENCE)
        except queue.Empty:
            return
        share = out.pop(future)
        report: Report = _asked(future.result)
        self._elsewhere += report.nodes
        self.add_learned(report.learned)
        if going.enter(share, report):
            self._announce(going.jobs)

    def _announce(self, jobs: Jobs) -> None:
        """Publish the round and the best totals: workers stop, or reject more guesses."""
        bests = [(cell.answer, jobs.best(place)) for place, cell in enumerate(jobs.cells)]
        _asked(lambda: self._news.set([self._round, bests]))


def _asked(question: Callable[[], Any]) -> Any:  # Any: what Dask answers
    """What the cluster answers, or its failure in one line."""
    try:
        return question()
    except (OSError, RuntimeError, CancelledError, distributed.KilledWorker) as error:
        raise NoCluster(f"the cluster failed: {type(error).__name__} {error}") from error


class _Share(NamedTuple):
    """Some jobs of a cell, as places in the arrays."""

    cell: int
    places: NDArray[np.int64]


class _Round:
    """The jobs of one first guess as they come back: what `worker.work` does, for shares."""

    def __init__(self, jobs: Jobs, limits: Limits) -> None:
        self.jobs = jobs
        self.limits = limits
        self.over_budget = False
        self._place = {
            (jobs.cells[cell].answer, int(guess)): place
            for place, (cell, guess) in enumerate(
                zip(jobs.table.cell, jobs.table.guess, strict=True)
            )
        }

    def shares(self, at_once: int) -> Iterator[_Share]:
        """The jobs in their order, a few at a time."""
        size = max(1, min(MOST, len(self.jobs) // (4 * at_once)))
        for cell in range(len(self.jobs.cells)):
            first, end = np.searchsorted(self.jobs.table.cell, [cell, cell + 1])
            for start in range(first, end, size):
                yield _Share(cell, np.arange(start, min(start + size, end)))

    def allowed(self, cell: int) -> int:
        """What a cell may take when all others take their lower bounds."""
        lows = self.jobs.table.lows
        return int(self.limits.budget + lows[cell] - lows.sum())

    def limit(self, cell: int) -> int:
        """How far a job of a cell is searched."""
        best = self.jobs.best(cell) - 1 + self.limits.margin
        return min(self.allowed(cell), best, IMPOSSIBLE - 1)

    def enter(self, share: _Share, report: Report) -> bool:
        """Enter a report; returns whether it has a new best."""
        jobs, before = self.jobs, self.jobs.best(share.cell)
        for job in report.jobs:
            place = self._place[job.answer, job.guess]
            jobs.table.total[place] = job.total
            jobs.table.limit[place] = job.limit
            if job.total < jobs.best(share.cell):
                jobs.improve(share.cell, job.total, job.guess)
        better = jobs.best(share.cell) < before
        if better and report.branch is not None:
            jobs.branches[share.cell, int(report.branch.guess[0])] = report.branch
        self.finish(share)
        return better

    def finish(self, share: _Share) -> None:
        """The jobs of a share are done; after the last job of a cell its value is known."""
        table = self.jobs.table
        table.left[share.cell] -= len(share.places)
        if table.left[share.cell] == 0:
            value = self.jobs.best(share.cell)
            self.over_budget = self.over_budget or value > self.allowed(share.cell)
            table.lows[share.cell] = value


_AT_WORK: Final = threading.Lock()
"""An engine does one order at a time, with all threads of its worker."""


@lru_cache(maxsize=1)
def _engine(board: Board, worst: int | None, shortcuts: Shortcuts, threads: int) -> Engine:
    """A worker's engine, kept with all it has found out."""
    return Engine(board, worst, shortcuts, threads)


def carry_out(order: Order) -> Report:
    """Do the jobs of an order, in a worker."""
    threads = distributed.get_worker().state.nthreads
    news = distributed.Variable(order.search)
    with _AT_WORK:
        engine = _engine(order.board, order.worst, order.shortcuts, threads)
        engine.widen(order.width)
        engine.use_costs(order.costs)
        engine.take_learned()  # an order that was cut short may have left something
        nodes = engine.nodes
        found = engine.solve(
            order.first,
            [order.cell],
            budget=order.limit,
            margin=order.margin,
            should_stop=_listener(order, news),
        )
        if found.conclusion is Conclusion.STOPPED:
            raise RuntimeError("stopped in the middle: its round was over")
        jobs = found.jobs.finished()
        best = min(jobs, key=lambda job: job.total, default=None)
        branch = None
        if best is not None and best.total < order.best:
            branch = engine.branch(order.cell, Solved(best.total, best.guess, order.cell.lows))
        return Report(jobs, branch, engine.nodes - nodes, engine.take_learned())


def _listener(order: Order, news: distributed.Variable) -> StopCheck:
    """Stops the work when its round is over; uses better totals that were found elsewhere."""
    asked = time.monotonic()

    def heard(jobs: Jobs) -> bool:
        nonlocal asked
        if time.monotonic() - asked < _NEWS:
            return False
        asked = time.monotonic()
        try:
            going, bests = news.get(timeout=_REACH)
        except TimeoutError:  # whoever started the search has ended it
            return True
        if going != order.round:
            return True
        jobs.improve(0, dict(bests)[order.cell.answer])
        return False

    return heard
