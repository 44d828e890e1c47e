"""The row that is being filled and not yet played: pegs, a cursor, what is held. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

Pegs = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A row in the making; None is a hole with nothing in it. `past` is what undo goes back to."""

    pegs: Pegs
    cursor: int = 0
    held: frozenset[int] = frozenset()
    past: tuple[Pegs, ...] = ()

    @classmethod
    def empty(cls, board: Board) -> Draft:
        """A row with nothing in it."""
        return cls((None,) * board.holes)

    @property
    def code(self) -> Code | None:
        """The code it holds, once every hole is filled."""
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
        """Put a peg at the cursor, and go on to the next empty hole if there is one."""
        placed = self._with(self.cursor, peg)
        return replace(placed, cursor=placed._next_empty())

    def point(self, hole: int) -> Draft:
        """Put the cursor on a hole."""
        return replace(self, cursor=hole % len(self.pegs))

    def move(self, step: int) -> Draft:
        """Move the cursor, round the ends."""
        return self.point(self.cursor + step)

    def change(self, step: int, board: Board) -> Draft:
        """Put the next or previous colour at the cursor, which stays."""
        symbols, peg = board.symbols, self.pegs[self.cursor]
        place = symbols.index(peg) + step if peg is not None else (0 if step > 0 else -1)
        return self._with(self.cursor, symbols[place % len(symbols)])

    def clear(self) -> Draft:
        """Take out the peg at the cursor."""
        return self._with(self.cursor, None)

    def back(self) -> Draft:
        """Take out the peg at the cursor, or else the one before it."""
        if self.pegs[self.cursor] is not None or self.cursor == 0:
            return self.clear()
        return self.move(-1).clear()

    def hold(self) -> Draft:
        """Let the peg at the cursor stay for the next row, or no longer."""
        return replace(self, held=self.held ^ {self.cursor})

    def undo(self) -> Draft:
        """The row as it was before the last change."""
        if not self.past:
            return self
        return replace(self, pegs=self.past[-1], past=self.past[:-1])

    def copy(self, code: Code) -> Draft:
        """The same pegs as an earlier row."""
        return replace(self, pegs=code, past=(*self.past, self.pegs))

    def following(self) -> Draft:
        """The next row: empty but for what is held."""
        kept = tuple(peg if hole in self.held else None for hole, peg in enumerate(self.pegs))
        row = Draft(kept, held=self.held)
        return replace(row, cursor=row._next_empty())

    def _with(self, hole: int, peg: int | None) -> Draft:
        pegs = (*self.pegs[:hole], peg, *self.pegs[hole + 1 :])
        return replace(self, pegs=pegs, past=(*self.past, self.pegs))

    def _next_empty(self) -> int:
        """The first empty hole from the cursor on, round the end; the next hole if none is."""
        holes = len(self.pegs)
        round_ = [(self.cursor + step) % holes for step in range(1, holes + 1)]
        if self.pegs[self.cursor] is None:
            return self.cursor
        return next((hole for hole in round_ if self.pegs[hole] is None), round_[0])
