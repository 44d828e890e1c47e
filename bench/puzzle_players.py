"""Simulated players of puzzles, which share nothing with the solver that grades them.

An eliminator notes which colours each hole may have, and how often each colour may occur. It may
suppose a colour in a hole, and one more inside that, as deep as it goes. A filler puts pegs into
the holes from left to right and takes them out again. Each stops when its budget is spent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.puzzles.codesets import PuzzleRow
    from keypeg.rules.board import Board


class GivesUp(Exception):
    """The budget is spent."""


class Wrong(Exception):
    """No code fits what was supposed."""


@dataclass
class Notes:
    """What a player has written down: pegs for each hole, and the least and most of each."""

    holes: list[set[int]]
    least: dict[int, int]
    most: dict[int, int]

    @classmethod
    def empty(cls, board: Board) -> Notes:
        pegs = list(board.symbols)
        most = board.holes if board.repeats else 1
        return cls(
            [set(pegs) for _ in range(board.holes)],
            dict.fromkeys(pegs, 0),
            dict.fromkeys(pegs, most),
        )

    def copy(self) -> Notes:
        return Notes([set(hole) for hole in self.holes], dict(self.least), dict(self.most))

    @property
    def size(self) -> int:
        return sum(map(len, self.holes)) + sum(self.most.values()) - sum(self.least.values())

    @property
    def done(self) -> bool:
        return all(len(hole) == 1 for hole in self.holes)


@dataclass
class Eliminator:
    """Supposes up to `depth` facts at a time, and looks at `budget` rows."""

    depth: int
    budget: int
    looks: int = field(default=0, init=False)

    def solves(self, board: Board, rows: Sequence[PuzzleRow]) -> bool:
        self.looks = 0
        notes = Notes.empty(board)
        try:
            self._settle(notes, rows)
            return notes.done or (self.depth > 0 and self._suppose(notes, rows, self.depth))
        except GivesUp:
            return False

    def _suppose(self, notes: Notes, rows: Sequence[PuzzleRow], depth: int) -> bool:
        """Try every colour in every hole until nothing is ruled out any more."""
        size = 0
        while size != notes.size and not notes.done:
            size = notes.size
            for hole, pegs in enumerate(notes.holes):
                for peg in sorted(pegs):
                    if (
                        len(pegs) > 1
                        and peg in pegs
                        and not self._may_be(notes, rows, hole, peg, depth)
                    ):
                        pegs.discard(peg)
                        self._settle(notes, rows)
        return notes.done

    def _may_be(
        self, notes: Notes, rows: Sequence[PuzzleRow], hole: int, peg: int, depth: int
    ) -> bool:
        trial = notes.copy()
        trial.holes[hole] = {peg}
        try:
            self._settle(trial, rows)
            if depth > 1:
                self._suppose(trial, rows, depth - 1)
        except Wrong:
            return False
        return True

    def _settle(self, notes: Notes, rows: Sequence[PuzzleRow]) -> None:
        """Look at all rows until none says anything new."""
        size = -1
        while size != notes.size:
            size = notes.size
            _balance(notes)
            for row in rows:
                self.looks += 1
                if self.looks > self.budget:
                    raise GivesUp
                _blacks(notes, row)
                _sum(notes, row)
            _balance(notes)


def _balance(notes: Notes) -> None:
    """Holes and counts agree, and the counts fill the code."""
    for peg in notes.least:
        sure = sum(hole == {peg} for hole in notes.holes)
        open_to = [hole for hole in notes.holes if peg in hole]
        notes.least[peg] = max(notes.least[peg], sure)
        notes.most[peg] = min(notes.most[peg], len(open_to))
        if notes.least[peg] > notes.most[peg]:
            raise Wrong
        if sure == notes.most[peg]:
            for hole in open_to:
                if len(hole) > 1:
                    hole.discard(peg)
        elif len(open_to) == notes.least[peg]:
            for hole in open_to:
                hole &= {peg}
    _bounded(notes, {peg: len(notes.holes) for peg in notes.least}, len(notes.holes))
    if not all(notes.holes):
        raise Wrong


def _sum(notes: Notes, row: PuzzleRow) -> None:
    guess, keys = row
    _bounded(notes, {peg: guess.count(peg) for peg in guess}, sum(keys))


def _bounded(notes: Notes, caps: dict[int, int], total: int) -> None:
    """The code has this many pegs of these colours, counting no more than its cap of each."""
    least = {peg: min(notes.least[peg], cap) for peg, cap in caps.items()}
    most = {peg: min(notes.most[peg], cap) for peg, cap in caps.items()}
    spare, short = total - sum(least.values()), sum(most.values()) - total
    if spare < 0 or short < 0:
        raise Wrong
    for peg, cap in caps.items():
        if least[peg] + spare < cap:
            notes.most[peg] = min(notes.most[peg], least[peg] + spare)
        notes.least[peg] = max(notes.least[peg], most[peg] - short)


def _blacks(notes: Notes, row: PuzzleRow) -> None:
    guess, keys = row
    sure = [hole for hole, peg in enumerate(guess) if notes.holes[hole] == {peg}]
    may = [hole for hole, peg in enumerate(guess) if peg in notes.holes[hole]]
    if len(sure) > keys.black or len(may) < keys.black:
        raise Wrong
    if len(sure) == keys.black:
        for hole in may:
            if hole not in sure:
                notes.holes[hole].discard(guess[hole])
    elif len(may) == keys.black:
        for hole in may:
            notes.holes[hole] &= {guess[hole]}


@dataclass
class Filler:
    """Fills the holes from left to right, and places at most `budget` pegs."""

    budget: int
    placed: int = field(default=0, init=False)

    def solves(self, board: Board, rows: Sequence[PuzzleRow]) -> bool:
        self.placed = 0
        try:
            return self._fill(board, rows, [])
        except GivesUp:
            return False

    def _fill(self, board: Board, rows: Sequence[PuzzleRow], code: list[int]) -> bool:
        if len(code) == board.holes:
            return True
        for peg in board.symbols:
            if not board.repeats and peg in code:
                continue
            self.placed += 1
            if self.placed > self.budget:
                raise GivesUp
            code.append(peg)
            if all(_may_fit(code, row, board.holes) for row in rows) and self._fill(
                board, rows, code
            ):
                return True
            code.pop()
        return False


def _may_fit(code: list[int], row: PuzzleRow, holes: int) -> bool:
    guess, (black, white) = row
    left = holes - len(code)
    same = sum(mine == theirs for mine, theirs in zip(code, guess, strict=False))
    both = sum(min(code.count(peg), guess.count(peg)) for peg in set(guess))
    return same <= black <= same + left and both <= black + white <= both + left


PLAYERS: Final[dict[str, Sequence[Eliminator | Filler]]] = {
    "eliminates only": [Eliminator(0, budget) for budget in (6, 12, 25, 1000)],
    "supposes once": [Eliminator(1, budget) for budget in (25, 50, 100, 200, 1000)],
    "supposes twice": [Eliminator(2, budget) for budget in (50, 200, 800, 3200)],
    "fills the holes": [Filler(budget) for budget in (15, 30, 60, 120, 240)],
}
"""Kinds of players, each with budgets from small to large."""


def failures(board: Board, rows: Sequence[PuzzleRow]) -> dict[str, float]:
    """For each kind, the share of its players that do not solve the puzzle."""
    return {
        kind: sum(not player.solves(board, rows) for player in players) / len(players)
        for kind, players in PLAYERS.items()
    }
