"""One-step rules: what each wants of a guess, how one is chosen, what a whole game costs.

A rule gives every cell a cost by its size and plays the guess whose cells cost least; of
equally cheap guesses, one that may be the secret, and of those the lexicographically smallest
(the first in the order of colours, a blank before all). Costs are whole numbers, so that equal
guesses are equal on every machine.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Event
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.errors import CannotRead, quoted
from keypeg.solver.cancelled import Cancelled
from keypeg.solver.codespace import codespace
from keypeg.solver.kernels import histograms, matrix, partition
from keypeg.solver.symmetry import Symmetry, useful
from keypeg.solver.trees import DEAR, NONE, Costs, Tree, cheapest, grow, join, padded, single

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codespace import CodeSpace

    Sizes = NDArray[np.float64]

FINE: Final = 2**20
"""Costs that are no whole numbers are counted in parts of one so many."""


@dataclass(frozen=True)
class Rule:
    """What a cell costs by its size; a guess costs their sum, or the largest of them.

    `won` is the win correction: what the cell of the guess itself costs, which needs no
    further guess.
    """

    summary: str
    cost: Callable[[Sizes], Sizes]
    won: float
    largest: bool = False
    scale: int = 1


def _information(size: Sizes) -> Sizes:
    return size * np.log2(np.maximum(size, 1))


def _learned(size: Sizes) -> Sizes:
    return np.where(size > 0, size * (1 + 0.6 * np.log(np.maximum(size, 1))), 0)


RULES: Final = {
    "minimax": Rule("the smallest largest cell (Knuth 1976)", lambda n: n, 1, largest=True),
    "expected-size": Rule("the fewest codes left (Irving 1978)", lambda n: n * n, 1),
    "entropy": Rule("the most information (Neuwirth 1982)", _information, 0, scale=FINE),
    "parts": Rule("the most cells (Kooi 2005)", lambda n: -np.sign(n), -1),
    "learned": Rule("the fewest guesses to come, by experience", _learned, 0, scale=FINE),
}
"""The rules by name."""


@dataclass(frozen=True)
class Choice:
    """A guess and what it does to the codes that remain."""

    guess: int
    code: Code
    possible: bool
    cells: int
    worst: int
    cost: float
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Evaluation:
    """What a strategy needs over every secret of a board."""

    codes: int
    total: int
    average: float
    worst: int
    distribution: dict[int, int]
    first: Code
    seconds: float


def rule_named(name: str) -> Rule:
    """The rule of that name."""
    if name not in RULES:
        raise CannotRead(f"no strategy {quoted(name)}; there are {', '.join(RULES)}")
    return RULES[name]


@lru_cache(maxsize=16)
def costs_of(rule: Rule, codes: int) -> Costs:
    """The costs of cells of up to so many codes."""
    costs = np.rint(rule.cost(np.arange(codes + 1, dtype=np.float64)) * rule.scale)
    won = np.int64(round(rule.won * rule.scale))
    return Costs(costs.astype(np.int64), won, rule.largest)


PAIRS: Final = 24_000_000
"""Scores worth about a fortieth of a second: the most that one choice takes unless told."""

SAMPLE: Final = 512
"""Codes that guesses are first compared on when there are too many to try on all."""


def choose(
    space: CodeSpace,
    remaining: NDArray[np.int32],
    symmetry: Symmetry,
    rule: Rule,
    pairs: int = PAIRS,
) -> Choice:
    """The best guess by `rule` when the codes at `remaining` are left.

    `symmetry` is that of the rows guessed so far. If trying every guess takes more than
    `pairs` scores, guesses are ranked on SAMPLE of the codes, always the same ones, and only
    as many of the best as `pairs` allows are tried on all.
    """
    costs = costs_of(rule, len(space))
    guesses = useful(space, symmetry.canonical, remaining)
    if len(guesses) * len(remaining) > pairs:
        guesses = _shortlist(space, remaining, guesses, costs, pairs // len(remaining))
    return describe(space, remaining, _best(space, remaining, guesses, costs), rule)


def describe(space: CodeSpace, remaining: NDArray[np.int32], guess: int, rule: Rule) -> Choice:
    """What `guess` does to the codes at `remaining`, and what `rule` thinks of it."""
    costs = costs_of(rule, len(space))
    words = np.ascontiguousarray(space.words[:, guess : guess + 1])
    sizes = histograms(words, space.gather(remaining), space.holes)[0]
    possible = bool(sizes[-1])
    each = costs.by_size[sizes]
    cost = each.max() if rule.largest else each.sum() + possible * (costs.won - costs.by_size[1])
    return Choice(
        guess,
        space.code(guess),
        possible,
        int(np.count_nonzero(sizes)),
        int(sizes.max()),
        float(cost) / rule.scale,
        tuple(sizes.tolist()),
    )


def _best(
    space: CodeSpace, remaining: NDArray[np.int32], guesses: NDArray[np.int32], costs: Costs
) -> int:
    """The first cheapest of `guesses`, possible secrets before others."""
    if len(remaining) <= 2:
        return int(remaining[0])
    possible = np.zeros(len(space), np.bool_)
    possible[remaining] = True
    codes = padded(space.words, remaining)
    best, below = NONE, DEAR
    for few in (guesses[possible[guesses]], guesses[~possible[guesses]]):
        found, below = cheapest(
            space.words, few, codes, len(remaining), space.holes, costs, below, -DEAR
        )
        best = int(found) if found != NONE else best
    return best


def _shortlist(
    space: CodeSpace,
    remaining: NDArray[np.int32],
    guesses: NDArray[np.int32],
    costs: Costs,
    many: int,
) -> NDArray[np.int32]:
    """The `many` best of `guesses` as judged on a sample of the codes, in their order."""
    size = min(SAMPLE, len(remaining))
    sample = np.random.default_rng(size).choice(remaining, size, replace=False)
    counts = histograms(space.gather(guesses), space.gather(sample), space.holes)
    each = costs.by_size[counts.astype(np.int64) * len(remaining) // size]
    rank = each.max(axis=1) if costs.largest else each.sum(axis=1)
    return np.sort(guesses[np.argsort(rank, kind="stable")[: max(many, 1)]])


def evaluate(
    board: Board,
    strategy: str,
    first: Code | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | Event | None = None,
) -> Evaluation:
    """Play `strategy` against every secret at once.

    Without `first`, every first guess that differs is tried and the fewest guesses in all
    win. `progress` is told how many codes are done, and of how many. When `cancelled` is
    set or returns true, Cancelled is raised.
    """
    began = time.perf_counter()
    space, rule = codespace(board), rule_named(strategy)
    firsts = Symmetry(space).canonical.tolist() if first is None else [space.index(first)]
    watch = _Watch(len(space) * len(firsts), progress, cancelled)
    best = min((plant(space, rule, f, watch) for f in firsts), key=lambda tree: tree.totals[0])
    found = best.distribution
    return Evaluation(
        codes=len(space),
        total=int(best.totals[0]),
        average=int(best.totals[0]) / len(space),
        worst=max(found),
        distribution=found,
        first=space.code(int(best.guess[0])),
        seconds=time.perf_counter() - began,
    )


class _Watch:
    """Whoever is waiting: told how far the work is, asked whether to go on."""

    def __init__(
        self,
        of: int,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | Event | None = None,
    ) -> None:
        self.done, self.of = 0, of
        self.progress = progress
        self.cancelled = cancelled.is_set if isinstance(cancelled, Event) else cancelled

    def check(self) -> None:
        """Stop here if the work was called off."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("the work was called off before it was done")

    def add(self, codes: int) -> None:
        """So many codes more are done."""
        self.done += codes
        if self.progress is not None and codes:
            self.progress(self.done, self.of)


THREADS: Final = 2
"""Threads a tree is grown on; the kernels hold no lock."""

SINGLE_HANDED: Final = 16_000_000
"""A region of fewer codes times guesses than this is grown in one piece by one thread."""


@dataclass(frozen=True, eq=False)
class _Region:
    """Codes that share a history, and the node and answer that led to them."""

    codes: NDArray[np.int32]
    symmetry: Symmetry
    node: int
    answer: int


def plant(space: CodeSpace, rule: Rule, first: int, watch: _Watch | None = None) -> Tree:
    """The whole tree of `rule` when `first` is the first guess."""
    watch = watch or _Watch(len(space))
    root = Symmetry(space)
    parts: list[tuple[int, int, Tree]] = []
    tree = single(first, len(space))
    regions = _split(space, space.everything, root.after(first), 0)
    nodes = 1
    watch.add(1)
    with ThreadPoolExecutor(THREADS) as pool:
        while regions:
            regions.sort(key=lambda region: -len(region.codes))
            grown = pool.map(lambda region: _grow(space, rule, region, watch), regions)
            following: list[_Region] = []
            for region, (part, symmetry) in zip(regions, grown, strict=True):
                parts.append((region.node, region.answer, part))
                if symmetry is not None:
                    following += _split(space, region.codes, symmetry, nodes)
                nodes += len(part.parent)
                watch.add(int(part.wins.sum()))
            regions = following
    return join(tree, parts)


def _grow(
    space: CodeSpace, rule: Rule, region: _Region, watch: _Watch
) -> tuple[Tree, Symmetry | None]:
    """The tree of a region; of a large one its first node only, and the symmetry below it."""
    watch.check()
    large = len(region.codes) * len(space) > SINGLE_HANDED
    guess = NONE
    if len(region.codes) <= 2:
        guess = int(region.codes[0])
    elif large or not region.symmetry.trivial:
        costs = costs_of(rule, len(space))
        guesses = useful(space, region.symmetry.canonical, region.codes)
        guess = _best(space, region.codes, guesses, costs)
    if large:
        return single(guess, len(region.codes)), region.symmetry.after(guess)
    costs = costs_of(rule, len(space))
    guessed = ((1 << space.symbols) - 1) & ~region.symmetry.free
    arrays = grow(space.arrays, region.codes, guess, np.int64(guessed), costs)
    return Tree(*arrays), None


def _split(
    space: CodeSpace, codes: NDArray[np.int32], symmetry: Symmetry, node: int
) -> list[_Region]:
    """The regions the last guess of `symmetry` leaves of `codes`, the one it wins left out."""
    guess = symmetry.guesses[-1]
    words = np.ascontiguousarray(space.words[:, guess : guess + 1])
    order, starts = partition(
        matrix(words, space.gather(codes), space.holes)[0], space.answers.many
    )
    return [
        _Region(codes[order[starts[a] : starts[a + 1]]], symmetry, node, a)
        for a in range(space.answers.solved)
        if starts[a] < starts[a + 1]
    ]
