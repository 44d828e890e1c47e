"""The next guess at any level, with what it does and why, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keypeg.rules.errors import KeypegError, counted
from keypeg.solver.choice import choose
from keypeg.solver.fitting.consistent import Count
from keypeg.solver.fitting.contradiction import Contradiction, Undecided, contradiction
from keypeg.solver.levels import Level, Way, level_named
from keypeg.solver.playing import beginner
from keypeg.solver.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.history import History
    from keypeg.solver.valuation import Certainty


class Contradicted(KeypegError):
    """No code fits the rows, so there is nothing to suggest."""

    def __init__(self, found: Contradiction) -> None:
        super().__init__(
            f"no code fits: {row_names(found.rows)} contradict each other"
            + ("" if found.smallest else ", and maybe fewer of them do")
            if len(found.rows) > 1
            else f"no code fits: the answer to row {found.rows[0]} is impossible on this board"
        )
        self.found = found


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A guess and what it does to the codes that are left."""

    guess: Code
    level: Level
    left: Count
    possible: bool
    """Whether it may be the code: it fits every row."""
    breaks: tuple[int, ...]
    """The rows, from 1, that it does not fit."""
    groups: int
    """Into how many groups its answers split the codes."""
    largest: Count
    """How many codes the largest group has."""
    cost: float | None
    """Guesses still to be made, this one included, on average; None where chance decides."""
    certainty: Certainty | None

    @property
    def why(self) -> str:
        """The reason in words."""
        if self.possible and self.left.value == 1 and self.left.exact:
            return "It is the only code left."
        left = self.left
        noun = "code" if left.value == 1 else "codes"
        codes = f"the {left} {noun} left" if left.exact else f"the codes left, {left},"
        split = (
            f"splits {codes} into {counted(self.groups, 'group')}, the largest of {self.largest}"
        )
        if self.possible:
            return f"It may be the code, and {split}."
        rows = row_names(self.breaks)
        return f"It cannot be the code, since it does not fit {rows}; it {split}."


def suggest(
    board: Board,
    history: History = (),
    level: str = "perfect",
    *,
    seconds: float = 1.0,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Suggestion:
    """A guess as a player of `level` makes it; `seed` decides where chance has a say.

    A search may take `seconds`; if it has not ended by then, the guess is judged one row ahead.
    Raises Contradicted where no code fits.
    """
    strength = level_named(level)
    position = Position(board, history, seconds=seconds, seed=seed, cancelled=cancelled)
    if position.contradictory:
        raise Contradicted(_contradiction(position))
    chosen = choose(position, strength)
    split = position.split(chosen.guess)
    breaks = position.breaks(chosen.guess)
    cost = None if strength.way is Way.FITTING else chosen.cost
    return Suggestion(
        guess=chosen.guess,
        level=strength,
        left=position.left,
        possible=not breaks,
        breaks=breaks,
        groups=len(split),
        largest=max(split.values(), key=lambda codes: codes.value, default=Count(0, exact=True)),
        cost=cost and cost.guesses,
        certainty=cost and cost.certainty,
    )


def next_guess(
    board: Board,
    history: History = (),
    level: str = "perfect",
    *,
    seconds: float = 1.0,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Code | None:
    """The guess alone, which is ready sooner; None where no code is known to fit."""
    strength = level_named(level)
    position = Position(board, history, seconds=seconds, seed=seed, cancelled=cancelled)
    listed = position.space is not None
    if listed and position.contradictory:
        return None
    guess = choose(position, strength).guess
    if listed or not position.breaks(guess):
        return guess
    left = position.count(beginner.WIDTH)
    return None if left.exact and left.value == 0 else guess


def _contradiction(position: Position) -> Contradiction:
    """The rows that contradict each other; all of them where there is no time to find out."""
    seconds = 10 * max(position.seconds, 0.1)
    try:
        found = contradiction(
            position.board, position.history, seconds=seconds, cancelled=position.cancelled
        )
    except Undecided:
        found = None
    everything = tuple(range(1, len(position.history) + 1))
    return found or Contradiction(everything, smallest=False)


def row_names(rows: Sequence[int]) -> str:
    """Rows in a sentence: `row 1`, `rows 1 and 3`, `rows 1, 2 and 5`."""
    *most, last = (str(row) for row in rows)
    return f"rows {', '.join(most)} and {last}" if most else f"row {last}"
