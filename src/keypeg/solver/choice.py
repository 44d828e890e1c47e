"""Which guess to make: from a book, from the stored openings, by exact search, or one row ahead.

This is the one place with that order. A guess comes with its cost, but the cost is computed only
when it is asked for: on large boards it takes longer than the guess.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from keypeg.solver.books.book import book_of
from keypeg.solver.books.openings import best_opening, openings
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.levels import Way
from keypeg.solver.playing.beginner import guess_as_beginner
from keypeg.solver.position import FEW_AT_START, Position
from keypeg.solver.valuation import Certainty, Cost, book_certainty, judged_after, usual_cost

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.levels import Level


class ChosenGuess:
    """A guess, and what play from here costs with it."""

    def __init__(self, guess: Code, cost: Callable[[], Cost]) -> None:
        self.guess = guess
        self._cost = cost

    @cached_property
    def cost(self) -> Cost:
        """Computed when first asked for."""
        return self._cost()


def choose(position: Position, level: Level) -> ChosenGuess:
    """A guess as a player of `level` makes it. Listed codes must not all be ruled out."""
    if level.way is Way.FITTING:
        return _fitting_guess(position, level.slip)
    if level.way is Way.SPLITTING:
        return judged_guess(position)
    return best_guess(position)


def best_guess(position: Position) -> ChosenGuess:
    """The best guess that is known, or that can be found in the time given."""
    return (
        _book_guess(position)
        or _opening_guess(position)
        or _searched_guess(position)
        or judged_guess(position)
    )


def judged_guess(position: Position) -> ChosenGuess:
    """The guess that splits the codes best, judged one row ahead."""
    guess = _sampled_split(position) if position.space is None else _listed_split(position)
    return ChosenGuess(guess, lambda: _judged_cost(position, guess))


def cost_at_start(board: Board, *, seconds: float = 1.0) -> Cost:
    """What a whole game costs with the best play known, or found within `seconds`."""
    opening = best_opening(board)
    if opening is not None:
        return Cost(opening.total / board.codes, Certainty.PROVEN)
    book = book_of(board)
    if book is not None:
        return Cost(book.claim.total / board.codes, book_certainty(book))
    if board.codes <= FEW_AT_START:
        return best_guess(Position(board, seconds=seconds)).cost
    return Cost(usual_cost(board, board.codes), Certainty.ESTIMATE)


def _book_guess(position: Position) -> ChosenGuess | None:
    """From the shipped book, while the rows follow it."""
    book = book_of(position.board)
    guess = None if book is None else book.guess(position.history)
    if book is None or guess is None:
        return None
    return ChosenGuess(guess, lambda: Cost(book.cost(position.history), book_certainty(book)))


def _opening_guess(position: Position) -> ChosenGuess | None:
    """From the stored openings, which reach one row into a game."""
    if not position.history:
        found = best_opening(position.board)
    elif len(position.history) == 1:
        first, keys = position.history[0]
        found = (openings(position.board, first) or {}).get(keys)
    else:
        return None
    return found and ChosenGuess(
        found.guess, lambda: Cost(found.total / position.left.value, Certainty.PROVEN)
    )


def _searched_guess(position: Position) -> ChosenGuess | None:
    """By exact search, where it ends in time."""
    found = position.search(
        lambda solver, late: solver.best(position.remaining, position.symmetry, late)
    )
    return found and ChosenGuess(
        codespace(position.board).code(found.guess),
        lambda: Cost(found.total / len(position.remaining), Certainty.PROVEN),
    )


def _listed_split(position: Position) -> Code:
    from keypeg.solver.playing.strategies import RULES, choose  # noqa: PLC0415 - compiles

    space = codespace(position.board)
    return choose(space, position.remaining, position.symmetry, RULES["learned"]).code


def _sampled_split(position: Position) -> Code:
    from keypeg.solver.playing import sampling  # noqa: PLC0415 - compiles

    return sampling.play(
        position.board,
        position.history,
        seed=position.seed,
        seconds=position.seconds,
        cancelled=position.cancelled,
    ).guess


def _fitting_guess(position: Position, slip: float) -> ChosenGuess:
    guess = guess_as_beginner(
        position.board,
        position.history,
        slip=slip,
        seed=position.seed,
        cancelled=position.cancelled,
    )
    return ChosenGuess(guess, lambda: _judged_cost(position, guess))


def _judged_cost(position: Position, guess: Code) -> Cost:
    left = position.left
    if left.exact and left.value <= 2 and not position.breaks(guess):
        return Cost((left.value + 1) / 2, Certainty.PROVEN)
    return Cost(judged_after(position, guess).cost, Certainty.ESTIMATE)
