"""What each row of a game was worth, and how much of its length was skill and how much luck.

A row's loss is what its guess costs more than the best one; its luck is what the answer left
to be done against what was to be expected of the guess, in guesses, positive when lucky. So
for a broken code, where all is exact: rows played = cost at the start + losses - luck.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf, log2
from typing import TYPE_CHECKING, Final

from keypeg.solver.fitting.consistent import Count
from keypeg.solver.history import Answer, History
from keypeg.solver.progress import Cancelled, Watch
from keypeg.solver.valuation import Aftermath, Best, Certainty, Valuation, cost_at_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.code import Code
    from keypeg.rules.game import Game
    from keypeg.rules.keypegs import KeyPegs

_PARTS: Final = 4
"""Two searches a row, and as much again for what is judged and counted."""


@dataclass(frozen=True, slots=True)
class RowReview:
    """One answered row, by its number on the board."""

    row: int
    guess: Code
    keys: KeyPegs
    before: Count
    after: Count
    bits: float | None
    """How often the answer halved the codes left; None where it left none."""
    breaks: tuple[int, ...]
    """The earlier rows that the guess does not fit; empty where it might have been the code."""
    best: Code
    cost: float
    """Guesses to be made with this guess, itself included, on average."""
    loss: float
    luck: float | None
    certainty: Certainty

    @property
    def possible(self) -> bool:
        """Whether the guess might have been the code."""
        return not self.breaks


@dataclass(frozen=True, slots=True)
class Review:
    """A whole game: its rows, and what they come to."""

    rows: tuple[RowReview, ...]
    start: float
    """What a game on this board costs with the best play known."""
    start_certainty: Certainty
    unplayed: tuple[int, ...] = ()
    """Rows that nothing is said of: no pegs, no answer, no code fits any more, or no time."""
    complete: bool = True
    """Whether there was time for every row of which something can be said."""

    @property
    def loss(self) -> float:
        """Guesses lost against the best play, in all: less is more skill."""
        return sum(row.loss for row in self.rows)

    @property
    def luck(self) -> float:
        """Guesses that luck saved, in all."""
        return sum(row.luck for row in self.rows if row.luck is not None)

    @property
    def certainty(self) -> Certainty:
        """The least certain of the rows."""
        certain = [row.certainty for row in self.rows] or [self.start_certainty]
        proven = all(certainty is Certainty.PROVEN for certainty in certain)
        return Certainty.PROVEN if proven else Certainty.ESTIMATE


def analysis(
    game: Game,
    *,
    seconds: float = 1.0,
    within: float = inf,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Review:
    """Review every answered row of `game`; `seconds` is what a search may take for each.

    `within` is what the whole may take: searches are cut short for it, and the last rows are
    left out if it is over before they come.
    """
    end = time.monotonic() + within

    def late() -> bool:
        return time.monotonic() > end or (cancelled is not None and cancelled())

    answered = [
        (number, Answer(row.guess, row.keys))
        for number, row in enumerate(game.rows, 1)
        if row.guess is not None and row.keys is not None
    ]
    watch = Watch(len(answered), progress, cancelled)
    rows: list[RowReview] = []
    history: History = ()
    complete = True
    for number, answer in answered:
        watch.check()
        if late():
            complete = False
            break
        searches = _PARTS * (len(answered) - len(rows))
        valuation = Valuation(
            game.board, history, seconds=_up_to(seconds, end, searches), cancelled=late
        )
        try:
            if valuation.left.exact and valuation.left.value == 0:
                break
            earlier = tuple(answered[row - 1][0] for row in valuation.breaks(answer.guess))
            rows.append(_review(valuation, number, answer, earlier))
        except Cancelled:
            watch.check()
            complete = False
            break
        history = (*history, answer)
        watch.add(1)
    start, certainty = cost_at_start(game.board, seconds=_up_to(1.0, end))
    reviewed = {row.row for row in rows}
    unplayed = tuple(n for n in range(1, len(game.rows) + 1) if n not in reviewed)
    return Review(tuple(rows), start, certainty, unplayed, complete)


def _up_to(seconds: float, end: float, searches: int = 1) -> float:
    """So long, or each search's share of the time until `end`."""
    return max(0.0, min(seconds, (end - time.monotonic()) / searches))


def _review(
    valuation: Valuation, number: int, answer: Answer, breaks: tuple[int, ...]
) -> RowReview:
    played, best = _compared(valuation, answer.guess)
    cell = played.cells.get(answer.keys)
    after = Count(0, exact=valuation.left.exact) if cell is None else cell.codes
    return RowReview(
        row=number,
        guess=answer.guess,
        keys=answer.keys,
        before=valuation.left,
        after=after,
        bits=log2(valuation.left.value / after.value) if after.value else None,
        breaks=breaks,
        best=best.guess,
        cost=played.cost,
        loss=max(0.0, round(played.cost - best.cost, 12)),
        luck=None if cell is None else played.cost - 1 - cell.cost,
        certainty=played.certainty,
    )


def _compared(valuation: Valuation, guess: Code) -> tuple[Aftermath, Best]:
    """What `guess` leads to and the best one, both exact or else both judged alike."""
    best, played = valuation.best(), valuation.after(guess)
    if best.certainty is played.certainty is Certainty.PROVEN:
        return played, best
    best, played = valuation.judged_best(), valuation.judged_after(guess)
    return played, best if best.cost < played.cost else Best(guess, played.cost, best.certainty)
