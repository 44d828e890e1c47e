"""Threads at their workspaces: they work through the jobs of one first guess at a time.

`search` uses an engine to prove, `beam` to improve; the engine knows neither's aims.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.codes import costs
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.kernels import matrix, partition
from keypeg.solver.codes.symmetry import Symmetry
from keypeg.solver.codes.trees import Tree, join, single
from keypeg.solver.exact.bounds import IMPOSSIBLE, floors
from keypeg.solver.exact.cells import Cell, Jobs
from keypeg.solver.exact.counting import column_stride
from keypeg.solver.exact.jobs import grow, survey, work
from keypeg.solver.exact.transposition import code_keys, new_table
from keypeg.solver.exact.workspace import (
    LEVELS,
    NODES,
    STOP,
    TOO_DEEP,
    SearchData,
    Shortcuts,
    Workspace,
    new_workspace,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Solved
    from keypeg.solver.exact.ledger import Ledger

MOST_CODES: Final = 60_000
"""Boards with more codes than this are not searched: their totals may reach IMPOSSIBLE."""

ROOM: Final = 1 << 28
"""Bytes a workspace may use for columns; they are taken only as they are needed."""

EVERYTHING: Final = 1 << 30
"""A width that no board reaches: try every guess."""

_PATIENCE: Final = 0.1


class TooLarge(KeypegError):
    """The board has more codes, holes or colours than the search is made for."""


class Width(NamedTuple):
    """How many guesses a beam tries in a region.

    So many of the second guesses; `below`, of the third, the fourth and so on, the last number
    for all later. Regions of at most `whole` codes are searched in full. Third and later
    guesses are chosen among the `pool` best as third ones, and the codes still possible then.
    """

    seconds: int = EVERYTHING
    below: tuple[int, ...] = (EVERYTHING,)
    whole: int = EVERYTHING
    pool: int = EVERYTHING


class Engine:
    """A board laid out for searching: what threads share, and a workspace for each of them."""

    def __init__(
        self,
        board: Board,
        worst: int | None = None,
        shortcuts: Shortcuts = Shortcuts(),  # noqa: B008 a constant: named tuples do not change
        threads: int = 2,
    ) -> None:
        self.board = board
        self.space = space = codespace(board)
        many, answers = len(space), space.answers.many
        if not space.enumerable or many > MOST_CODES or space.words_each > 1 or answers > 64:
            raise TooLarge(
                f"{board} has {many:,} codes, {answers} answers and {space.holes * space.symbols} "
                f"holes x colours; the search takes up to {MOST_CODES:,}, 64 and 64"
            )
        keys, bits = code_keys(many)
        floor = floors(many, answers - 1, worst, shortcuts.complete)
        self._random = np.random.default_rng(1971)
        salts = np.array([self._salt(bits) for _ in range(len(floor) + 1)], np.uint64)
        salts[-2:] = 0
        self.worst = len(floor) - 1 if worst is None else worst
        self.data = SearchData(
            words=np.array(space.words),
            pegs=np.array(space.pegs),
            keys=keys,
            floor=floor,
            cost=_whole_numbers(costs.first_costs(many, answers)),
            table=new_table(_table_bits(many)),
            salts=salts,
            widths=np.full(LEVELS, EVERYTHING, np.int64),
            control=np.zeros(4, np.int64),
            holes=space.holes,
            symbols=space.symbols,
            repeats=space.repeats,
            kinds=answers,
            count_bits=bits,
            whole=EVERYTHING,
            pool=EVERYTHING,
            shortcuts=shortcuts,
        )
        room = min(ROOM, many * column_stride(many))
        sizes = (many, answers, space.holes, space.symbols, room)
        self.workspaces = [new_workspace(*sizes) for _ in range(threads)]
        self.symmetry = Symmetry(space)
        self.low = 0
        """A lower bound of the cells last solved, together, also where that was cut short."""
        self.width = Width()
        self.jobs: Jobs | None = None
        """The jobs last taken up."""
        self._seconds: dict[int, NDArray[np.int32]] = {}

    @property
    def nodes(self) -> int:
        """Regions looked at so far."""
        return sum(int(workspace.counters[NODES]) for workspace in self.workspaces)

    @property
    def _rows_after(self) -> int:
        """Guesses left after the first, as the kernels count them."""
        return self.worst if self.worst == len(self.data.floor) - 1 else self.worst - 1

    @contextmanager
    def unlimited(self) -> Iterator[None]:
        """For a while, strategies may take any number of guesses."""
        worst, self.worst = self.worst, len(self.data.floor) - 1
        try:
            yield
        finally:
            self.worst = worst

    def firsts(self) -> NDArray[np.int32]:
        """The first guesses that differ."""
        return self.symmetry.canonical if self.data.shortcuts.symmetry else self.space.everything

    def widen(self, width: Width) -> None:
        """Try so many guesses from now on. Results of other widths are not looked up."""
        self.width = width
        self.data.widths[:] = width.below[-1]
        self.data.widths[2 : 2 + len(width.below)] = width.below
        self.data = self.data._replace(whole=width.whole, pool=width.pool)
        self.data.salts[-1] = (
            0 if width == Width() else self._salt(self.data.count_bits) | np.uint64(1 << 63)
        )

    def learn(self) -> None:
        """Order guesses by what the cells solved so far took."""
        totals, counts = np.sum([workspace.learned for workspace in self.workspaces], axis=0)
        self.data.cost[:] = _whole_numbers(costs.learned_costs(totals, counts, self.data.kinds))

    def cells(self, first: int, most: int = EVERYTHING) -> list[Cell]:
        """What the first guess leaves, smallest first, with up to `most` second guesses each."""
        words, everything = self.data.words, self.space.everything
        # A copy: code for arrays with gaps would have to be compiled for this alone.
        lines = matrix(words[:, first : first + 1].copy(), words, self.space.holes)
        order, starts = partition(lines[0], self.data.kinds)
        parts = np.split(everything[order], starts[1:-1])
        cells = [
            self._cell(first, answer, part, most)
            for answer, part in enumerate(parts[:-1])
            if len(part)
        ]
        return sorted(cells, key=lambda cell: len(cell.codes))

    def _cell(self, first: int, answer: int, codes: NDArray[np.int32], most: int) -> Cell:
        if len(codes) <= 2:
            low = self.data.floor[self._rows_after, -1, len(codes)]
            return Cell(answer, codes, codes[:1], np.array([low], np.int32), int(low))
        guesses = self._second_guesses(first)
        lows, cost, marks = survey(self.data, self.workspaces[0], codes, guesses, self._rows_after)
        distinct = np.arange(len(guesses))
        if self.data.shortcuts.dedupe:
            _, distinct = np.unique(marks, return_index=True)
        splits = distinct[(lows[distinct] < IMPOSSIBLE) & (cost[distinct] >= 0)]
        order = splits[np.argsort(cost[splits], kind="stable")][:most]
        low = int(lows[order].min(initial=IMPOSSIBLE))
        return Cell(answer, codes, guesses[order], lows[order], low)

    def lower_bound(self) -> int:
        """What no strategy can be below, by the sizes of the cells after two guesses."""
        totals = (sum(cell.low for cell in self.cells(int(first))) for first in self.firsts())
        return len(self.space) + min(totals)

    def _second_guesses(self, first: int) -> NDArray[np.int32]:
        if not self.data.shortcuts.symmetry:
            return self.space.everything.copy()
        if first not in self._seconds:
            # A copy can be written to, as the guesses of positions can: `survey` is compiled once.
            self._seconds[first] = self.symmetry.after(first).canonical.copy()
        return self._seconds[first]

    def solve(
        self,
        first: int,
        cells: Sequence[Cell],
        budget: int = IMPOSSIBLE - 1,
        waiting: Callable[[], bool] | None = None,
        margin: int = 0,
        ledger: Ledger | None = None,
    ) -> list[Solved] | None:
        """The least total of each cell, or None once they are known to take over `budget`.

        `waiting` is called now and then; when it returns true the work stops, and the answer
        is None. Guesses are cut short when they take `margin` more than the cell's best. Jobs
        that the ledger knows are not done again; those done are noted in it.
        """
        if ledger is not None:
            cells = [ledger.informed(first, cell) for cell in cells]
        self.jobs = jobs = Jobs.of(first, cells, ledger)
        self.low = int(jobs.lows.sum())
        if self.low > budget:
            return None
        self.data.control[:] = 0

        def told() -> bool:
            if ledger is not None:
                ledger.note(jobs.finished())
            return waiting is not None and waiting()

        self._work(told, jobs, budget, margin)
        if ledger is not None:
            ledger.note(jobs.finished())
        if self.data.control[TOO_DEEP]:
            raise TooLarge(f"{self.space.board}: a line of play took more than {LEVELS} guesses")
        self.low = int(jobs.lows.sum())
        return None if self.data.control[STOP] else jobs.solved()

    def _work(self, waiting: Callable[[], bool], jobs: Jobs, budget: int, margin: int) -> None:
        """Let every workspace work until no job is left or the caller wants no more."""
        if waiting():
            self.data.control[STOP] = 1
            return
        failed: list[BaseException] = []
        used = int(self.space.colours[jobs.first])
        rest = (*jobs.arrays, budget, margin, self._rows_after, used)

        def at_desk(workspace: Workspace) -> None:
            try:
                work(self.data, workspace, *rest)  # type: ignore[arg-type]
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                failed.append(error)
                self.data.control[STOP] = 1

        threads = [
            threading.Thread(target=at_desk, args=(workspace,), daemon=True)
            for workspace in self.workspaces
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                if waiting():
                    self.data.control[STOP] = 1
                for thread in threads:
                    thread.join(_PATIENCE)
        except BaseException:
            self.data.control[STOP] = 1
            raise
        finally:
            for thread in threads:
                thread.join()
        if failed:
            raise failed[0]

    def tree(self, first: int, cells: Sequence[Cell], solved: Sequence[Solved]) -> Tree:
        """The strategy that these totals stand for."""
        self.data.control[:] = 0
        branches = (
            (0, cell.answer, self.branch(cell, best))
            for cell, best in zip(cells, solved, strict=True)
        )
        return join(single(first, len(self.space)), branches)

    def branch(self, cell: Cell, solved: Solved) -> Tree:
        """The strategy for one cell that was solved."""
        if solved.branch is not None:
            return solved.branch
        return Tree(
            *grow(self.data, self.workspaces[0], cell.codes, solved.guess, self._rows_after)
        )

    def _salt(self, count_bits: int) -> np.uint64:
        """A random word that leaves the count of codes in a key alone."""
        word = self._random.integers(0, 1 << 63, dtype=np.uint64)
        return word >> np.uint64(count_bits) << np.uint64(count_bits)


def _whole_numbers(values: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.rint(values * costs.SCALE).astype(np.int32)


def _table_bits(codes: int) -> int:
    """Table entries, as a power of two: more for boards that are searched longer."""
    return 18 if codes <= 1500 else 20 if codes <= 3500 else 22 if codes <= 6000 else 23
