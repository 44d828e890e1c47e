"""Whole trees of one-step rules on a graphics processor, all regions of a row at once.

The rules and their ties are those of `playing.strategies`: where both can run, both find the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from keypeg.solver.gpu.words import WordLayout, answers, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from keypeg.solver.codes.codespace import CodeSpace
    from keypeg.solver.playing.onestep import Costs
    from keypeg.solver.progress import Watch

    Array = Any
    """A CuPy array: CuPy has no types, and is not there where types are checked."""

THREADS: Final = 64
"""Threads of a block: each counts in shared memory, which few blocks of many threads would fill."""
TILE: Final = 256
"""Regions up to this size lie in shared memory for good; kernels.cu has the same number."""
BLOCKS: Final = 4_096
"""Blocks that keep every multiprocessor busy."""
MOST_COST: Final = (1 << 63) - 1
PAIRS: Final = 1 << 41
"""Scores of one launch: a second or two, so that progress is shown and Ctrl+C is heard."""


@dataclass(frozen=True, eq=False)
class _Row:
    """The regions before a guess: codes side by side, and each code's region."""

    order: Array
    starts: Array
    sizes: Array
    present: Array
    """By region, the colours that its codes have, as bits."""
    guessed: Array
    """By region, the colours guessed before."""


def pool_of(many: int, tries: int | None) -> NDArray[np.uint32]:
    """The guesses that are tried at every region: all, or this many, drawn once for all."""
    if tries is None or tries >= many:
        return np.arange(many, dtype=np.uint32)
    drawn = np.random.default_rng(1971).choice(many, tries, replace=False)
    return np.sort(drawn).astype(np.uint32)


class Grower:
    """A board on a graphics processor, where `tries` guesses are tried at each region, or all.

    Whatever is drawn, the codes of a region of at most TILE are tried too.
    """

    def __init__(
        self, space: CodeSpace, costs: Costs, watch: Watch, tries: int | None = None
    ) -> None:
        import cupy  # noqa: PLC0415 - an extra

        self.cupy, self.watch = cupy, watch
        self.layout = layout = WordLayout(space.holes, space.symbols)
        self.many = len(space)
        self.kinds = space.answers.many
        self.costs = costs
        self.words = cupy.asarray(pack(space))
        self.colours = cupy.asarray(space.colours)
        self.by_size = cupy.asarray(costs.by_size)
        self.answers = cupy.asarray(answers(layout))
        self.pool = cupy.asarray(pool_of(self.many, tries))
        defined = {
            "HOLES": layout.holes,
            "BITS": layout.bits,
            "COUNTS": layout.counts,
            "LOWEST": f"{layout.lowest}u",
            "ALL_COLOURS": f"{(1 << layout.symbols) - 1}u",
            "REPEATS": int(space.repeats),
            "LARGEST": int(costs.largest),
            "THREADS": THREADS,
        }
        options = ("--std=c++17", *(f"-D{name}={value}" for name, value in defined.items()))
        code = (Path(__file__).parent / "kernels.cu").read_text()
        self._module = cupy.RawModule(code=code, options=options)

    def one_region(self, codes: NDArray[np.int64]) -> _Row:
        """A row of one region, in which all colours are left and all were guessed."""
        cupy = self.cupy
        every = cupy.full(1, (1 << self.layout.symbols) - 1, cupy.uint32)
        order = cupy.asarray(codes.astype(np.int32))
        size = cupy.full(1, len(codes), cupy.int32)
        return _Row(order, cupy.zeros(1, cupy.int32), size, every, every)

    def distribution(self, first: int) -> dict[int, int]:
        """How many codes each number of guesses finds, with this first guess."""
        cupy = self.cupy
        row = _Row(
            cupy.arange(self.many, dtype=cupy.int32),
            cupy.zeros(1, cupy.int32),
            cupy.full(1, self.many, cupy.int32),
            cupy.full(1, (1 << self.layout.symbols) - 1, cupy.uint32),
            cupy.zeros(1, cupy.uint32),
        )
        guesses = cupy.full(1, first, cupy.int32)
        found: dict[int, int] = {}
        while len(row.order):
            left = self._split(row, guesses)
            found[len(found) + 1] = len(row.order) - len(left.order)
            self.watch.add(found[len(found)])
            if len(left.order) == len(row.order) and len(left.sizes) == len(row.sizes):
                raise ValueError("a rule must not choose a guess that splits nothing")
            row = left
            guesses = self._guesses(row)
        return found

    def _split(self, row: _Row, guesses: Array) -> _Row:
        """The regions after a guess in each region."""
        cupy, n = self.cupy, len(row.order)
        region = self._numbered(row.starts, n)
        cells = cupy.empty(n, cupy.uint8)
        self._for_each(
            n, "split", self.words, np.int64(self.many), row.order, region, guesses, cells
        )
        answer = self.answers[cells]
        open_ones = cupy.flatnonzero(answer != self.kinds - 1)
        key = region[open_ones].astype(cupy.int64) * self.kinds + answer[open_ones]
        sorted_places = cupy.argsort(key, kind="stable")
        key = key[sorted_places]
        order = row.order[open_ones[sorted_places]]
        begins = cupy.flatnonzero(cupy.diff(key, prepend=-1)).astype(cupy.int32)
        sizes = cupy.diff(begins, append=len(order)).astype(cupy.int32)
        present = cupy.zeros(len(begins), cupy.uint32)
        self._for_each(
            len(order), "mark", self.colours, order, self._numbered(begins, len(order)), present
        )
        before = (key[begins] // self.kinds).astype(cupy.int32)
        guessed = row.guessed[before] | self.colours[guesses[before]]
        return _Row(order, begins, sizes, present, guessed)

    def _numbered(self, starts: Array, n: int) -> Array:
        """The number of the region of each of n codes."""
        region = self.cupy.zeros(n, self.cupy.int32)
        region[starts[1:]] = 1
        return self.cupy.cumsum(region, dtype=self.cupy.int32)

    def _guesses(self, row: _Row) -> Array:
        """The best guess of each region."""
        cupy = self.cupy
        guesses = row.order[row.starts] if len(row.order) else cupy.empty(0, cupy.int32)
        least = cupy.full(len(row.sizes), MOST_COST, cupy.int64)
        small = cupy.flatnonzero((row.sizes > 2) & (row.sizes <= TILE))
        if len(small):
            least[small], guesses[small] = self.search(row, small, "search_members")
            # No guess is better than a possible secret that leaves single codes only.
            alone = self.by_size[1] * (1 if self.costs.largest else row.sizes[small])
            self._try_pool(row, small[least[small] > alone], least, guesses, "search_small")
        large = cupy.flatnonzero(row.sizes > TILE)
        self._try_pool(row, large, least, guesses, "search_large")
        return guesses

    def _try_pool(
        self, row: _Row, regions: Array, least: Array, guesses: Array, kernel: str
    ) -> None:
        """Set the best guess of the pool where it costs less than the best so far.

        As many regions are tried at a time as PAIRS allows.
        """
        if not len(regions):
            return
        sums = self.cupy.cumsum(row.sizes[regions].astype(self.cupy.int64))
        part = (sums // max(PAIRS // len(self.pool), 1)).get()
        for places in np.split(np.arange(len(part)), np.flatnonzero(np.diff(part)) + 1):
            self.watch.check()
            some = regions[int(places[0]) : int(places[-1]) + 1]
            costs, found = self.search(row, some, kernel)
            better = costs < least[some]
            guesses[some] = self.cupy.where(better, found, guesses[some])
            least[some] = self.cupy.where(better, costs, least[some])

    def search(self, row: _Row, regions: Array, kernel: str) -> tuple[Array, Array]:
        """The least cost and the guess that has it, for each of these regions."""
        cupy, members = self.cupy, kernel == "search_members"
        shares = 1 if members else max(1, min(BLOCKS // len(regions), len(self.pool) // THREADS))
        costs = cupy.empty((len(regions), shares), cupy.int64)
        ranks = cupy.empty((len(regions), shares), cupy.uint32)
        where = row.order, row.starts[regions], row.sizes[regions]
        colours = () if members else (row.present[regions], row.guessed[regions])
        pool = () if members else (self.colours, self.pool, np.int64(len(self.pool)))
        self._module.get_function(kernel)(
            (len(regions), shares),
            (THREADS,),
            (
                *(self.words, np.int64(self.many)),
                *pool,
                *where,
                *colours,
                *(self.by_size, np.int64(self.costs.won), costs, ranks),
            ),
            shared_mem=4 * self.layout.cells * THREADS,
        )
        least = costs.min(axis=1)
        best = cupy.where(costs == least[:, None], ranks, np.uint32(0xFFFFFFFF)).min(axis=1)
        return least, (best & np.uint32(0x7FFFFFFF)).astype(cupy.int32)

    def _for_each(self, n: int, kernel: str, *arguments: Any) -> None:
        """Run a kernel that has a thread for each of n codes."""
        if n:
            self._module.get_function(kernel)((-(-n // 256),), (256,), (*arguments, np.int64(n)))
