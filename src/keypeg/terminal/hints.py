"""Hints by grade, from the least helpful to the most; the solver finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import describe_code, format_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted
from keypeg.solver.fitting.consistent import count
from keypeg.solver.history import Clue, History
from keypeg.solver.suggest import Contradicted, row_names, suggest
from keypeg.store.events import Grade

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.game import Game
    from keypeg.solver.fitting.consistent import Count


@dataclass(frozen=True, slots=True)
class HintQuestion:
    """What a hint is asked about: the board, the rows answered, and the row being filled."""

    board: Board
    history: History
    row: Code | None = None
    numbers: tuple[int, ...] = ()
    """The numbers of the answered rows on the board."""

    @classmethod
    def about(cls, game: Game, row: Code | None = None) -> HintQuestion:
        """A question about a game as its breaker sees it."""
        history = tuple(Clue(*answered) for answered in game.answered)
        numbers = tuple(n for n, played in enumerate(game.rows, 1) if played.keys is not None)
        return cls(game.board, history, row, numbers)

    @property
    def clashes(self) -> tuple[int, ...]:
        """The answered rows, by their numbers, that the row being filled does not fit."""
        if self.row is None:
            return ()
        answered = zip(self.numbers, self.history, strict=True)
        return tuple(number for number, answer in answered if not answer.fits(self.row))


@dataclass(frozen=True, slots=True)
class ToldHint:
    """A hint in words, and what it says as data; None is what it does not say."""

    words: str
    left: Count | None = None
    """How many codes are left."""
    possible: bool | None = None
    """Whether the row being filled, or else the guess, may be the code."""
    clashes: tuple[int, ...] | None = None
    """The rows that it does not fit."""
    guess: Code | None = None


@dataclass(frozen=True, slots=True)
class HintKind:
    """One kind of hint, which may be about the row being filled."""

    grade: Grade
    offer: str
    tell: Callable[[HintQuestion], ToldHint]
    about_row: bool = False

    def check(self, question: HintQuestion) -> None:
        """Refuse a hint that cannot be given, before its use is recorded."""
        if self.about_row and question.row is None:
            raise AgainstTheRules("this hint is about your row; fill the row first")


def _left(question: HintQuestion) -> ToldHint:
    left = count(question.board, question.history)
    words = f"{left} code is left." if left.value == 1 else f"{left} codes are left."
    return ToldHint(words.capitalize(), left)


def _may_be(question: HintQuestion) -> ToldHint:
    possible = not question.clashes
    words = "Your row may be the code." if possible else "Your row cannot be the code."
    return ToldHint(words, possible=possible)


def _clash(question: HintQuestion) -> ToldHint:
    clashes = question.clashes
    if not clashes:
        return replace(_may_be(question), clashes=())
    rows = row_names(clashes)
    words = f"Your row does not fit the answer to {rows}, so it cannot be the code."
    return ToldHint(words, possible=False, clashes=clashes)


def _guess(level: str) -> Callable[[HintQuestion], ToldHint]:
    def tell(question: HintQuestion) -> ToldHint:
        board = question.board
        try:
            found = suggest(board, question.history, level)
        except Contradicted as error:
            return ToldHint(f"There is no guess to suggest: {error}.")
        breaks = tuple(question.numbers[row - 1] for row in found.breaks)
        code, named = format_code(found.guess, board), describe_code(found.guess, board)
        words = f"{code} ({named}). {replace(found, breaks=breaks).why}"
        return ToldHint(words, found.left, found.possible, breaks, found.guess)

    return tell


HINTS: Final = (
    HintKind(Grade.LEFT, "how many codes are left", _left),
    HintKind(Grade.MAY, "whether my row may be the code", _may_be, about_row=True),
    HintKind(Grade.CLASH, "which rows it contradicts", _clash, about_row=True),
    HintKind(Grade.GOOD, "a good guess", _guess("strong")),
    HintKind(Grade.BEST, "the best guess", _guess("perfect")),
)


def hint_named(word: str) -> HintKind:
    """The hint with this word or number; by default the first."""
    for number, hint in enumerate(HINTS, 1):
        if word in ("", hint.grade.value, str(number)):
            return hint
    there = ", ".join(hint.grade.value for hint in HINTS)
    raise CannotRead(f"no hint {quoted(word)}; there are {there}")
