"""What a guess costs: the guesses still to be made with it, and how certain that is.

A cost is averaged over the codes left, and the winning guess counts. It is exact where the
position can be searched in the time given, and on the boards whose openings are stored. Elsewhere
it is an estimate, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keypeg.rules.keypegs import solved
from keypeg.solver.books.openings import openings
from keypeg.solver.codes.codespace import Answers, codespace
from keypeg.solver.codes.costs import usual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.books.book import Book
    from keypeg.solver.fitting.consistent import Count
    from keypeg.solver.position import Position


class Certainty(Enum):
    """How sure a cost is."""

    PROVEN = "proven"
    UPPER_BOUND = "upper bound"
    ESTIMATE = "estimate"


class Cost(NamedTuple):
    """Guesses still to be made, on average, and how sure that number is."""

    guesses: float
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Remainder:
    """The codes that one answer leaves, and the guesses still to be made for each of them."""

    codes: Count
    cost: float


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a guess leads to, answer by answer. The answer that ends the game costs nothing."""

    remainders: Mapping[KeyPegs, Remainder]
    certainty: Certainty

    @property
    def codes(self) -> int:
        """How many codes the guess was judged on."""
        return sum(remainder.codes.value for remainder in self.remainders.values())

    @property
    def cost(self) -> float:
        """What play costs with this guess, on average over the codes."""
        ahead = sum(left.codes.value * left.cost for left in self.remainders.values())
        return 1 + ahead / max(self.codes, 1)


def after(position: Position, guess: Code) -> Aftermath:
    """What `guess` leads to: exact where possible, judged by size elsewhere."""
    totals = _stored_totals(position, guess) or _searched_totals(position, guess)
    if totals is None:
        return judged_after(position, guess)
    remainders = {
        keys: Remainder(codes, totals.get(keys, 0) / codes.value)
        for keys, codes in position.split(guess).items()
    }
    return Aftermath(remainders, Certainty.PROVEN)


def judged_after(position: Position, guess: Code) -> Aftermath:
    """What `guess` leads to, judged by how many codes each answer leaves."""
    won = solved(position.board)
    remainders = {
        keys: Remainder(codes, 0.0 if keys == won else usual_cost(position.board, codes.value))
        for keys, codes in position.split(guess).items()
    }
    return Aftermath(remainders, Certainty.ESTIMATE)


def _stored_totals(position: Position, guess: Code) -> dict[KeyPegs, int] | None:
    """The total of each answer to a first guess, on the boards whose openings are stored."""
    stored = None if position.history else openings(position.board, guess)
    if stored is None:
        return None
    return {keys: continuation.total for keys, continuation in stored.items()}


def _searched_totals(position: Position, guess: Code) -> dict[KeyPegs, int] | None:
    """The total of each answer by exact search, or None where that is not found in time."""
    space = codespace(position.board)
    totals = position.search(
        lambda solver, late: solver.after(
            position.remaining, space.index(guess), position.symmetry, late
        )
    )
    named = space.answers.key_pegs
    return None if totals is None else {named[answer]: total for answer, total in totals.items()}


def usual_cost(board: Board, codes: int) -> float:
    """What a position with this many codes left costs, judged by their number alone."""
    answers = Answers(board.holes).many
    return float(usual(np.array(codes, np.float64), answers)) / codes


def book_certainty(book: Book) -> Certainty:
    """How sure a book's own costs are."""
    least = book.claim.proven and book.claim.limit is None
    return Certainty.PROVEN if least else Certainty.UPPER_BOUND
