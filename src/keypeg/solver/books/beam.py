"""Beam search with exact endings: good strategies for boards beyond proof, better with time.

Second guesses compete: many are tried narrowly, the best of these more widely, and so on.
What is found is written to a log, one line for each cell, and a later run continues from there.
Every total here is an upper bound.
"""

from __future__ import annotations

import base64
import time
import zlib
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.books.book import from_planes, packed
from keypeg.solver.codes.codespace import Answers
from keypeg.solver.codes.trees import ROOT, Tree, branches, join, single
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.cells import Solved
from keypeg.solver.exact.engine import Width
from keypeg.solver.exact.search import Proof, engine_at
from keypeg.solver.journal import Journal
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Cell
    from keypeg.solver.exact.engine import Engine
    from keypeg.solver.exact.jobs import Jobs

SEEDS: Final = (Width(1, (1,), 2), Width(3, (2, 1), 4))
"""The beams that choose the first guess and teach the costs."""

STAGES: Final = (
    Width(40, (1,), 2, 2048),
    Width(12, (3, 2, 1), 4, 4096),
    Width(6, (6, 3, 2), 6),
    Width(4, (16, 8, 4), 10),
    Width(4, (40, 16, 6), 14),
)
"""Fewer second guesses and more below them, stage by stage."""


def stages(many: int) -> list[Width]:
    """The first `many` stages: those above, and then each twice as wide as the last."""
    widths = [*STAGES]
    while len(widths) < many:
        last = widths[-1]
        below = tuple(2 * wide for wide in last.below)
        widths.append(Width(2 * last.seconds, below, last.whole + 4))
    return widths[:many]


_MARGIN: Final = 0.004
_FINALISTS: Final = 2
_GROWTH: Final = 1.5
"""Seconds grow with this power of a cell's size, about."""


class TooNarrow(KeypegError):
    """The stages found no strategy within the worst case. That there is none is not proven."""


class BeamProgress(NamedTuple):
    """How far a beam is: its stage, the least total found, regions looked at.

    The total is None until every cell has been solved once. `share` estimates the part of the
    work that is done: every stage counts the same, and larger cells count more.
    """

    stage: int
    stages: int
    share: float
    total: int | None
    nodes: int
    seconds: float


@dataclass
class SecondGuesses:
    """The second guesses of one cell, best first, and the cell's best branch so far."""

    cell: Cell
    total: int = IMPOSSIBLE
    branch: Tree | None = None
    ranking: list[int] = field(init=False)
    places: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.ranking = self.cell.guesses.tolist()
        self.places = {guess: place for place, guess in enumerate(self.ranking)}

    def contenders(self, most: int) -> Cell:
        """The cell with the `most` best second guesses alone."""
        return self.cell.among([self.places[guess] for guess in self.ranking[:most]])

    def rank(self, best: Sequence[int]) -> None:
        """Put these guesses first, in this order; the rest stay behind them."""
        known = set(best)
        behind = [guess for guess in self.ranking if guess not in known]
        self.ranking = [guess for guess in best if guess in self.places] + behind


def improve(
    board: Board,
    log: Path | None = None,
    progress: Callable[[BeamProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    *,
    worst: int | None = None,
    stages: Sequence[Width] = STAGES,
    firsts: Sequence[int] | None = None,
    threads: int = 2,
    cluster: str | None = None,
    known: Tree | None = None,
    answers: Collection[int] | None = None,
) -> Proof:
    """The best strategy that the stages find, an upper bound; the best so far when cancelled.

    `firsts` names the first guesses to try, as places among all codes. With a log, what an
    earlier run has done is not done again. With the address of a Dask scheduler, its workers
    do the jobs. With a strategy that is known already, only better ones with its first guess are
    looked for, and with `answers`, only after these answers to it.
    """
    with ExitStack() as stack:
        engine = stack.enter_context(engine_at(cluster, board, worst, threads=threads))
        kept = None if log is None else stack.enter_context(closing(BeamLog(log, board, worst)))
        if known is not None:
            firsts = [int(known.guess[0])]
        return _Improving(engine, kept, progress, cancelled, stages, firsts, known, answers).run()


class _Improving:
    """One run of `improve`."""

    def __init__(
        self,
        engine: Engine,
        log: BeamLog | None,
        progress: Callable[[BeamProgress], None] | None,
        cancelled: Callable[[], bool] | None,
        stages: Sequence[Width],
        firsts: Sequence[int] | None,
        known: Tree | None = None,
        answers: Collection[int] | None = None,
    ) -> None:
        self.known = {} if known is None else branches(known)
        self.answers = answers
        self.started = time.perf_counter()
        self.engine = engine
        self.board = engine.board
        self.log = log
        self.progress = progress
        self.cancelled = cancelled
        self.stages = stages
        self.firsts = list(firsts or (self.log.firsts if self.log else ()))
        self.second_guesses: dict[int, list[SecondGuesses]] = {}
        self.stage = self.done = 0
        self.stopped = False

    def run(self) -> Proof:
        for first in self._chosen():
            self.second_guesses[first] = self._start(first)
        for width in self.stages:
            self.stage, self.done = self.stage + 1, 0
            self.engine.widen(width)
            for first, second_guesses in self.second_guesses.items():
                for second in second_guesses:
                    if not self.stopped:
                        self._compete(first, second, width)
                    self.done += 1
        return self._result()

    def _chosen(self) -> list[int]:
        """The first guesses to continue with, after narrow beams on all of them."""
        order = self.firsts or [int(first) for first in self.engine.firsts()]
        for self.stage, width in enumerate(SEEDS, 1):
            self.engine.widen(width)
            totals = self._seeds(order[: _most(width)], width)
            self.engine.learn()
            order = sorted(totals, key=lambda first: totals[first])
        return self.firsts or order[:1]

    def _seeds(self, firsts: Sequence[int], width: Width) -> dict[int, int]:
        """The total of a narrow beam after each guess; without the limit if none keeps to it."""
        totals = {first: self._seed(first, width) for first in firsts}
        if min(totals.values()) < IMPOSSIBLE:
            return totals
        with self.engine.unlimited():
            return {first: self._seed(first, width) for first in firsts}

    def _seed(self, first: int, width: Width) -> int:
        cells = self.engine.cells(first, width.seconds)
        if self.stopped:
            return IMPOSSIBLE
        solved = self.engine.solve(first, cells, should_stop=self._should_stop).solved
        return IMPOSSIBLE if solved is None else sum(cell.total for cell in solved)

    def _start(self, first: int) -> list[SecondGuesses]:
        """The cells of a first guess, each with what the log holds on it."""
        second_guesses = []
        for cell in reversed(self.engine.cells(first)):
            second = SecondGuesses(cell)
            if cell.settled:
                second.total = cell.low
                second.branch = self.engine.branch(
                    cell, Solved(cell.low, int(cell.codes[0]), cell.lows)
                )
            elif self.log is not None and (first, cell.answer) in self.log.branches:
                second.branch = self.log.branches[first, cell.answer]
                second.total = taken(second.branch)
            branch = self.known.get(cell.answer)
            if branch is not None and taken(branch) < second.total:
                second.total, second.branch = taken(branch), branch
            second_guesses.append(second)
        return second_guesses

    def _compete(self, first: int, second: SecondGuesses, width: Width) -> None:
        """Try a cell's best second guesses at this width."""
        answer = second.cell.answer
        if second.cell.settled or (self.answers is not None and answer not in self.answers):
            return
        if self.log is not None and (first, answer, width) in self.log.done:
            second.rank(self.log.done[first, answer, width])
            return
        cell = second.contenders(width.seconds)
        margin = int(second.cell.low * _MARGIN)
        budget = min(second.total - 1 + margin, IMPOSSIBLE - 1)
        solved = self.engine.solve(
            first, [cell], budget=budget, margin=margin, should_stop=self._should_stop
        ).solved
        if self.stopped:
            return
        found = None
        if solved is not None:
            order = np.argsort(solved[0].totals, kind="stable")
            second.rank(cell.guesses[order].tolist())
            if solved[0].total < second.total:
                branch = self.engine.branch(cell, solved[0])
                if taken(branch) < second.total:
                    second.total, second.branch, found = taken(branch), branch, branch
        if self.log is not None:
            self.log.write(first, answer, width, second.ranking[: width.seconds], found)

    def _total(self, second_guesses: Sequence[SecondGuesses]) -> int:
        return min(IMPOSSIBLE, self.board.codes + sum(s.total for s in second_guesses))

    def _should_stop(self, _: Jobs) -> bool:
        """Report progress, and say whether to stop."""
        if self.progress is not None:
            totals = [self._total(s) for s in self.second_guesses.values()]
            total = min((total for total in totals if total < IMPOSSIBLE), default=None)
            of = len(SEEDS) + len(self.stages)
            seconds = time.perf_counter() - self.started
            self.progress(
                BeamProgress(self.stage, of, self._share() / of, total, self.engine.nodes, seconds)
            )
        self.stopped = self.stopped or (self.cancelled is not None and self.cancelled())
        return self.stopped

    def _share(self) -> float:
        """Stages done, with the part of the present one."""
        sizes = [len(s.cell.codes) for group in self.second_guesses.values() for s in group]
        efforts = [float(size**_GROWTH) for size in sizes]
        return self.stage - 1 + sum(efforts[: self.done]) / max(1.0, sum(efforts))

    def _result(self) -> Proof:
        complete = {
            first: s for first, s in self.second_guesses.items() if all(x.branch for x in s)
        }
        if not complete and self.stopped:
            raise Cancelled(f"{self.board}: stopped before any strategy was found")
        if not complete:
            raise TooNarrow(
                f"{self.board}: no strategy was found within the worst case asked for; "
                f"there may be none, or more stages may find one"
            )
        first = min(complete, key=lambda first: self._total(complete[first]))
        cells = [(0, s.cell.answer, s.branch) for s in complete[first] if s.branch is not None]
        return Proof.of(
            self.engine,
            join(single(first, self.board.codes), cells),
            proven=False,
            lower=self.engine.lower_bound(),
            seconds=time.perf_counter() - self.started,
        )


def taken(tree: Tree) -> int:
    """Guesses summed over the codes of a tree."""
    return int(tree.totals[0])


def _most(width: Width) -> int | None:
    """How many first guesses a seed tries: all, then the best few."""
    return None if width == SEEDS[0] else _FINALISTS


class BeamLog:
    """What a beam has done: a line for each cell at each width.

    The best branch of a cell is the last one written.
    """

    def __init__(self, path: Path, board: Board, worst: int | None) -> None:
        self.solved = Answers(board.holes).solved
        self.firsts: list[int] = []
        self.branches: dict[tuple[int, int], Tree] = {}
        self.done: dict[tuple[int, int, Width], list[int]] = {}
        self._journal = Journal(path, {"board": str(board), "worst": worst})
        self.codes = board.codes
        self._journal.read_by(self._take)

    def close(self) -> None:
        """Close the file, so that another search can use it."""
        self._journal.close()

    def _take(self, entry: Mapping[str, Any]) -> None:
        first, answer = entry["first"], entry["answer"]
        seconds, below, whole, pool = entry["width"]
        ranking = list(entry["ranking"])
        if first not in range(self.codes):
            raise ValueError(f"{first} is not a code of the board")
        self.done[first, answer, Width(seconds, tuple(below), whole, pool)] = ranking
        if first not in self.firsts:
            self.firsts.append(first)
        if entry["branch"]:
            data = zlib.decompress(base64.b64decode(entry["branch"]))
            branch = unpacked(data, self.solved)
            if taken(branch) != entry["total"]:
                raise ValueError("a branch whose total is not the one written")
            self.branches[first, answer] = branch

    def write(
        self, first: int, answer: int, width: Width, ranking: Sequence[int], branch: Tree | None
    ) -> None:
        """Add a line: a cell was tried at a width; `branch` if that was better than before."""
        body = b"" if branch is None else zlib.compress(packed(branch, self.solved), 9)
        entry = {
            "first": first,
            "answer": answer,
            "width": width,
            "total": None if branch is None else taken(branch),
            "ranking": list(ranking),
            "branch": base64.b64encode(body).decode(),
        }
        self._journal.add([entry])


def unpacked(body: bytes, solved: int) -> Tree:
    """The tree that `book.packed` wrote."""
    guesses, masks = from_planes(body)
    return tree_of(guesses, masks, solved)


def tree_of(guesses: NDArray[np.uint32], masks: NDArray[np.uint32], solved: int) -> Tree:
    """The tree of a book with these guesses and masks."""
    guesses, masks = guesses.astype(np.int64), masks.astype(np.int64)
    parent, answer = np.nonzero((masks[:, None] >> np.arange(solved)) & 1)
    above = [ROOT, *parent.tolist()]
    size = ((masks >> solved) & 1).tolist()
    for node in range(len(size) - 1, 0, -1):
        size[above[node]] += size[node]
    return Tree(
        np.array(above, np.int32),
        np.concatenate([[0], answer]).astype(np.uint8),
        guesses.astype(np.int32),
        np.array(size, np.int32),
    )
