"""What each row of a game was worth, and how much of its length was skill and how much luck.

A row's loss is what its guess costs more than the best one. Its luck is the number of guesses that
the answer saved, compared with the average over all answers. So for a broken code, where
everything is exact: rows played = cost at the start + losses - luck.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf, log2
from typing import TYPE_CHECKING, Final

from keypeg.solver.choice import best_guess, cost_at_start, judged_guess
from keypeg.solver.fitting.consistent import Count
from keypeg.solver.history import Clue, History
from keypeg.solver.position import Position
from keypeg.solver.progress import Cancelled, Watch
from keypeg.solver.valuation import Aftermath, Certainty, after, judged_after

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.game import Game
    from keypeg.rules.keypegs import KeyPegs

_PARTS: Final = 4
"""Two searches for each row, and as much time again for judging and counting."""


@dataclass(frozen=True, slots=True)
class RowAnalysis:
    """One answered row, by its number on the board."""

    row: int
    guess: Code
    keys: KeyPegs
    before: Count
    after: Count
    bits: float | None
    """How many times the answer halved the codes left; None where it left none."""
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
class GameAnalysis:
    """A whole game: its rows, and what they come to."""

    rows: tuple[RowAnalysis, ...]
    start: float
    """What a game on this board costs with the best play known."""
    start_certainty: Certainty
    unplayed: tuple[int, ...] = ()
    """Rows that were not reviewed: no guess, no answer, no code fits any more, or no time."""
    complete: bool = True
    """Whether there was time for every row that can be reviewed."""

    @property
    def loss(self) -> float:
        """Guesses lost compared with the best play, in total."""
        return sum(row.loss for row in self.rows)

    @property
    def luck(self) -> float:
        """Guesses that luck saved, in total."""
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
) -> GameAnalysis:
    """Review every answered row of `game`; a search may take `seconds` for each row.

    The whole review may take `within` seconds: searches are cut short for it, and the last rows
    are left out if there is no time for them.
    """
    end = time.monotonic() + within
    answered = [
        (number, Clue(row.guess, row.keys))
        for number, row in enumerate(game.rows, 1)
        if row.guess is not None and row.keys is not None
    ]
    watch = Watch(len(answered), progress, cancelled)
    rows, complete = _reviewed(game.board, answered, seconds, end, watch)
    start, certainty = cost_at_start(game.board, seconds=_up_to(1.0, end))
    reviewed = {row.row for row in rows}
    unplayed = tuple(n for n in range(1, len(game.rows) + 1) if n not in reviewed)
    return GameAnalysis(tuple(rows), start, certainty, unplayed, complete)


def _reviewed(
    board: Board, answered: Sequence[tuple[int, Clue]], seconds: float, end: float, watch: Watch
) -> tuple[list[RowAnalysis], bool]:
    """The rows reviewed until `end`, and whether there was time for all of them."""

    def late() -> bool:
        return time.monotonic() > end or watch.stopped

    rows: list[RowAnalysis] = []
    history: History = ()
    for number, clue in answered:
        watch.check()
        if late():
            return rows, False
        searches = _PARTS * (len(answered) - len(rows))
        position = Position(board, history, seconds=_up_to(seconds, end, searches), cancelled=late)
        try:
            if position.contradictory:
                break
            earlier = tuple(answered[row - 1][0] for row in position.breaks(clue.guess))
            rows.append(_review(position, number, clue, earlier))
        except Cancelled:
            watch.check()
            return rows, False
        history = (*history, clue)
        watch.add(1)
    return rows, True


def _up_to(seconds: float, end: float, searches: int = 1) -> float:
    """These seconds, or each search's share of the time until `end` if that is less."""
    return max(0.0, min(seconds, (end - time.monotonic()) / searches))


def _review(position: Position, number: int, clue: Clue, breaks: tuple[int, ...]) -> RowAnalysis:
    played, best, least = _compared(position, clue.guess)
    left = played.remainders.get(clue.keys)
    codes_after = Count(0, exact=position.left.exact) if left is None else left.codes
    return RowAnalysis(
        row=number,
        guess=clue.guess,
        keys=clue.keys,
        before=position.left,
        after=codes_after,
        bits=log2(position.left.value / codes_after.value) if codes_after.value else None,
        breaks=breaks,
        best=best,
        cost=played.cost,
        loss=max(0.0, round(played.cost - least, 12)),
        luck=None if left is None else played.cost - 1 - left.cost,
        certainty=played.certainty,
    )


def _compared(position: Position, guess: Code) -> tuple[Aftermath, Code, float]:
    """What `guess` leads to, the best guess and its cost: both costs exact, or both judged."""
    best, played = best_guess(position), after(position, guess)
    if best.cost.certainty is played.certainty is Certainty.PROVEN:
        return played, best.guess, best.cost.guesses
    if best.cost.certainty is not Certainty.ESTIMATE:
        best = judged_guess(position)
    played = judged_after(position, guess)
    if best.cost.guesses < played.cost:
        return played, best.guess, best.cost.guesses
    return played, guess, played.cost
