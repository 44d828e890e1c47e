"""A player for boards with too many codes to list: it judges guesses on codes drawn at random.

Guesses that may be the code, and near misses of them, are compared by how they split a
uniform draw of the codes that fit, or all of them where they are few.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.kernels import histograms
from keypeg.solver.fitting.consistent import Count, as_codes, breaches
from keypeg.solver.fitting.diagram import Diagram, diagram
from keypeg.solver.history import broken_rows
from keypeg.solver.playing.annealing import settle
from keypeg.solver.playing.strategies import RULES
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codes.arrays import Bytes, Indices
    from keypeg.solver.history import History

SAMPLE: Final = 1 << 11
"""Codes that guesses are judged on; where fewer fit, all of them."""

CANDIDATES: Final = 1 << 10
"""Guesses judged that may be the code, and as many near misses."""

WIDTH: Final = 1 << 13
"""The widest layer kept whole of the codes that fit; wider ones are thinned."""

NARROW: Final = 1 << 9
"""The same, once time has run out."""

STARTS: Final = 1 << 5
ROUNDS: Final = 1 << 4
"""Codes that a search starts from at a time, and how many times at most."""

RULE: Final = RULES["learned"]
"""The rule that guesses are judged by."""


class Basis(Enum):
    """What a guess was judged on."""

    ALL = "every code that fits"
    DRAWN = "codes drawn from those that fit"
    FOUND = "codes found that fit, by a search that favours some"
    NEAREST = "no code was found that fits; this one's answers are the least off of those tried"


@dataclass(frozen=True, slots=True)
class Move:
    """A guess and why: it splits `judged` codes into `groups` groups, the largest of `largest`."""

    guess: Code
    possible: bool
    """Whether it may be the code: it fits every row."""
    left: Count
    basis: Basis
    judged: int
    groups: int
    largest: int
    breaks: tuple[int, ...] = ()
    """The rows, from 1, that it does not fit."""


def play(
    board: Board,
    history: History,
    *,
    seed: int = 0,
    seconds: float = 1.0,
    width: int = WIDTH,
    cancelled: Callable[[], bool] | None = None,
) -> Move:
    """A good next guess, the same for the same `seed` if there is enough time.

    What is not done within `seconds` is decided by a narrower diagram. Where a thinned diagram
    has no code that fits, a search looks for some until time runs out.
    """
    rng = np.random.default_rng(seed)
    watch = _Timer(seconds, cancelled)
    found = _look(board, history, width, seed, watch)
    left = Count(found.count, found.exact)
    if found.held:
        every = found.exact and found.count <= SAMPLE
        codes = found.codes(SAMPLE) if every else np.unique(found.sample(SAMPLE, rng), axis=0)
        return _judge(board, history, codes, left, Basis.ALL if every else Basis.DRAWN, rng)
    codes, distance = _search(board, history, rng, watch, vain=found.exact)
    fitting = np.unique(codes[distance == 0], axis=0)
    if len(fitting):
        left = Count(len(fitting), exact=False)
        return _judge(board, history, fitting, left, Basis.FOUND, rng)
    return _nearest(history, codes[distance == distance.min()], left)


class _Timer:
    """Says when most of the time is spent; the rest is for judging guesses."""

    def __init__(self, seconds: float, cancelled: Callable[[], bool] | None) -> None:
        self._deadline = time.monotonic() + 0.6 * seconds
        self.cancelled = cancelled

    def late(self) -> bool:
        """Whether to finish now; raises Cancelled if the caller asked to stop."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("stopped while looking for a guess")
        return time.monotonic() > self._deadline


def _look(board: Board, history: History, width: int, seed: int, watch: _Timer) -> Diagram:
    """The codes that fit, in as wide a diagram as the time allows."""
    try:
        return diagram(board, history, width=width, seed=seed, cancelled=watch.late)
    except Cancelled:
        watch.late()
    return diagram(board, history, width=NARROW, seed=seed, cancelled=watch.cancelled)


def _search(
    board: Board, history: History, rng: np.random.Generator, watch: _Timer, *, vain: bool
) -> tuple[Bytes, Indices]:
    """Codes near to fitting and their distances: one round, more while some may yet fit."""
    rounds: list[tuple[Bytes, Indices]] = []
    anything = diagram(board, ())
    while not rounds or not (vain or len(rounds) == ROUNDS or watch.late()):
        starts = anything.sample(STARTS, rng)
        rounds.append(settle(board, history, starts, int(rng.integers(1 << 32))))
    codes, distances = zip(*rounds, strict=True)
    return np.concatenate(codes), np.concatenate(distances)


def _candidates(board: Board, history: History, codes: Bytes, rng: np.random.Generator) -> Bytes:
    """Guesses worth judging: first one of each kind, later codes that fit and near misses."""
    if not history:
        return _first_guesses(board)
    chosen = rng.permutation(len(codes))[:CANDIDATES]
    fitting = codes[chosen]
    return np.concatenate([fitting, _near_misses(board, fitting, rng)])


def _near_misses(board: Board, codes: Bytes, rng: np.random.Generator) -> Bytes:
    """Codes that fit with one or two pegs changed, which may split better than any that fit."""
    source = codes[rng.integers(len(codes), size=CANDIDATES)]
    line = np.arange(CANDIDATES)
    for _ in range(2):
        hole = rng.integers(board.holes, size=CANDIDATES)
        peg = rng.choice(np.array(board.symbols, np.uint8), size=CANDIDATES)
        source[line, hole] = peg
    if not board.repeats:
        ordered = np.sort(source, axis=1)
        source = source[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
    return source


def _first_guesses(board: Board) -> Bytes:
    """One first guess of each kind: colours in order, no earlier one rarer, the blank last."""
    pegs = [*board.symbols[board.blanks :], *board.symbols[: board.blanks]]
    most = board.holes if board.repeats else 1
    kinds = _partitions(board.holes, most, len(pegs))
    lines = [
        [p for p, times in zip(pegs, kind, strict=False) for _ in range(times)] for kind in kinds
    ]
    return np.array(lines, np.uint8)


def _partitions(whole: int, largest: int, parts: int) -> list[tuple[int, ...]]:
    """The ways to write `whole` as a sum of at most `parts` numbers, largest first."""
    if whole == 0:
        return [()]
    if parts == 0:
        return []
    return [
        (first, *rest)
        for first in range(min(whole, largest), 0, -1)
        for rest in _partitions(whole - first, first, parts - 1)
    ]


def _judge(
    board: Board,
    history: History,
    codes: Bytes,
    left: Count,
    basis: Basis,
    rng: np.random.Generator,
) -> Move:
    """The guess that leaves the least to do; of equal ones, one that may be the code."""
    space = codespace(board)
    first = board.symbols[0]
    guesses = _candidates(board, history, codes, rng)
    cells = histograms(space.encode(guesses - first), space.encode(codes - first), board.holes)
    possible = np.logical_not(breaches(guesses, history).any(axis=0))
    # Cells of a draw are scaled up; a guess that is the code saves the guess of its own cell.
    scale = max(left.value / len(codes), 1.0)
    cost = RULE.cost(cells.astype(np.float64) * scale).sum(axis=1) - possible
    best = int(np.lexsort((~possible, cost))[0])
    guess = tuple(guesses[best].tolist())
    return Move(
        guess=guess,
        possible=bool(possible[best]),
        left=left,
        basis=basis,
        judged=len(codes),
        groups=int((cells[best] > 0).sum()),
        largest=int(cells[best].max()),
        breaks=broken_rows(history, guess),
    )


def _nearest(history: History, codes: Bytes, left: Count) -> Move:
    """Of the nearest codes, one that breaks the fewest rows."""
    broken = breaches(codes, history).sum(axis=0)
    guess = min(as_codes(codes[broken == broken.min()]))
    return Move(
        guess=guess,
        possible=False,
        left=left,
        basis=Basis.NEAREST,
        judged=len(codes),
        groups=0,
        largest=0,
        breaks=broken_rows(history, guess),
    )
