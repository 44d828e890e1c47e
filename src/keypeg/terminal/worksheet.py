"""The rows of a real board, some of them ignored or corrected. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.solver.history import Clue, History, parse_clue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board
    from keypeg.solver.fitting.contradiction import Contradiction, RowRepair
    from keypeg.solver.suggest import Suggestion


@dataclass(frozen=True, slots=True)
class Line:
    """An answered row; an ignored one does not count."""

    answer: Clue
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Worksheet:
    """The lines in order, and what undo goes back to."""

    board: Board
    lines: tuple[Line, ...] = ()
    past: tuple[tuple[Line, ...], ...] = ()

    @property
    def answers(self) -> History:
        """Every row, ignored or not; row 1 is the first."""
        return tuple(line.answer for line in self.lines)

    @property
    def history(self) -> History:
        """The rows that count."""
        return tuple(line.answer for line in self.lines if not line.ignored)

    def add(self, answer: Clue) -> Worksheet:
        """Add a row."""
        return self._changed((*self.lines, Line(answer)))

    def undo(self) -> Worksheet:
        """As it was before the last change."""
        if not self.past:
            raise AgainstTheRules("there is nothing to undo")
        return replace(self, lines=self.past[-1], past=self.past[:-1])

    def ignore(self, number: int) -> Worksheet:
        """Ignore a row, or count it again."""
        line = self._line(number)
        return self._with(number, replace(line, ignored=not line.ignored))

    def correct(self, number: int, text: str) -> Worksheet:
        """Change a row: `GUESS=KEYS`, or only its key pegs."""
        guess = self._line(number).answer.guess
        if "=" in text:
            return self._with(number, Line(parse_clue(text, self.board)))
        return self._with(number, Line(Clue(guess, parse_key_pegs(text, self.board))))

    def numbered(self, rows: Iterable[int]) -> tuple[int, ...]:
        """Rows of the history, counted from 1, by their numbers on this sheet."""
        numbers = [number for number, line in enumerate(self.lines, 1) if not line.ignored]
        return tuple(numbers[row - 1] for row in rows)

    def contradiction(self, found: Contradiction) -> Contradiction:
        """The same with this sheet's row numbers."""
        return replace(found, rows=self.numbered(found.rows))

    def repairs(self, found: Iterable[RowRepair]) -> tuple[RowRepair, ...]:
        """The same with this sheet's row numbers."""
        return tuple(replace(one, row=self.numbered([one.row])[0]) for one in found)

    def suggestion(self, found: Suggestion) -> Suggestion:
        """The same with this sheet's row numbers."""
        return replace(found, breaks=self.numbered(found.breaks))

    def _line(self, number: int) -> Line:
        if not 1 <= number <= len(self.lines):
            there = f"rows 1 to {len(self.lines)}" if self.lines else "no rows yet"
            raise AgainstTheRules(f"there is no row {number}; there are {there}")
        return self.lines[number - 1]

    def _with(self, number: int, line: Line) -> Worksheet:
        return self._changed((*self.lines[: number - 1], line, *self.lines[number:]))

    def _changed(self, lines: tuple[Line, ...]) -> Worksheet:
        return replace(self, lines=lines, past=(*self.past, self.lines))
