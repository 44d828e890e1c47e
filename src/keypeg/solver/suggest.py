"""The next guess at any strength, with what it does and why, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.solver.books.book import book_of
from keypeg.solver.fitting.contradiction import Contradiction, Undecided, contradiction
from keypeg.solver.history import check_history
from keypeg.solver.levels import Level, Way, level_named
from keypeg.solver.playing import beginner
from keypeg.solver.valuation import Best, Certainty, Valuation, book_certainty

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.fitting.consistent import Count
    from keypeg.solver.history import History


class Contradicted(KeypegError):
    """No code fits the rows, so there is nothing to suggest."""

    def __init__(self, found: Contradiction) -> None:
        super().__init__(
            f"no code fits: rows {_listed(found.rows)} contradict each other"
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
    largest: int
    """How many codes the largest group has."""
    cost: float | None
    """Guesses still to be made, this one included, on average; None where chance decides."""
    certainty: Certainty | None

    @property
    def why(self) -> str:
        """The reason in words."""
        if self.possible and self.left.value == 1 and self.left.exact:
            return "It is the only code left."
        split = (
            f"splits the {self.left} codes left into {_counted(self.groups, 'group')}, "
            f"the largest of {self.largest:,}"
        )
        if self.possible:
            return f"It may be the code, and {split}."
        rows = ("row " if len(self.breaks) == 1 else "rows ") + _listed(self.breaks)
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

    `seconds` is what a search may take; without an end by then the guess is judged one row
    ahead. Raises Contradicted where no code fits.
    """
    strength = level_named(level)
    valuation = _valuation(board, history, seconds, seed, cancelled)
    if valuation.left.exact and valuation.left.value == 0:
        raise Contradicted(_blamed(valuation))
    best = _choose(valuation, strength)
    split = valuation.split(best.guess)
    certain = strength.way is not Way.FITTING
    breaks = valuation.breaks(best.guess)
    return Suggestion(
        guess=best.guess,
        level=strength,
        left=valuation.left,
        possible=not breaks,
        breaks=breaks,
        groups=len(split),
        largest=max((codes.value for codes in split.values()), default=0),
        cost=best.cost if certain else None,
        certainty=best.certainty if certain else None,
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
    """The guess alone, which is there sooner; None where no code is known to fit."""
    strength = level_named(level)
    valuation = _valuation(board, history, seconds, seed, cancelled)
    if valuation.listed and valuation.left.value == 0:
        return None
    guess = _choose_guess(valuation, strength)
    if valuation.listed or not valuation.breaks(guess):
        return guess
    left = valuation.count(beginner.WIDTH)
    return None if left.exact and left.value == 0 else guess


def _valuation(
    board: Board,
    history: History,
    seconds: float,
    seed: int,
    cancelled: Callable[[], bool] | None,
) -> Valuation:
    check_history(history, board)
    if not 0 <= seconds < float("inf") or seed < 0:
        raise CannotRead("the time for a search and the seed are numbers from 0 on")
    return Valuation(board, history, seconds=seconds, seed=seed, cancelled=cancelled)


def _blamed(valuation: Valuation) -> Contradiction:
    """The rows that contradict each other; all of them where there is no time to tell."""
    seconds = 10 * max(valuation.seconds, 0.1)
    try:
        found = contradiction(
            valuation.board, valuation.history, seconds=seconds, cancelled=valuation.cancelled
        )
    except Undecided:
        found = None
    everything = tuple(range(1, len(valuation.history) + 1))
    return found or Contradiction(everything, smallest=False)


def _choose(valuation: Valuation, level: Level) -> Best:
    if level.way is Way.FITTING:
        return Best(_fitting(valuation, level), 0.0, Certainty.ESTIMATE)
    if level.way is Way.SPLITTING:
        return valuation.judged_best()
    return _by_the_book(valuation) or valuation.best()


def _choose_guess(valuation: Valuation, level: Level) -> Code:
    if level.way is Way.FITTING:
        return _fitting(valuation, level)
    if level.way is Way.SPLITTING:
        return valuation.judged_guess()
    book = book_of(valuation.board)
    return (book and book.guess(valuation.history)) or valuation.best_guess()


def _fitting(valuation: Valuation, level: Level) -> Code:
    return beginner.guess_as_beginner(
        valuation.board,
        valuation.history,
        slip=level.slip,
        seed=valuation.seed,
        cancelled=valuation.cancelled,
    )


def _by_the_book(valuation: Valuation) -> Best | None:
    """The guess of the shipped book, while the rows follow it."""
    book = book_of(valuation.board)
    guess = None if book is None else book.guess(valuation.history)
    cost = None if book is None else book.cost(valuation.history)
    if book is None or guess is None or cost is None:
        return None
    return Best(guess, cost, book_certainty(book))


def _listed(rows: tuple[int, ...]) -> str:
    """Row numbers in a sentence: 1, 2 and 5."""
    *most, last = (str(row) for row in rows)
    return f"{', '.join(most)} and {last}" if most else last


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
