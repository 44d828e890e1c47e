"""The row being filled, before it is played: its pegs, the cursor, which pegs are held. Pure.

`web/game/draft.js` is its twin in the browser; a test holds them together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

Pegs = tuple[int | None, ...]
"""None is an empty hole."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A row being filled; every change makes a new draft."""

    pegs: Pegs
    cursor: int = 0
    held: frozenset[int] = frozenset()
    """The holes whose pegs stay for the next row."""
    before: Draft | None = field(default=None, compare=False, repr=False)
    """What undo goes back to."""

    @classmethod
    def empty(cls, board: Board) -> Draft:
        """A row of empty holes."""
        return cls((None,) * board.holes)

    @property
    def code(self) -> Code | None:
        """The code, once every hole is filled."""
        filled = tuple(peg for peg in self.pegs if peg is not None)
        return filled if len(filled) == len(self.pegs) else None

    @property
    def lacking(self) -> str | None:
        """Why it cannot be played yet."""
        empty = self.pegs.count(None)
        if not empty:
            return None
        return "1 hole is empty." if empty == 1 else f"{empty} holes are empty."

    def place(self, peg: int) -> Draft:
        """Put a peg at the cursor, and move on to the next empty hole."""
        placed = self._with(self.cursor, peg)
        return replace(placed, cursor=placed._next_empty())

    def point(self, hole: int) -> Draft:
        """Move the cursor to a hole; it stops at the ends of the row."""
        return replace(self, cursor=min(max(hole, 0), len(self.pegs) - 1))

    def move(self, step: int) -> Draft:
        """Move the cursor by `step` holes."""
        return self.point(self.cursor + step)

    def change(self, step: int, board: Board) -> Draft:
        """Change the peg at the cursor to the next or previous colour, round and round."""
        symbols, peg = board.symbols, self.pegs[self.cursor]
        number = symbols.index(peg) + step if peg is not None else (0 if step > 0 else -1)
        return self._with(self.cursor, symbols[number % len(symbols)])

    def clear(self) -> Draft:
        """Take out the peg at the cursor, and hold it no longer."""
        return self._cleared(self.cursor)

    def back(self) -> Draft:
        """Take out the peg at the cursor; from an empty hole, the peg before it."""
        here = self.pegs[self.cursor] is not None or self.cursor == 0
        return self._cleared(self.cursor if here else self.cursor - 1)

    def hold(self) -> Draft:
        """Hold the peg at the cursor for the next row, or no longer."""
        if self.pegs[self.cursor] is None:
            return self
        return replace(self, held=self.held ^ {self.cursor}, before=self)

    def undo(self) -> Draft:
        """The row before the last change; moving the cursor is not a change."""
        return self.before or self

    def copy(self, code: Code) -> Draft:
        """The pegs of an earlier row."""
        return replace(self, pegs=code, before=self)

    def following(self) -> Draft:
        """The next row: empty except for what is held."""
        kept = tuple(peg if hole in self.held else None for hole, peg in enumerate(self.pegs))
        return Draft(kept, kept.index(None) if None in kept else 0, self.held)

    def _cleared(self, hole: int) -> Draft:
        return replace(self._with(hole, None), cursor=hole, held=self.held - {hole})

    def _with(self, hole: int, peg: int | None) -> Draft:
        return replace(self, pegs=(*self.pegs[:hole], peg, *self.pegs[hole + 1 :]), before=self)

    def _next_empty(self) -> int:
        """The next empty hole after the cursor, or else the first; in a full row the next hole."""
        empty = [hole for hole, peg in enumerate(self.pegs) if peg is None]
        after = [hole for hole in empty if hole > self.cursor]
        return next(iter(after or empty), min(self.cursor + 1, len(self.pegs) - 1))


BY_KEY: Final[dict[str, Callable[[Draft, Board], Draft]]] = {
    "left": lambda draft, _: draft.move(-1),
    "right": lambda draft, _: draft.move(1),
    "next": lambda draft, board: draft.change(1, board),
    "previous": lambda draft, board: draft.change(-1, board),
    "clear": lambda draft, _: draft.back(),
    "clear-here": lambda draft, _: draft.clear(),
    "hold": lambda draft, _: draft.hold(),
    "undo": lambda draft, _: draft.undo(),
}
"""What the keys do to a draft, by the names that the browser has for it."""
