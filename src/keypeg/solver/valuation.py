"""What a history leaves to be done: the best next guess, and what any guess would cost.

Costs are guesses still to be made, averaged over the codes left, the winning one included.
They are exact where the position can be searched while one waits, and on the boards whose
openings are kept; elsewhere they are estimates, and say so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.keypegs import solved
from keypeg.solver.books.book import book_of
from keypeg.solver.books.openings import best_opening, openings
from keypeg.solver.codes.codespace import Answers, codespace
from keypeg.solver.codes.costs import usual
from keypeg.solver.fitting.consistent import Count, answers, count
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.books.book import Book
    from keypeg.solver.codes.codespace import CodeSpace
    from keypeg.solver.codes.symmetry import Symmetry
    from keypeg.solver.exact.positions import Positions
    from keypeg.solver.history import History

LISTED: Final = 100_000
"""Boards of up to so many codes have them all listed."""

SMALL: Final = 3_000
"""Boards of up to so many codes are searched from any position."""

FEW_AT_START: Final = 1_300
"""Boards of up to so many codes are searched from the very start."""

FEW: Final = 150
"""On larger boards, up to so many codes left are worth trying to search."""


WIDTH: Final = 1 << 14
"""How widely codes that cannot be listed are looked at: enough to be exact on most boards, and
soon done on all."""


class Certainty(Enum):
    """How sure a cost is."""

    PROVEN = "proven"
    UPPER_BOUND = "upper bound"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Best:
    """The best guess known, and what play from here costs with it."""

    guess: Code
    cost: float
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Cell:
    """What one answer leaves: so many codes, and the guesses still to be made for each."""

    codes: Count
    cost: float


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a guess leads to, answer by answer; the one that ends the game costs no more."""

    cells: Mapping[KeyPegs, Cell]
    certainty: Certainty

    @property
    def codes(self) -> int:
        """How many codes the guess was judged on."""
        return sum(cell.codes.value for cell in self.cells.values())

    @property
    def cost(self) -> float:
        """What play costs with this guess, on average over the codes."""
        ahead = sum(cell.codes.value * cell.cost for cell in self.cells.values())
        return 1 + ahead / max(self.codes, 1)


class Valuation:
    """What `history` leaves to be done on `board`."""

    def __init__(
        self,
        board: Board,
        history: History,
        *,
        seconds: float = 1.0,
        seed: int = 0,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.board = board
        self.history = history
        self.seconds = seconds
        self.seed = seed
        self.cancelled = cancelled
        self._splits: dict[Code, dict[KeyPegs, Count]] = {}

    @cached_property
    def left(self) -> Count:
        """How many codes fit."""
        return self.count(WIDTH)

    def count(self, width: int) -> Count:
        """How many codes fit, looked at as widely where they cannot be listed."""
        if self._space is not None:
            return Count(len(self._remaining), exact=True)
        return count(
            self.board, self.history, width=width, seed=self.seed, cancelled=self.cancelled
        )

    @property
    def listed(self) -> bool:
        """Whether the codes that fit are listed, so that their number is exact and soon there."""
        return self._space is not None

    def split(self, guess: Code) -> dict[KeyPegs, Count]:
        """How many codes each answer to `guess` leaves."""
        if guess not in self._splits:
            self._splits[guess] = self._split(guess)
        return self._splits[guess]

    def _split(self, guess: Code) -> dict[KeyPegs, Count]:
        if self._space is None:
            return answers(self.board, self.history, guess, width=WIDTH, cancelled=self.cancelled)
        pegs = self._space.pegs[self._remaining]
        told = np.bincount(answer_numbers(pegs, self._symbols(guess)))
        named = self._space.answers.key_pegs
        return {named[n]: Count(int(told[n]), exact=True) for n in np.flatnonzero(told)}

    def breaks(self, guess: Code) -> tuple[int, ...]:
        """The rows, from 1, that `guess` does not fit."""
        rows = enumerate(self.history, 1)
        return tuple(row for row, answer in rows if not answer.fits(guess))

    def best(self) -> Best:
        """The best guess that can be found in the time there is."""
        return self._known_best() or self.judged_best()

    def best_guess(self) -> Code:
        """The same guess without its cost, which on large boards takes longer than the guess."""
        known = self._known_best()
        return self.judged_guess() if known is None else known.guess

    def after(self, guess: Code) -> Aftermath:
        """What `guess` leads to."""
        return self._searched_after(guess) or self.judged_after(guess)

    def _known_best(self) -> Best | None:
        return self._kept_best() or self._searched_best()

    def _kept_best(self) -> Best | None:
        """From the openings that are kept, up to one row into a game on a board that has them."""
        if not self.history and (first_guess := best_opening(self.board)) is not None:
            return Best(first_guess.guess, first_guess.total / self.board.codes, Certainty.PROVEN)
        if len(self.history) != 1:
            return None
        first, keys = self.history[0]
        continuation = (openings(self.board, first) or {}).get(keys)
        if continuation is None:
            return None
        return Best(continuation.guess, continuation.total / self.left.value, Certainty.PROVEN)

    def _searched_best(self) -> Best | None:
        """By exact search, where it ends in time."""
        if self._space is None or not self._searchable:
            return None
        known = self._positions
        if known is None:
            return None
        found = known.best(self._remaining, self._symmetry, self._deadline())
        self._stop_if_cancelled()
        if found is None:
            return None
        cost = found.total / len(self._remaining)
        return Best(self._space.code(found.guess), cost, Certainty.PROVEN)

    def judged_best(self) -> Best:
        """The best guess as judged one row ahead, by how it splits the codes."""
        guess = self.judged_guess()
        if self.left.exact and self.left.value <= 2 and not self.breaks(guess):
            return Best(guess, (self.left.value + 1) / 2, Certainty.PROVEN)
        return Best(guess, self.judged_after(guess).cost, Certainty.ESTIMATE)

    def judged_guess(self) -> Code:
        """The same guess without its cost."""
        if self._space is None:
            from keypeg.solver.playing import sampling  # noqa: PLC0415 - compiles

            return sampling.play(
                self.board,
                self.history,
                seed=self.seed,
                seconds=self.seconds,
                cancelled=self.cancelled,
            ).guess
        from keypeg.solver.playing.strategies import RULES, choose  # noqa: PLC0415 - compiles

        return choose(self._space, self._remaining, self._symmetry, RULES["learned"]).code

    def _searched_after(self, guess: Code) -> Aftermath | None:
        """By exact search, where it ends in time, or from the openings that are kept."""
        if not self.history and (kept := openings(self.board, guess)) is not None:
            totals = {keys: continuation.total for keys, continuation in kept.items()}
            return self._aftermath(guess, totals)
        if self._space is None or not self._searchable:
            return None
        space, known = self._space, self._positions
        if known is None:
            return None
        found = known.after(self._remaining, space.index(guess), self._symmetry, self._deadline())
        self._stop_if_cancelled()
        if found is None:
            return None
        named = space.answers.key_pegs
        return self._aftermath(guess, {named[answer]: total for answer, total in found.items()})

    def _aftermath(self, guess: Code, totals: Mapping[KeyPegs, int]) -> Aftermath:
        cells = {
            keys: Cell(codes, totals.get(keys, 0) / codes.value)
            for keys, codes in self.split(guess).items()
        }
        return Aftermath(cells, Certainty.PROVEN)

    def judged_after(self, guess: Code) -> Aftermath:
        """What `guess` leads to as judged by how many codes each answer leaves."""
        won = solved(self.board)
        cells = {
            keys: Cell(codes, 0.0 if keys == won else usual_cost(self.board, codes.value))
            for keys, codes in self.split(guess).items()
        }
        return Aftermath(cells, Certainty.ESTIMATE)

    @cached_property
    def _space(self) -> CodeSpace | None:
        """All codes of the board, if they are few enough to list."""
        return codespace(self.board) if self.board.codes <= LISTED else None

    @cached_property
    def _remaining(self) -> NDArray[np.int32]:
        """The places of the codes that fit, on a board whose codes are listed."""
        space = codespace(self.board)
        remaining = space.everything
        for guess, keys in self.history:
            told = answer_numbers(space.pegs[remaining], self._symbols(guess))
            remaining = remaining[told == space.answers.number(keys)]
        return remaining

    def _symbols(self, guess: Code) -> Code:
        first = self.board.symbols[0]
        return tuple(peg - first for peg in guess)

    @cached_property
    def _symmetry(self) -> Symmetry:
        from keypeg.solver.codes.symmetry import Symmetry  # noqa: PLC0415 - compiles

        space = codespace(self.board)
        return Symmetry.of(space, tuple(space.index(guess) for guess, _ in self.history))

    @cached_property
    def _positions(self) -> Positions | None:
        """The board's positions, if the search takes such boards."""
        from keypeg.solver.exact.engine import TooLarge  # noqa: PLC0415 - compiles
        from keypeg.solver.exact.positions import positions  # noqa: PLC0415

        try:
            return positions(codespace(self.board).board)
        except TooLarge:
            return None

    @property
    def _searchable(self) -> bool:
        many = len(self._remaining)
        most = SMALL if self.history else FEW_AT_START
        return many > 0 and (many <= FEW or self.board.codes <= most)

    def _deadline(self) -> Callable[[], bool]:
        end = time.monotonic() + self.seconds
        return lambda: time.monotonic() > end or (self.cancelled is not None and self.cancelled())

    def _stop_if_cancelled(self) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("stopped while looking for a guess")


def answer_numbers(pegs: NDArray[np.uint8], guess: Code) -> NDArray[np.int64]:
    """The number of each code's answer to `guess`. Not compiled, so that it is there at once."""
    black = (pegs == np.array(guess, np.uint8)).sum(axis=1)
    common = np.zeros(len(pegs), np.int64)
    for symbol in set(guess):
        common += np.minimum((pegs == symbol).sum(axis=1), guess.count(symbol))
    numbers = common * (common + 1) // 2 + black
    return np.asarray(np.minimum(numbers, Answers(len(guess)).solved), np.int64)


def usual_cost(board: Board, codes: int) -> float:
    """What a position with so many codes left costs, judged by their number alone."""
    answers = Answers(board.holes).many
    return float(usual(np.array(codes, np.float64), answers)) / codes


def cost_at_start(board: Board, *, seconds: float = 1.0) -> tuple[float, Certainty]:
    """What a whole game costs with the best play known, or found within `seconds`."""
    opening = best_opening(board)
    if opening is not None:
        return opening.total / board.codes, Certainty.PROVEN
    book = book_of(board)
    if book is not None:
        return book.claim.total / board.codes, book_certainty(book)
    if board.codes <= FEW_AT_START:
        best = Valuation(board, (), seconds=seconds).best()
        return best.cost, best.certainty
    return usual_cost(board, board.codes), Certainty.ESTIMATE


def book_certainty(book: Book) -> Certainty:
    """How sure a book's own costs are."""
    least = book.claim.proven and book.claim.limit is None
    return Certainty.PROVEN if least else Certainty.UPPER_BOUND
