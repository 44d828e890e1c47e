"""A position: a board, the rows played on it, and the codes that fit them.

On boards of up to LISTED codes those that fit are listed. On larger boards they are counted, and
the count says whether it is exact. Nothing is chosen or valued here.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from keypeg.rules.errors import CannotRead
from keypeg.solver.codes.codespace import Answers, codespace
from keypeg.solver.fitting.consistent import Count
from keypeg.solver.fitting.diagram import diagram
from keypeg.solver.history import broken_rows, check_history
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.codes.codespace import CodeSpace
    from keypeg.solver.codes.symmetry import Symmetry
    from keypeg.solver.exact.positions import PositionSolver
    from keypeg.solver.history import History

T = TypeVar("T")

LISTED: Final = 100_000
"""Boards of up to this many codes have them all listed."""

SMALL: Final = 3_000
"""Boards of up to this many codes are searched from any position."""

FEW_AT_START: Final = 1_300
"""Boards of up to this many codes are searched from the very start."""

FEW: Final = 150
"""On larger boards, up to this many codes left are worth trying to search."""

WIDTH: Final = 1 << 14
"""How wide a diagram is where codes cannot be listed: exact on most boards, and fast on all."""


class Position:
    """What is known after the rows of `history`, and how much may be spent on thinking.

    `seconds` limits each search, and `seed` decides what is drawn at random. When `cancelled`
    returns true, the work stops with Cancelled. The rows are checked here, and only here.
    """

    def __init__(
        self,
        board: Board,
        history: History = (),
        *,
        seconds: float = 1.0,
        seed: int = 0,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        check_history(history, board)
        if not 0 <= seconds < float("inf") or seed < 0:
            raise CannotRead("the seconds for a search and the seed must be 0 or more")
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

    @property
    def contradictory(self) -> bool:
        """Whether it is certain that no code fits."""
        return self.left.exact and self.left.value == 0

    def count(self, width: int) -> Count:
        """How many codes fit; where they are not listed, by a diagram of this width."""
        if self.space is not None:
            return Count(len(self.remaining), exact=True)
        found = diagram(
            self.board, self.history, width=width, seed=self.seed, cancelled=self.cancelled
        )
        return Count(found.count, found.exact)

    def split(self, guess: Code) -> dict[KeyPegs, Count]:
        """How many codes each answer to `guess` leaves."""
        if guess not in self._splits:
            self._splits[guess] = self._split(guess)
        return self._splits[guess]

    def _split(self, guess: Code) -> dict[KeyPegs, Count]:
        if self.space is None:
            found = diagram(
                self.board, self.history, split=guess, width=WIDTH, cancelled=self.cancelled
            )
            return {keys: Count(codes, found.exact) for keys, codes in found.answers.items()}
        counts = np.bincount(_answers(self.space, self.remaining, guess))
        named = self.space.answers.key_pegs
        return {named[n]: Count(int(counts[n]), exact=True) for n in np.flatnonzero(counts)}

    def breaks(self, guess: Code) -> tuple[int, ...]:
        """The rows, from 1, that `guess` does not fit."""
        return broken_rows(self.history, guess)

    @cached_property
    def space(self) -> CodeSpace | None:
        """All codes of the board, or None where they are too many to list."""
        return codespace(self.board) if self.board.codes <= LISTED else None

    @cached_property
    def remaining(self) -> NDArray[np.int32]:
        """The codes that fit, as places in the list of all codes."""
        space = codespace(self.board)
        remaining = space.everything
        for guess, keys in self.history:
            remaining = remaining[_answers(space, remaining, guess) == space.answers.number(keys)]
        return remaining

    @cached_property
    def symmetry(self) -> Symmetry:
        """The symmetry that the guesses made so far have left."""
        from keypeg.solver.codes.symmetry import Symmetry  # noqa: PLC0415 - compiles

        space = codespace(self.board)
        return Symmetry.of(space, tuple(space.index(guess) for guess, _ in self.history))

    def search(
        self, question: Callable[[PositionSolver, Callable[[], bool]], T | None]
    ) -> T | None:
        """What exact search answers, or None where the position is too large or time runs out.

        The question gets the board's solver, and a function that says when to stop.
        """
        solver = self._solver if self._searchable else None
        if solver is None:
            return None
        found = question(solver, self._deadline())
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("stopped while looking for a guess")
        return found

    @property
    def _searchable(self) -> bool:
        if self.space is None:
            return False
        many = len(self.remaining)
        most = SMALL if self.history else FEW_AT_START
        return many > 0 and (many <= FEW or self.board.codes <= most)

    @cached_property
    def _solver(self) -> PositionSolver | None:
        """The solver of the board's positions, or None where the board is too large for it."""
        from keypeg.solver.exact.engine import TooLarge  # noqa: PLC0415 - compiles
        from keypeg.solver.exact.positions import solver_of  # noqa: PLC0415

        try:
            return solver_of(codespace(self.board).board)
        except TooLarge:
            return None

    def _deadline(self) -> Callable[[], bool]:
        end = time.monotonic() + self.seconds
        return lambda: time.monotonic() > end or (self.cancelled is not None and self.cancelled())


def _answers(space: CodeSpace, codes: NDArray[np.int32], guess: Code) -> NDArray[np.int64]:
    """The number of the answer that `guess` gets from each code. Not compiled, so ready at once."""
    pegs, symbols = space.pegs[codes], [peg - space.board.symbols[0] for peg in guess]
    black = (pegs == np.array(symbols, np.uint8)).sum(axis=1)
    common = np.zeros(len(pegs), np.int64)
    for symbol in set(symbols):
        common += np.minimum((pegs == symbol).sum(axis=1), symbols.count(symbol))
    numbers = common * (common + 1) // 2 + black
    return np.asarray(np.minimum(numbers, Answers(len(guess)).solved), np.int64)
