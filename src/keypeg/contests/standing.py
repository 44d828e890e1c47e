"""The standing: who needed how many rows, over one code or several. Pure.

A code that was not broken, or that somebody has not played, counts one row more than the board has.
Fewer rows are better; between equal rows, more codes played, so that nobody gains time by not
playing; then less time from the first row to the last. Whoever is equal in all, time in whole
seconds, shares the place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.board import Board
    from keypeg.store.contests import Finish


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant in a standing."""

    place: int
    entrant: int
    name: str | None
    rows: int
    """Over all codes that are counted."""
    seconds: int
    loss: int | None
    """Guesses lost against the best play, in thousandths; None until it is known for all codes."""
    codes: tuple[int | None, ...]
    """The rows needed for each code, NOT_BROKEN, or None if it was not played to the end."""


def standing(board: Board, codes: Sequence[Sequence[Finish]]) -> tuple[Line, ...]:
    """The standing over these codes. Attempts that go on do not count."""
    finished = [{one.entrant: one for one in code if one.needed is not None} for code in codes]
    lines = [_line(board, entrant, finished) for entrant in {e for code in finished for e in code}]
    return tuple(_placed(lines))


def _line(board: Board, entrant: int, finished: Sequence[dict[int, Finish]]) -> Line:
    mine = [code.get(entrant) for code in finished]
    played = [one for one in mine if one is not None]
    losses = [one.loss for one in played if one.loss is not None]
    return Line(
        place=0,
        entrant=entrant,
        name=played[0].name,
        rows=sum((one.needed if one else None) or board.rows + 1 for one in mine),
        seconds=sum(max(0, one.changed - one.begun) // 1000 for one in played),
        loss=sum(losses) if len(losses) == len(played) else None,
        codes=tuple(one.needed if one else None for one in mine),
    )


def _placed(lines: Sequence[Line]) -> Iterator[Line]:
    def rank(line: Line) -> tuple[int, int, int]:
        return line.rows, line.codes.count(None), line.seconds

    place = 1
    for _, group in groupby(sorted(lines, key=lambda one: (*rank(one), one.entrant)), key=rank):
        equal = list(group)
        for line in equal:
            yield replace(line, place=place)
        place += len(equal)
