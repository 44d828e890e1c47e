"""Sets of codes as integers, with a bit for each code of a board.

What a row says, and everything that can be known of a code, is such a set. What follows from what
is then an `&` and a comparison.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, permutations, product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

CodeSet = int


class PuzzleRow(NamedTuple):
    """A row of a puzzle: a guess and its answer."""

    guess: Code
    keys: KeyPegs


class Fact(NamedTuple):
    """Something that is true or false of a code: a peg in a hole, or at least n of a colour."""

    hole: int | None
    peg: int
    times: int
    """n: at least this many pegs of the colour; 1 for a peg in a hole."""
    codes: CodeSet
    """The codes of which it is true."""


class RowSets(NamedTuple):
    """The codes that fit a row: the sum of its key pegs, its black ones, and both."""

    total: CodeSet
    black: CodeSet
    both: CodeSet
    facts: tuple[Fact, ...]
    """What its readings differ by: its pegs in their holes, and how many of each colour."""


class CodeSets(NamedTuple):
    """The codes of a board, and the facts about them in the order in which they are tried."""

    board: Board
    codes: tuple[Code, ...]
    every: CodeSet
    places: tuple[tuple[Fact, ...], ...]
    """For each hole, the facts that a peg is in it, in the order of `board.symbols`."""
    counts: tuple[tuple[Fact, ...], ...]
    """For each of `board.symbols`, the facts that the code has at least 1, 2, ... of it."""

    place_facts: tuple[Fact, ...]
    count_facts: tuple[Fact, ...]
    """Counts up to half of the holes, rounded up; nobody looks for "at most 3 of 4 are red"."""
    facts: tuple[Fact, ...]
    """Places by hole and peg, then counts by peg and number."""

    def row(self, row: PuzzleRow) -> RowSets:
        """The codes that fit a row."""
        guess, (black, white) = row
        first = self.board.symbols[0]
        matched = [self.places[hole][peg - first] for hole, peg in enumerate(guess)]
        shared = [
            self.counts[peg - first][guess[:hole].count(peg)] for hole, peg in enumerate(guess)
        ]
        blacks = _exactly(black, [fact.codes for fact in matched], self.every)
        total = _exactly(black + white, [fact.codes for fact in shared], self.every)
        return RowSets(total, blacks, total & blacks, (*matched, *shared))

    def only(self, codes: CodeSet) -> Code:
        """The code of a set with one code."""
        return self.codes[codes.bit_length() - 1]


@lru_cache(maxsize=8)
def code_sets(board: Board) -> CodeSets:
    """The sets of a board's codes."""
    pegs, holes = board.symbols, board.holes
    every = product(pegs, repeat=holes) if board.repeats else permutations(pegs, holes)
    return sets_of(board, tuple(every))


def sets_of(board: Board, codes: tuple[Code, ...]) -> CodeSets:
    """The sets of these codes of a board."""
    pegs, holes = board.symbols, range(board.holes)
    columns = list(zip(*codes, strict=True))
    places = tuple(
        tuple(Fact(hole, peg, 1, _set(value == peg for value in columns[hole])) for peg in pegs)
        for hole in holes
    )
    every = (1 << len(codes)) - 1
    counts = tuple(
        tuple(
            Fact(None, peg, times, _at_least(times, [row[index].codes for row in places], every))
            for times in range(1, board.holes + 1)
        )
        for index, peg in enumerate(pegs)
    )
    place_facts = tuple(chain.from_iterable(places))
    worth_noting = (board.holes + 1) // 2
    count_facts = tuple(fact for row in counts for fact in row if fact.times <= worth_noting)
    facts = (*place_facts, *count_facts)
    return CodeSets(board, codes, every, places, counts, place_facts, count_facts, facts)


def _set(members: Iterable[bool]) -> CodeSet:
    return int("".join("1" if one else "0" for one in members)[::-1], 2)


def _at_least(times: int, sets: Sequence[CodeSet], every: CodeSet) -> CodeSet:
    """The codes that are in at least this many of the sets."""
    found = every
    for fewer in range(times):
        found &= ~_exactly(fewer, sets, every)
    return found


def _exactly(times: int, sets: Sequence[CodeSet], every: CodeSet) -> CodeSet:
    """The codes that are in exactly this many of the sets."""
    found = [every] + [0] * times
    for one in sets:
        for count in range(times, 0, -1):
            found[count] = (found[count] & ~one) | (found[count - 1] & one)
        found[0] &= ~one
    return found[times]
