"""When no code fits: which rows contradict each other, and which single answer would repair it.

A set of rows is contradictory when every code breaks one of them: it hits the set of rows
that each code breaks. So the fewest contradictory rows are a minimum hitting set, and few codes
suffice to find it. The least set that hits all codes known so far is either contradictory, and
then none is smaller, or some code fits it, and that code must be hit too (implicit hitting sets:
Moreno-Centeno and Karp, Operations Research 61(2), 2013).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.solver.fitting.consistent import Count, breaches
from keypeg.solver.fitting.diagram import WIDTH, diagram
from keypeg.solver.history import check_history
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from keypeg.rules.board import Board
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.codes.arrays import Bytes
    from keypeg.solver.fitting.diagram import Diagram
    from keypeg.solver.history import History

_GLANCE: Final = 1 << 11
"""The width at which a fitting code is looked for first."""

_LISTED: Final = 1 << 16
_DRAWN: Final = 1 << 11
"""Up to how many codes are listed at a time, and how many are drawn where there are more."""

_TELLING: Final = 1 << 9
"""How many of them are used: those that break the fewest rows tell the most."""


class Undecided(KeypegError):
    """Neither a fitting code nor a proof that there is none was found within the limits."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Rows, counted from 1, that cannot all be right.

    With `smallest` it is proven that no fewer rows contradict each other; of several such sets
    this is the first in order. Otherwise time or width ran out before that was known.
    """

    rows: tuple[int, ...]
    smallest: bool


@dataclass(frozen=True, slots=True)
class RowRepair:
    """If `row` had been answered with `keys`, this many codes would fit."""

    row: int
    keys: KeyPegs
    codes: Count


def contradiction(
    board: Board,
    history: History,
    *,
    width: int = WIDTH,
    seconds: float = float("inf"),
    cancelled: Callable[[], bool] | None = None,
) -> Contradiction | None:
    """The fewest rows that contradict each other, or None where a code fits them all.

    Nothing is guessed that cannot be decided within `width` and `seconds`. If it is not even
    known whether a code fits, `Undecided` is raised. If only the fewest rows are not known,
    `smallest` is false.
    """
    check_history(history, board)
    deadline = time.monotonic() + seconds
    inquiry = _Inquiry(board, history, width, deadline, cancelled)
    everything = tuple(range(len(history)))
    try:
        if inquiry.broken(everything):
            return None
    except Cancelled as late:
        inquiry.stop_if_cancelled()
        raise Undecided(f"whether a code fits was not decided in {seconds:g} s") from late
    try:
        return _numbered(_fewest(inquiry), smallest=True)
    except Undecided:
        return _numbered(_fewer(inquiry, everything), smallest=False)
    except Cancelled:
        inquiry.stop_if_cancelled()
        return _numbered(everything, smallest=False)


def repairs(
    board: Board,
    history: History,
    found: Contradiction,
    *,
    width: int = WIDTH,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[RowRepair, ...]:
    """Each answer to a single row with which codes would fit, by row, most codes first.

    `found` is what `contradiction` returned for the history. There are none where no single row
    can be wrong. A repair always restores consistency; where its count is not exact there may be
    others.
    """
    every: list[RowRepair] = []
    # A single wrong answer has a part in every contradiction, so in this one.
    for row in found.rows:
        others = history[: row - 1] + history[row:]
        guess = history[row - 1].guess
        rest = diagram(board, others, split=guess, width=width, cancelled=cancelled)
        mended = [RowRepair(row, keys, Count(n, rest.exact)) for keys, n in rest.answers.items()]
        every += sorted(mended, key=lambda repair: (-repair.codes.value, repair.keys))
    return tuple(every)


def _numbered(rows: Iterable[int], *, smallest: bool) -> Contradiction:
    return Contradiction(tuple(row + 1 for row in rows), smallest)


class _Inquiry:
    """Finds out whether rows can all be right, within the limits of one call."""

    def __init__(
        self,
        board: Board,
        history: History,
        width: int,
        deadline: float,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.history = history
        self._board = board
        self._width = width
        self._deadline = deadline
        self._cancelled = cancelled

    def stop_if_cancelled(self) -> None:
        """Raise Cancelled if the caller asked to stop, as opposed to a deadline that passed."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("stopped while looking for the rows that contradict each other")

    def broken(self, rows: tuple[int, ...]) -> set[int]:
        """For some codes that fit `rows`, the rows each breaks, as bits; empty if none fits."""
        chosen = tuple(self.history[row] for row in rows)
        for width in sorted({min(_GLANCE, self._width), self._width}):
            found = diagram(self._board, chosen, width=width, cancelled=self._late)
            if found.held:
                return _broken(_some(found), self.history)
            if found.exact:
                return set()
        raise Undecided(
            f"whether {len(rows)} rows contradict each other was not decided "
            f"within {self._width:,} nodes for each hole; a larger width may decide it"
        )

    def stop_if_late(self) -> None:
        """Give up if there is no time left or the caller asked to stop."""
        if self._late():
            raise Cancelled("out of time")

    def _late(self) -> bool:
        self.stop_if_cancelled()
        return time.monotonic() > self._deadline


def _fewest(inquiry: _Inquiry) -> tuple[int, ...]:
    """The least set of contradictory rows of a history that no code fits."""
    known: list[int] = []
    rows: tuple[int, ...] = ()
    while fresh := inquiry.broken(rows):
        known = _least([*known, *nsmallest(_TELLING, fresh, key=int.bit_count)])
        rows = _least_hitting(known, inquiry, len(rows))
    return rows


def _fewer(inquiry: _Inquiry, rows: tuple[int, ...]) -> tuple[int, ...]:
    """Fewer contradictory rows: no further row can be shown to be unnecessary."""
    for row in rows:
        rest = tuple(other for other in rows if other != row)
        try:
            if not inquiry.broken(rest):
                rows = rest
        except Undecided:
            continue
        except Cancelled:
            inquiry.stop_if_cancelled()
            break
    return rows


def _some(found: Diagram) -> Bytes:
    if found.held <= _LISTED:
        return found.codes(_LISTED)
    return found.sample(_DRAWN, np.random.default_rng(0))


def _broken(codes: Bytes, history: History) -> set[int]:
    """The sets of rows that codes break, each as a number with a bit for each row."""
    packed = np.unique(np.packbits(breaches(codes, history), axis=0, bitorder="little"), axis=1)
    return {int.from_bytes(column.tobytes(), "little") for column in packed.T}


def _least(sets: Iterable[int]) -> list[int]:
    """The sets that contain no other: hitting these hits all."""
    least: list[int] = []
    for candidate in sorted(set(sets), key=int.bit_count):
        if not any(smaller & candidate == smaller for smaller in least):
            least.append(candidate)
    return least


def _least_hitting(sets: list[int], inquiry: _Inquiry, at_least: int) -> tuple[int, ...]:
    """The smallest set of rows with one in each of `sets`; the first in order if several."""
    size = at_least
    while (found := _hitting(sets, 0, size, inquiry)) is None:
        size += 1
    return found


def _hitting(sets: list[int], first: int, size: int, inquiry: _Inquiry) -> tuple[int, ...] | None:
    """The first set in order of at most `size` rows from `first` on that hits all `sets`."""
    if not sets:
        return ()
    inquiry.stop_if_late()
    if _disjoint(sets, first) > size:
        return None
    for row in range(first, min(one.bit_length() for one in sets)):
        missed = [one for one in sets if not one >> row & 1]
        rest = _hitting(missed, row + 1, size - 1, inquiry) if len(missed) < len(sets) else None
        if rest is not None:
            return (row, *rest)
    return None


def _disjoint(sets: list[int], first: int) -> int:
    """How many of `sets` have no row from `first` on in common: each needs its own row."""
    taken, many = 0, 0
    for one in sets:
        if not (one >> first << first) & taken:
            taken |= one >> first << first
            many += 1
    return many
