"""Hints by grade, from the least helpful to the most; the solver finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import describe_code, format_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted
from keypeg.solver.fitting.consistent import count
from keypeg.solver.history import Clue, History
from keypeg.solver.suggest import Contradicted, suggest
from keypeg.store.events import Grade

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.game import Game


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
class HintKind:
    """One kind of hint, which may be about the row being filled."""

    grade: Grade
    offer: str
    tell: Callable[[HintQuestion], str]
    about_row: bool = False

    def check(self, question: HintQuestion) -> None:
        """Refuse a hint that cannot be given, before its use is recorded."""
        if self.about_row and question.row is None:
            raise AgainstTheRules("this hint is about your row; fill the row first")


def _left(question: HintQuestion) -> str:
    left = count(question.board, question.history)
    if left.value == 1:
        return f"{left} code is left.".capitalize()
    return f"{left} codes are left.".capitalize()


def _may_be(question: HintQuestion) -> str:
    return "Your row cannot be the code." if question.clashes else "Your row may be the code."


def _clash(question: HintQuestion) -> str:
    if not question.clashes:
        return _may_be(question)
    rows = ", ".join(str(row) for row in question.clashes)
    many = "rows" if len(question.clashes) > 1 else "row"
    return f"Your row does not fit the answer to {many} {rows}, so it cannot be the code."


def _guess(level: str) -> Callable[[HintQuestion], str]:
    def tell(question: HintQuestion) -> str:
        try:
            found = suggest(question.board, question.history, level)
        except Contradicted as error:
            return f"There is no guess to suggest: {error}."
        code, words = (
            format_code(found.guess, question.board),
            describe_code(found.guess, question.board),
        )
        breaks = tuple(question.numbers[row - 1] for row in found.breaks)
        return f"{code} ({words}). {replace(found, breaks=breaks).why}"

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
