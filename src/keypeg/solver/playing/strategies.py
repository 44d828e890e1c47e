"""One-step rules: how each rates a guess, how a guess is chosen, what a whole game costs.

A rule gives every cell a cost by its size and plays the guess whose cells cost least. Of equally
cheap guesses it plays one that may be the secret, and of those the lexicographically smallest (in
the order of colours, a blank first). Costs are whole numbers, so that equal guesses are equal on
every machine.

With these ties the totals of (4,6) are the published ones: minimax 5801, at most 5 guesses,
from 1122; from 1123 most parts 5668, entropy 5680, expected size 5696, and learned 5666.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.code import Code, check_code
from keypeg.rules.errors import CannotRead, quoted
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.costs import typical
from keypeg.solver.codes.kernels import histograms
from keypeg.solver.codes.symmetry import Symmetry, useful
from keypeg.solver.playing.onestep import Costs, best_guess, cost_of, partitioned, plant
from keypeg.solver.progress import Watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.solver.codes.codespace import CodeSpace

    Sizes = NDArray[np.float64]

FINE: Final = 2**20
"""Costs that are not whole numbers are multiplied by this and rounded."""


@dataclass(frozen=True)
class Rule:
    """What a cell costs by its size; a guess costs their sum, or the largest of them.

    `won` is what the cell of the guess itself costs, which needs no further guess.
    """

    summary: str
    cost: Callable[[Sizes], Sizes]
    won: float
    largest: bool = False
    scale: int = 1


def _information(size: Sizes) -> Sizes:
    return size * np.log2(np.maximum(size, 1))


RULES: Final = {
    "minimax": Rule("the smallest largest cell (Knuth 1976)", lambda n: n, 1, largest=True),
    "expected-size": Rule("the fewest codes left (Irving 1978)", lambda n: n * n, 1),
    "entropy": Rule("the most information (Neuwirth 1982)", _information, 0, scale=FINE),
    "parts": Rule("the most cells (Kooi 2005)", lambda n: -np.sign(n), -1),
    "learned": Rule("the fewest guesses to come, by experience", typical, 0, scale=FINE),
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

    @classmethod
    def of(
        cls, space: CodeSpace, first: int, distribution: dict[int, int], seconds: float
    ) -> Evaluation:
        """What follows from how many codes each number of guesses finds."""
        total = sum(guesses * codes for guesses, codes in distribution.items())
        return cls(
            codes=len(space),
            total=total,
            average=total / len(space),
            worst=max(distribution),
            distribution=distribution,
            first=space.code(first),
            seconds=seconds,
        )


def rule_named(name: str) -> Rule:
    """The rule of that name."""
    if name not in RULES:
        raise CannotRead(f"no strategy {quoted(name)}; there are {', '.join(RULES)}")
    return RULES[name]


@lru_cache(maxsize=16)
def costs_of(rule: Rule, codes: int) -> Costs:
    """The costs of cells of up to `codes` codes."""
    costs = np.rint(rule.cost(np.arange(codes + 1, dtype=np.float64)) * rule.scale)
    won = np.int64(round(rule.won * rule.scale))
    return Costs(costs.astype(np.int64), won, rule.largest)


PAIRS: Final = 24_000_000
"""Scores that take about a fortieth of a second: the default limit for one choice."""

SAMPLE: Final = 512
"""Codes on which guesses are compared first when there are too many to try them on all."""


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
    if not len(remaining):
        raise ValueError("no code is left to choose a guess for")
    costs = costs_of(rule, len(space))
    guesses = useful(space, symmetry.canonical, remaining)
    if len(guesses) * len(remaining) > pairs:
        guesses = _shortlist(space, remaining, guesses, costs, pairs // len(remaining))
    return describe(space, remaining, best_guess(space, remaining, guesses, costs), rule)


def describe(space: CodeSpace, remaining: NDArray[np.int32], guess: int, rule: Rule) -> Choice:
    """What `guess` does to the codes at `remaining`, and what it costs by `rule`."""
    costs = costs_of(rule, len(space))
    words = np.ascontiguousarray(space.words[:, guess : guess + 1])
    sizes = histograms(words, space.gather(remaining), space.holes)[0]
    return Choice(
        guess=guess,
        code=space.code(guess),
        possible=bool(sizes[-1]),
        cells=int(np.count_nonzero(sizes)),
        worst=int(sizes.max()),
        cost=float(cost_of(sizes, costs)) / rule.scale,
        sizes=tuple(sizes.tolist()),
    )


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


TRY_ALL_FIRSTS: Final = 5_000
"""Up to this many codes, every first guess that differs is tried in full."""

BEST_FIRSTS: Final = 2
"""First guesses tried in full on larger boards."""


def first_guesses(space: CodeSpace) -> list[int]:
    """The first guesses worth a whole tree, the most promising first.

    On larger boards these are the BEST_FIRSTS best after two rows, by the learned rule's costs.
    """
    start = Symmetry(space)
    firsts: list[int] = start.canonical.tolist()
    if len(space) <= TRY_ALL_FIRSTS:
        return firsts
    return sorted(firsts, key=lambda first: _two_rows(space, start.after(first)))[:BEST_FIRSTS]


def _two_rows(space: CodeSpace, symmetry: Symmetry) -> float:
    """What the guess of `symmetry` and the best second guesses leave to do."""
    cells = partitioned(space, space.everything, symmetry.guesses[-1])
    return sum(
        choose(space, cell, symmetry, RULES["learned"], PAIRS // 16).cost for _, cell in cells
    )


def evaluate(
    board: Board,
    strategy: str,
    first: Code | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | Event | None = None,
) -> Evaluation:
    """Play `strategy` against every secret at once.

    Without `first`, the first guesses from `first_guesses` are tried, and the one with the smallest
    total is taken. `progress` gets how many codes are done, and of how many. When `cancelled`
    is set or returns true, Cancelled is raised.
    """
    began = time.perf_counter()
    space, rule = codespace(board), rule_named(strategy)
    if first is not None:
        check_code(first, board)
    firsts = first_guesses(space) if first is None else [space.index(first)]
    watch = Watch(len(space) * len(firsts), progress, cancelled)
    costs = costs_of(rule, len(space))
    best = min((plant(space, costs, f, watch) for f in firsts), key=lambda tree: tree.totals[0])
    seconds = time.perf_counter() - began
    return Evaluation.of(space, int(best.guess[0]), best.distribution, seconds)
