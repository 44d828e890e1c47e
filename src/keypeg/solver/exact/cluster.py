"""The jobs of a search on a Dask cluster: `Away` is an engine whose workspaces stand elsewhere.

This side holds the bounds, the log and nothing else that could be lost: a worker is given a
few second guesses of one cell and the limit of the moment, and reports what they take. When a
worker dies, Dask gives what it had to another. The `cluster` extra installs Dask; nothing but
`--cluster` imports this module.
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
from keypeg.solver.exact.engine import Engine, Width
from keypeg.solver.exact.jobs import GUESS_BITS
from keypeg.solver.exact.workspace import STOP, Shortcuts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.cells import Jobs
    from keypeg.solver.exact.ledger import Job

    Future = distributed.Future["Report"]

AHEAD: Final = 2
"""Orders a worker holds: one to work on, one so that it need not wait for the next."""

MOST: Final = 32
"""Second guesses in an order: few, so that the next order has a newer limit."""

_PATIENCE: Final = 0.1
_NEWS: Final = 0.5
_REACH: Final = "10s"


class NoCluster(KeypegError):
    """There is no cluster at the address, or it failed."""


class Order(NamedTuple):
    """What a worker is told: some second guesses of a cell, and how far to search them.

    `best` is the cell's least total so far: a better one is wanted with its strategy.
    """

    board: Board
    worst: int | None
    shortcuts: Shortcuts
    width: Width
    cost: NDArray[np.int32]
    search: str
    round: int
    first: int
    cell: Cell
    limit: int
    margin: int
    best: int


class Report(NamedTuple):
    """What a worker says: jobs finished, the best one's strategy, and what was learned by size."""

    jobs: list[Job]
    branch: Tree | None
    nodes: int
    sizes: NDArray[np.int64]
    learned: NDArray[np.int64]


class Away(Engine):
    """An engine whose jobs are done by the workers of a cluster."""

    def __init__(self, board: Board, worst: int | None, shortcuts: Shortcuts, address: str) -> None:
        super().__init__(board, worst, shortcuts, threads=1)
        self._elsewhere = 0
        self._round = 0
        try:
            resolve_address(address)  # a client of an address that is none hangs when it goes
            self.client = distributed.Client(address, timeout=_REACH, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NoCluster(f"no Dask scheduler answers at {address}: {error}") from None
        self._news = distributed.Variable(f"keypeg-{uuid4().hex}", client=self.client)

    def close(self) -> None:
        """Let go of the cluster."""
        with suppress(NoCluster):  # what has gone away needs no goodbye
            _asked(self._news.delete)
        self.client.close()

    @property
    def nodes(self) -> int:
        """Regions looked at so far, here and elsewhere."""
        return super().nodes + self._elsewhere

    def _work(self, waiting: Callable[[], bool], jobs: Jobs, budget: int, margin: int) -> None:
        """Hand out orders until no job is left, or until nobody wants more."""
        self._round += 1
        going = _Round(jobs, budget, margin)
        self._tell(going)
        coming: queue.SimpleQueue[Future] = queue.SimpleQueue()
        out: dict[Future, _Share] = {}
        try:
            shares = going.shares(AHEAD * self._workers())
            while not going.over:
                if waiting():
                    self.data.control[STOP] = 1
                    return
                room = AHEAD * self._workers()
                while len(out) < room and (share := next(shares, None)):
                    order = self._order(going, share)
                    if order is None:
                        going.turned_down(share)
                        continue
                    future = self.client.submit(carry_out, order, pure=False)
                    out[future] = share
                    future.add_done_callback(coming.put)
                if not out:
                    break
                self._take_in(going, out, coming)
            if going.over:
                self.data.control[STOP] = 2
        finally:
            self._round += 1
            self._tell(going)
            self.client.cancel(list(out))

    def _workers(self) -> int:
        """Worker processes there are; where there is none yet, one to come."""
        return max(1, len(_asked(self.client.nthreads)))

    def _order(self, going: _Round, share: _Share) -> Order | None:
        """The jobs of a share that are still worth doing."""
        limit, jobs = going.limit(share.cell), going.jobs
        places = share.places[jobs.low[share.places] <= limit]
        if not len(places) or limit < jobs.lows[share.cell]:
            return None
        whole = jobs.cells[share.cell]
        low = int(jobs.lows[share.cell])
        cell = Cell(whole.answer, whole.codes, jobs.guess[places], jobs.low[places], low)
        return Order(
            self.board,
            None if self.worst == len(self.data.floor) - 1 else self.worst,
            self.data.shortcuts,
            self.width,
            self.data.cost,
            self._news.name,
            self._round,
            jobs.first,
            cell,
            limit,
            going.margin,
            going.best(share.cell),
        )

    def _take_in(
        self,
        going: _Round,
        out: dict[Future, _Share],
        coming: queue.SimpleQueue[Future],
    ) -> None:
        """Wait a moment for reports."""
        try:
            future = coming.get(timeout=_PATIENCE)
        except queue.Empty:
            return
        share = out.pop(future)
        report: Report = _asked(future.result)
        self._elsewhere += report.nodes
        self.workspaces[0].learned[:, report.sizes] += report.learned
        if going.take(share, report):
            self._tell(going)

    def _tell(self, going: _Round) -> None:
        """Let workers know the round and the best totals: they stop, or cut more."""
        bests = {cell.answer: going.best(place) for place, cell in enumerate(going.jobs.cells)}
        _asked(lambda: self._news.set([self._round, list(bests.items())]))


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
    """The jobs of one first guess as they come back: what `jobs.work` does, for shares."""

    def __init__(self, jobs: Jobs, budget: int, margin: int) -> None:
        self.jobs = jobs
        self.budget = budget
        self.margin = margin
        self.over = False
        self._place = {
            (jobs.cells[cell].answer, int(guess)): place
            for place, (cell, guess) in enumerate(zip(jobs.cell, jobs.guess, strict=True))
        }

    def shares(self, at_once: int) -> Iterator[_Share]:
        """The jobs in their order, a few at a time."""
        size = max(1, min(MOST, len(self.jobs.cell) // (4 * at_once)))
        for cell in range(len(self.jobs.cells)):
            first, end = np.searchsorted(self.jobs.cell, [cell, cell + 1])
            for start in range(first, end, size):
                yield _Share(cell, np.arange(start, min(start + size, end)))

    def best(self, cell: int) -> int:
        """The least total known of a cell."""
        return int(self.jobs.best[cell]) >> GUESS_BITS

    def allowed(self, cell: int) -> int:
        """What a cell may take when all others take their lower bounds."""
        lows = self.jobs.lows
        return int(self.budget + lows[cell] - lows.sum())

    def limit(self, cell: int) -> int:
        """How far a job of a cell is searched."""
        return min(self.allowed(cell), self.best(cell) - 1 + self.margin, IMPOSSIBLE - 1)

    def take(self, share: _Share, report: Report) -> bool:
        """Enter a report; whether it has a new best."""
        jobs, better = self.jobs, False
        for job in report.jobs:
            place = self._place[job.answer, job.guess]
            jobs.total[place] = job.total
            jobs.limit[place] = job.limit
            if job.total < self.best(share.cell):
                jobs.best[share.cell] = (job.total << GUESS_BITS) | job.guess
                better = True
        if better and report.branch is not None:
            jobs.branches[share.cell, int(report.branch.guess[0])] = report.branch
        self.turned_down(share)
        return better

    def turned_down(self, share: _Share) -> None:
        """The jobs of a share are done with; after the last of a cell its value is known."""
        self.jobs.left[share.cell] -= len(share.places)
        if self.jobs.left[share.cell] == 0:
            value = self.best(share.cell)
            self.over = self.over or value > self.allowed(share.cell)
            self.jobs.lows[share.cell] = value


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
        if engine.width != order.width:
            engine.widen(order.width)
        engine.data.cost[:] = order.cost
        nodes = engine.nodes
        for workspace in engine.workspaces:
            workspace.learned[:] = 0
        heard = _listening(engine, order, news)
        engine.solve(order.first, [order.cell], order.limit, heard, order.margin)
        if engine.data.control[STOP] == 1:
            raise RuntimeError("stopped in the middle: its round was over")
        jobs = engine.jobs.finished() if engine.jobs else []
        best = min(jobs, key=lambda job: job.total, default=None)
        branch = None
        if best is not None and best.total < order.best:
            engine.data.control[:] = 0
            branch = engine.branch(order.cell, Solved(best.total, best.guess, order.cell.lows))
        learned = np.sum([workspace.learned for workspace in engine.workspaces], axis=0)
        sizes = np.flatnonzero(learned[1])
        return Report(jobs, branch, engine.nodes - nodes, sizes, learned[:, sizes])


def _listening(engine: Engine, order: Order, news: distributed.Variable) -> Callable[[], bool]:
    """For an engine at work: whether its round is over; a better total found elsewhere is used."""
    asked = time.monotonic()

    def heard() -> bool:
        nonlocal asked
        if time.monotonic() - asked < _NEWS:
            return False
        asked = time.monotonic()
        going, bests = news.get()
        jobs = engine.jobs
        if jobs is not None:
            best = dict(bests)[order.cell.answer] << GUESS_BITS
            jobs.best[0] = min(int(jobs.best[0]), best | ((1 << GUESS_BITS) - 1))
        return bool(going != order.round)

    return heard
