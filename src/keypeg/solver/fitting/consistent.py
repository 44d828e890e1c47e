"""The codes that fit everything known: how many, which ones, and some at random.

This works on every board that the rules allow. What is not exact within `width` is labelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.fitting.diagram import WIDTH, diagram
from keypeg.solver.history import check_history

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codes.arrays import Bytes, Flags
    from keypeg.solver.history import History


_PLAIN: Final = 10**9
"""Estimates from here on are written with an exponent."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of codes; where not `exact`, an unbiased estimate, and 0 may mean none found."""

    value: int
    exact: bool

    def __str__(self) -> str:
        return f"{self.value:,}" if self.exact else f"about {_rounded(self.value)}"


def _rounded(estimate: int) -> str:
    """An estimate to two digits, since more would look exact: 140,000, or 1.4e17 if it is large."""
    if estimate < _PLAIN:
        return f"{int(float(f'{estimate:.1e}')):,}"
    return f"{estimate:.1e}".replace("e+", "e")


@dataclass(frozen=True, slots=True)
class Listing:
    """Codes that fit; `complete` when they are all of them."""

    codes: tuple[Code, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """Codes drawn with replacement from those that fit; none where none was found.

    `uniform` draws give every fitting code the same chance. Other draws come from a diagram that
    was thinned at random: they fit, but some fitting codes are likelier than others.
    """

    codes: tuple[Code, ...]
    uniform: bool


def count(
    board: Board,
    history: History,
    *,
    width: int = WIDTH,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Count:
    """How many codes fit `history`."""
    check_history(history, board)
    found = diagram(board, history, width=width, seed=seed, cancelled=cancelled)
    return Count(found.count, found.exact)


def codes(
    board: Board,
    history: History,
    limit: int,
    *,
    width: int = WIDTH,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Listing:
    """Up to `limit` codes that fit `history`, in order."""
    check_history(history, board)
    found = diagram(board, history, width=width, seed=seed, cancelled=cancelled)
    listed = sorted(as_codes(found.codes(limit)))
    return Listing(tuple(listed), found.exact and found.count <= limit)


def sample(
    board: Board,
    history: History,
    size: int,
    *,
    width: int = WIDTH,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Sample:
    """`size` codes drawn from those that fit `history`, repeatable under `seed`."""
    check_history(history, board)
    found = diagram(board, history, width=width, seed=seed, cancelled=cancelled)
    drawn = found.sample(size, np.random.default_rng(seed))
    return Sample(tuple(as_codes(drawn)), found.exact)


def breaches(codes: Bytes, history: History) -> Flags:
    """For each row (lines) and code (columns), whether the code breaks the row."""
    broken = np.empty((len(history), len(codes)), bool)
    used = {peg: (codes == peg).sum(axis=1) for guess, _ in history for peg in guess}
    for row, (guess, keys) in enumerate(history):
        black = (codes == np.array(guess, np.uint8)).sum(axis=1)
        total = sum(np.minimum(used[peg], guess.count(peg)) for peg in set(guess))
        broken[row] = (black != keys.black) | (total != sum(keys))
    return broken


def as_codes(lines: Bytes) -> list[Code]:
    """Codes from an array with one code on each line."""
    return [tuple(line) for line in lines.tolist()]
