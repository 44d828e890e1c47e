"""Exact search: the strategy with the least total, or the least within a worst case, proven.

A first guess is settled cell by cell: each cell is solved exactly, or shown to take more than
the best total known leaves it. What a proof rests on is in docs/design/the-search.md.
"""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.errors import KeypegError, counted
from keypeg.solver.codes.codespace import Answers
from keypeg.solver.exact.bounds import IMPOSSIBLE, most_codes
from keypeg.solver.exact.engine import Engine, TooLarge, Width
from keypeg.solver.exact.ledger import Ledger
from keypeg.solver.exact.workspace import Shortcuts
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.cells import Cell, Solved
    from keypeg.solver.exact.jobs import Jobs

SEEDS: Final = (Width(1, (1,), 2),)
"""The beam that finds a total to beat after each first guess."""

LARGE_SEEDS: Final = (*SEEDS, Width(3, (2, 1), 4), Width(8, (6, 4, 2), 8))
"""Wider beams after the best few, where a proof takes seconds and the first guess matters."""

_LARGE: Final = 2000
_PROMISING: Final = 2


class NoStrategy(KeypegError):
    """It is proven that no strategy finds every code within the number of guesses asked for."""


class NoDask(KeypegError):
    """Dask, which a cluster needs, is not installed."""


class ProofProgress(NamedTuple):
    """How far a proof is: first guesses settled, the least total found, regions looked at.

    Of the second guesses after the current first guess, `done` of `jobs` are settled.
    """

    settled: int
    firsts: int
    done: int
    jobs: int
    total: int | None
    nodes: int
    seconds: float


@dataclass(frozen=True)
class Proof:
    """The best strategy found; `proven` if no strategy has a lower total.

    `total` sums guesses over all codes, the winning one included. It was shown that no strategy
    is below `lower`. `nodes` counts the regions looked at. With a limit on the worst case, "no
    strategy" means none within that limit.
    """

    board: Board
    total: int
    worst: int
    average: float
    proven: bool
    lower: int
    nodes: int
    seconds: float
    first: Code
    tree: Tree

    @classmethod
    def of(cls, engine: Engine, tree: Tree, *, proven: bool, lower: int, seconds: float) -> Proof:
        """What an engine has found, in numbers."""
        total, codes = int(tree.totals[0]), len(engine.space)
        return cls(
            board=engine.board,
            total=total,
            worst=max(tree.distribution),
            average=total / codes,
            proven=proven,
            lower=lower,
            nodes=engine.nodes,
            seconds=seconds,
            first=engine.space.code(int(tree.guess[0])),
            tree=tree,
        )


def prove(
    board: Board,
    worst: int | None = None,
    progress: Callable[[ProofProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    *,
    shortcuts: Shortcuts = Shortcuts(),  # noqa: B008 a constant: named tuples do not change
    threads: int = 2,
    log: Path | None = None,
    cluster: str | None = None,
    known: Tree | None = None,
) -> Proof:
    """The strategy with the least total, among those of at most `worst` guesses if given.

    When cancelled, it returns the best strategy so far, not proven. With a log, what an earlier
    run has settled is not done again. With the address of a Dask scheduler, its workers do the
    jobs. With a strategy that is known already, only better ones are looked for.
    """
    with engine_at(cluster, board, worst, shortcuts, threads) as engine:
        return prove_with(engine, progress, cancelled, log=log, known=known)


def prove_with(
    engine: Engine,
    progress: Callable[[ProofProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    *,
    log: Path | None = None,
    known: Tree | None = None,
) -> Proof:
    """The same with an engine, which then holds what a certificate needs."""
    if log is None:
        return _Proving(engine, progress, cancelled, None, known).run()
    with closing(Ledger(engine.board, engine.limit, log)) as ledger:
        return _Proving(engine, progress, cancelled, ledger, known).run()


@contextmanager
def engine_at(
    cluster: str | None,
    board: Board,
    worst: int | None,
    shortcuts: Shortcuts = Shortcuts(),  # noqa: B008 a constant: named tuples do not change
    threads: int = 2,
) -> Iterator[Engine]:
    """An engine here, or at the address of a cluster."""
    if worst is not None and board.codes > most_codes(Answers(board.holes).solved, worst):
        raise _no_strategy(board, worst)
    if cluster is None:
        yield Engine(board, worst, shortcuts, threads)
        return
    try:
        from keypeg.solver.exact.cluster import ClusterEngine  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise NoDask(
            "a cluster needs Dask, which is not installed: pip install 'keypeg[cluster]'"
        ) from None
    with closing(ClusterEngine(board, worst, shortcuts, cluster)) as engine:
        yield engine


def _no_strategy(board: Board, worst: int) -> NoStrategy:
    guesses = counted(worst, "guess", "guesses")
    return NoStrategy(f"{board}: no strategy finds every code in {guesses}")


class _Proving:
    """One run of `prove`."""

    def __init__(
        self,
        engine: Engine,
        progress: Callable[[ProofProgress], None] | None,
        cancelled: Callable[[], bool] | None,
        ledger: Ledger | None,
        known: Tree | None = None,
    ) -> None:
        self.started = time.perf_counter()
        self.engine = engine
        self.board = engine.board
        self.limit = engine.limit
        self.progress = progress
        self.cancelled = cancelled
        self.ledger = ledger
        self.firsts = [int(first) for first in self.engine.firsts()]
        self.lower = dict.fromkeys(self.firsts, 0)
        self.settled = 0
        self.stopped = False
        self.total = IMPOSSIBLE
        self.best: tuple[int, list[Cell], list[Solved]] | None = None
        self.known = self.tree = known
        if known is not None:
            self.total = int(known.totals[0])

    def run(self) -> Proof:
        order = self._seeded() if self.engine.data.shortcuts.seed else self.firsts
        self.engine.widen(Width())
        for first in order:
            self._settle(first)
            self.settled += not self.stopped
        seconds = time.perf_counter() - self.started
        if self.best is not None:
            self.tree = self.engine.tree(*self.best)
        return self._proof(seconds)

    def _seeded(self) -> list[int]:
        """First guesses in order of their beam totals, of which the least is the one to beat."""
        order = self.firsts
        # Beams are also run for the costs they teach. Wide ones are for totals, and one is known.
        narrow = self.board.codes < _LARGE or self.known is not None
        widths = SEEDS if narrow else LARGE_SEEDS
        for place, width in enumerate(widths):
            self.engine.widen(width)
            tried = order if place == 0 else order[:_PROMISING]
            totals = {first: self._beam(first, width) for first in tried}
            if self.limit is not None:  # a narrow beam exceeds it even after the best first guess
                missed = [first for first in tried if totals[first] == IMPOSSIBLE]
                with self.engine.unlimited():
                    totals |= {first: self._beam(first, width, keep=False) for first in missed}
            self.engine.learn()
            order = sorted(tried, key=lambda first: totals[first]) + order[len(tried) :]
        if self.known is None:
            return order
        best = int(self.known.guess[0])
        return sorted(order, key=lambda first: first != best)

    def _beam(self, first: int, width: Width, *, keep: bool = True) -> int:
        """The total of a beam search with this first guess, kept if it is the least."""
        cells = self.engine.cells(first, width.seconds)
        if self.stopped:
            return IMPOSSIBLE
        solved = self.engine.solve(first, cells, should_stop=self._should_stop).solved
        if solved is None:
            return IMPOSSIBLE
        total = self.board.codes + sum(cell.total for cell in solved)
        if keep and total < self.total:
            self.total = total
            self.tree = self.engine.tree(first, cells, solved)
        return total

    def _settle(self, first: int) -> None:
        """Find a better total with this first guess, or show that there is none."""
        cells = self.engine.cells(first)
        budget = self.total - 1 - self.board.codes
        found = self.engine.solve(
            first, cells, budget=budget, should_stop=self._should_stop, ledger=self.ledger
        )
        self.lower[first] = self.board.codes + min(found.low, budget + 1)
        if found.solved is not None:
            self.total = self.board.codes + sum(cell.total for cell in found.solved)
            self.best = (first, cells, found.solved)

    def _should_stop(self, jobs: Jobs) -> bool:
        """Report progress, and say whether to stop."""
        if self.progress is not None:
            self.progress(
                ProofProgress(
                    settled=self.settled,
                    firsts=len(self.firsts),
                    done=jobs.done,
                    jobs=len(jobs),
                    total=self.total if self.total < IMPOSSIBLE else None,
                    nodes=self.engine.nodes,
                    seconds=time.perf_counter() - self.started,
                )
            )
        self.stopped = self.stopped or (self.cancelled is not None and self.cancelled())
        return self.stopped

    def _proof(self, seconds: float) -> Proof:
        tree = self.tree
        if tree is None:
            if self.stopped:
                raise Cancelled(f"{self.board}: stopped before any strategy was found")
            if self.limit is None:
                raise TooLarge(f"{self.board}: its totals are too large for the search")
            raise _no_strategy(self.board, self.limit)
        lower = min(self.lower.values())
        if self.stopped and lower < int(tree.totals[0]):
            lower = min(max(lower, self.engine.lower_bound()), int(tree.totals[0]))
        # It may be stopped when nothing is left to be shown.
        proven = not self.stopped or lower == int(tree.totals[0])
        return Proof.of(self.engine, tree, proven=proven, lower=lower, seconds=seconds)
