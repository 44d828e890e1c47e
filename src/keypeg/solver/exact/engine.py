"""A board laid out for searching, and threads that work through the jobs of one first guess.

`search` uses an engine to prove, `beam` to improve a book, and `positions` to play.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.codes import costs
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.kernels import matrix, partition
from keypeg.solver.codes.symmetry import Symmetry
from keypeg.solver.codes.trees import Tree, join, single
from keypeg.solver.exact import workspace as ws
from keypeg.solver.exact.bounds import IMPOSSIBLE, floors
from keypeg.solver.exact.cells import Cell
from keypeg.solver.exact.counting import column_stride
from keypeg.solver.exact.growth import grow
from keypeg.solver.exact.jobs import Jobs
from keypeg.solver.exact.survey import survey
from keypeg.solver.exact.transposition import code_keys, new_table
from keypeg.solver.exact.worker import Limits, work
from keypeg.solver.exact.workspace import SearchData, Shortcuts, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.exact.cells import Solved
    from keypeg.solver.exact.ledger import Ledger

    Places = NDArray[np.int32]
    StopCheck = Callable[[Jobs], bool]
    """Called now and then with the jobs in progress; if it returns true, the work stops."""

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

    It tries `seconds` second guesses; `below` counts the third, the fourth and so on, and its
    last number holds for all later ones. Regions of at most `whole` codes are searched in full.
    Third and later guesses are chosen among the `pool` best third ones, and the codes still
    possible then.
    """

    seconds: int = EVERYTHING
    below: tuple[int, ...] = (EVERYTHING,)
    whole: int = EVERYTHING
    pool: int = EVERYTHING


class Conclusion(Enum):
    """How the work on a first guess ended."""

    SOLVED = "every cell is solved"
    OVER_BUDGET = "the cells take more than the budget"
    STOPPED = "the caller stopped it"


class CellTotals(NamedTuple):
    """What the work on a first guess gave.

    `low` is a lower bound of the cells together, also where the work was cut short. `solved` has
    the least total of each cell, or is None where not all are known.
    """

    conclusion: Conclusion
    low: int
    solved: list[Solved] | None
    jobs: Jobs


class Learned(NamedTuple):
    """What solved cells took: for each of these sizes, the sum of totals, and how many cells."""

    sizes: NDArray[np.int64]
    sums: NDArray[np.int64]


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
        if not space.enumerable or many > MOST_CODES or space.words_each > 1 or answers > ws.KINDS:
            raise TooLarge(
                f"{board} has {many:,} codes, {answers} answers and {space.holes * space.symbols} "
                f"holes x colours; the search takes up to {MOST_CODES:,}, {ws.KINDS} and 64"
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
            widths=np.full(ws.LEVELS, EVERYTHING, np.int64),
            control=ws.new_control(),
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
        self.workspaces = [ws.new_workspace(*sizes) for _ in range(threads)]
        self.symmetry = Symmetry(space)
        self.width = Width()
        self._seconds: dict[int, Places] = {}

    @property
    def nodes(self) -> int:
        """Regions looked at so far."""
        return sum(int(workspace.counters[ws.NODES]) for workspace in self.workspaces)

    @property
    def limit(self) -> int | None:
        """The most guesses that a strategy may take, or None for any number."""
        return None if self.worst == len(self.data.floor) - 1 else self.worst

    @property
    def _rows_after(self) -> int:
        """Guesses left after the first, as the kernels count them."""
        return self.worst if self.limit is None else self.worst - 1

    @contextmanager
    def unlimited(self) -> Iterator[None]:
        """Inside this context, strategies may take any number of guesses."""
        worst, self.worst = self.worst, len(self.data.floor) - 1
        try:
            yield
        finally:
            self.worst = worst

    def firsts(self) -> Places:
        """The first guesses that differ."""
        return self.symmetry.canonical if self.data.shortcuts.symmetry else self.space.everything

    def widen(self, width: Width) -> None:
        """Search at this width from now on. Results of other widths are not looked up."""
        if width == self.width:
            return
        self.width = width
        self.data.widths[:] = width.below[-1]
        self.data.widths[2 : 2 + len(width.below)] = width.below
        self.data = self.data._replace(whole=width.whole, pool=width.pool)
        self.data.salts[-1] = (
            0 if width == Width() else self._salt(self.data.count_bits) | np.uint64(1 << 63)
        )

    @property
    def costs(self) -> Places:
        """What cells are expected to take, by size: guesses are tried in this order."""
        return self.data.cost

    def use_costs(self, cost: Places) -> None:
        """Order guesses by these costs."""
        self.data.cost[:] = cost

    def learn(self) -> None:
        """Order guesses by what the cells solved so far took."""
        totals, counts = self._learned()
        self.use_costs(_whole_numbers(costs.learned_costs(totals, counts, self.data.kinds)))

    def _learned(self) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = np.sum([each.learned for each in self.workspaces], axis=0)
        return sums

    def take_learned(self) -> Learned:
        """What was learned since the last call, to be passed on; it is forgotten here."""
        sums = self._learned()
        for workspace in self.workspaces:
            workspace.learned[:] = 0
        sizes = np.flatnonzero(sums[1])
        return Learned(sizes, sums[:, sizes])

    def add_learned(self, learned: Learned) -> None:
        """Add what another engine has learned."""
        self.workspaces[0].learned[:, learned.sizes] += learned.sums

    def cells(self, first: int, most: int = EVERYTHING) -> list[Cell]:
        """What the first guess leaves, smallest first, with up to `most` second guesses each."""
        words, everything = self.data.words, self.space.everything
        # A copy: code for arrays with gaps would have to be compiled for this alone.
        lines = matrix(words[:, first : first + 1].copy(), words, self.space.holes)
        order, starts = partition(lines[0], self.data.kinds)
        parts = np.split(everything[order], starts[1:-1])
        cells = [
            self.cell(answer, part, self._second_guesses(first), most)
            for answer, part in enumerate(parts[:-1])
            if len(part)
        ]
        return sorted(cells, key=lambda cell: len(cell.codes))

    def cell(self, answer: int, codes: Places, guesses: Places, most: int = EVERYTHING) -> Cell:
        """What an answer leaves, with up to `most` of `guesses` that are worth trying there."""
        if len(codes) <= 2:
            low = self.data.floor[self._rows_after, -1, len(codes)]
            return Cell(answer, codes, codes[:1], np.array([low], np.int32), int(low))
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

    def _second_guesses(self, first: int) -> Places:
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
        *,
        budget: int = IMPOSSIBLE - 1,
        margin: int = 0,
        should_stop: StopCheck | None = None,
        ledger: Ledger | None = None,
    ) -> CellTotals:
        """The least total of each cell, unless they take more than `budget` together.

        Guesses are cut short when they take `margin` more than the best of their cell. Jobs that
        are in the ledger are not done again, and those done are recorded in it.
        """
        if ledger is not None:
            cells = [ledger.informed(first, cell) for cell in cells]
        jobs = Jobs.of(first, cells, ledger)
        if jobs.low > budget:
            return CellTotals(Conclusion.OVER_BUDGET, jobs.low, None, jobs)

        def stop() -> bool:
            if ledger is not None:
                ledger.note(jobs.finished())
            return should_stop is not None and should_stop(jobs)

        used = int(self.space.colours[first])
        conclusion = self._work(jobs, Limits(budget, margin, self._rows_after, used), stop)
        if ledger is not None:
            ledger.note(jobs.finished())
        solved = jobs.solved() if conclusion is Conclusion.SOLVED else None
        return CellTotals(conclusion, jobs.low, solved, jobs)

    def _work(self, jobs: Jobs, limits: Limits, stop: Callable[[], bool]) -> Conclusion:
        """Let every workspace work until no job is left or `stop` returns true."""
        if stop():
            return Conclusion.STOPPED
        data = self.ready()
        control = data.control
        failed: list[BaseException] = []

        def run(workspace: Workspace) -> None:
            try:
                work(data, workspace, jobs.table, limits)
            except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
                failed.append(error)
                control[ws.STATE] = ws.STOPPED

        threads = [
            threading.Thread(target=run, args=(workspace,), daemon=True)
            for workspace in self.workspaces
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                if stop():
                    control[ws.STATE] = ws.STOPPED
                for thread in threads:
                    thread.join(_PATIENCE)
        except BaseException:
            control[ws.STATE] = ws.STOPPED
            raise
        finally:
            for thread in threads:
                thread.join()
        if failed:
            raise failed[0]
        return self._conclusion(int(control[ws.STATE]))

    def _conclusion(self, state: int) -> Conclusion:
        if state == ws.TOO_DEEP:
            raise TooLarge(f"{self.space.board}: a line of play took more than {ws.LEVELS} guesses")
        if state == ws.OVER_BUDGET:
            return Conclusion.OVER_BUDGET
        return Conclusion.STOPPED if state == ws.STOPPED else Conclusion.SOLVED

    def ready(self) -> SearchData:
        """The shared data, with a control of its own for each search."""
        return self.data._replace(control=ws.new_control())

    def tree(self, first: int, cells: Sequence[Cell], solved: Sequence[Solved]) -> Tree:
        """The strategy with these totals."""
        branches = (
            (0, cell.answer, self.branch(cell, best))
            for cell, best in zip(cells, solved, strict=True)
        )
        return join(single(first, len(self.space)), branches)

    def branch(self, cell: Cell, solved: Solved) -> Tree:
        """The strategy for one cell that was solved."""
        if solved.branch is not None:
            return solved.branch
        workspace, rows = self.workspaces[0], self._rows_after
        return Tree(*grow(self.ready(), workspace, cell.codes, solved.guess, rows))

    def _salt(self, count_bits: int) -> np.uint64:
        """A random word that leaves the count of codes in a key unchanged."""
        word = self._random.integers(0, 1 << 63, dtype=np.uint64)
        return word >> np.uint64(count_bits) << np.uint64(count_bits)


def _whole_numbers(values: NDArray[np.float64]) -> Places:
    return np.rint(values * costs.SCALE).astype(np.int32)


def _table_bits(codes: int) -> int:
    """Table entries, as a power of two: more for boards that are searched longer."""
    return 18 if codes <= 1500 else 20 if codes <= 3500 else 22 if codes <= 6000 else 23
