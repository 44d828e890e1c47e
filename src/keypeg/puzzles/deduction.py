"""How a person solves a puzzle: steps, each with the easiest technique that teaches something.

What is known is the set of codes that no step has ruled out. A fact is known if all of these codes
have it, or none. docs/puzzles.md defines the techniques and their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.puzzles.codesets import sets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.puzzles.codesets import CodeSet, CodeSets, Fact, PuzzleRow, RowSets


class Technique(IntEnum):
    """What a step does, from easy to hard."""

    COUNT = 1
    """Counts the key pegs of one row against what is known."""
    ROW = 2
    """Goes through all readings of one row."""
    COMPARE = 3
    """Compares the sums, or the black key pegs, of two rows."""
    SUPPOSE = 4
    """Supposes a fact, and finds a row that it breaks."""


MOST_INSIDE: Final = 30
"""The most steps that a supposition is followed."""


class Statement(NamedTuple):
    """A fact, or its contrary."""

    fact: Fact
    holds: bool


class Step(NamedTuple):
    """One deduction."""

    technique: Technique
    rows: tuple[int, ...]
    """The rows that are looked at, counted from 0."""
    learned: tuple[Statement, ...]
    supposed: tuple[Statement, ...] = ()
    """What turned out to be impossible."""
    inside: tuple[Step, ...] = ()
    """The steps from there to a broken row, which is the last one's."""


@dataclass(frozen=True, slots=True)
class PuzzleState:
    """A puzzle of which something is known."""

    sets: CodeSets
    rows: tuple[PuzzleRow, ...]
    fitting: tuple[RowSets, ...]
    known: CodeSet

    def after(self, statements: Sequence[Statement]) -> PuzzleState:
        """The same puzzle once these statements are known."""
        known = self.known
        for fact, holds in statements:
            known &= fact.codes if holds else ~fact.codes
        return self.among(known)

    def among(self, codes: CodeSet) -> PuzzleState:
        """The same puzzle when it is known that the code is one of these."""
        return PuzzleState(self.sets, self.rows, self.fitting, codes)

    def narrowed(self) -> PuzzleState:
        """The same without the codes that are ruled out, so that every set is smaller."""
        left = tuple(code for at, code in enumerate(self.sets.codes) if self.known >> at & 1)
        return begin(sets_of(self.sets.board, left), self.rows)

    @property
    def solved(self) -> bool:
        """Whether one code is left, or none."""
        return not self.known & (self.known - 1)

    def broken(self) -> int | None:
        """The first row that no code fits any more."""
        for number, row in enumerate(self.fitting):
            if not self.known & row.both:
                return number
        return None


def begin(sets: CodeSets, rows: Sequence[PuzzleRow]) -> PuzzleState:
    """A puzzle of which nothing is known."""
    return PuzzleState(sets, tuple(rows), tuple(map(sets.row, rows)), sets.every)


def count_row(state: PuzzleState, number: int) -> tuple[Statement, ...]:
    """What one row teaches by its counts: of colours by its sum, of places by its black pegs."""
    return (*_count_colours(state, number), *_count_places(state, number))


def _count_colours(state: PuzzleState, number: int) -> Iterator[Statement]:
    (guess, keys), known = state.rows[number], state.known
    first = state.sets.board.symbols[0]
    shares = []
    for peg in dict.fromkeys(guess):
        facts = state.sets.counts[peg - first][: guess.count(peg)]
        least = sum(not known & ~fact.codes for fact in facts)
        most = sum(bool(known & fact.codes) for fact in facts)
        shares.append((facts, least, most))
    spare = sum(keys) - sum(least for _, least, _ in shares)
    short = sum(most for _, _, most in shares) - sum(keys)
    for facts, least, most in shares:
        for index, fact in enumerate(facts[least:most], least + 1):
            if index > least + spare:
                yield Statement(fact, holds=False)
            elif index <= most - short:
                yield Statement(fact, holds=True)


def _count_places(state: PuzzleState, number: int) -> Iterator[Statement]:
    (guess, keys), known = state.rows[number], state.known
    first = state.sets.board.symbols[0]
    facts = [state.sets.places[hole][peg - first] for hole, peg in enumerate(guess)]
    possible = [fact for fact in facts if known & fact.codes]
    open_ones = [fact for fact in possible if known & ~fact.codes]
    if len(possible) == keys.black:
        yield from (Statement(fact, holds=True) for fact in open_ones)
    elif len(possible) - len(open_ones) == keys.black:
        yield from (Statement(fact, holds=False) for fact in open_ones)


def follows(left: CodeSet, known: CodeSet, facts: Sequence[Fact]) -> tuple[Statement, ...]:
    """The facts, not yet known, that all codes of a part of the known ones have, or none."""
    statements = []
    for fact in facts:
        true = left & fact.codes
        if not true:
            if known & fact.codes:
                statements.append(Statement(fact, holds=False))
        elif true == left and known & ~fact.codes:
            statements.append(Statement(fact, holds=True))
    return tuple(statements)


def easy_step(state: PuzzleState, hardest: Technique) -> Step | None:
    """The first step with the easiest technique up to `hardest` that does not suppose anything."""
    known, sets = state.known, state.sets
    for number in range(len(state.rows)):
        if statements := count_row(state, number):
            return Step(Technique.COUNT, (number,), statements)
    for number, row in enumerate(state.fitting):
        if statements := follows(known & row.both, known, sets.facts):
            return Step(Technique.ROW, (number,), statements)
    if hardest < Technique.COMPARE:
        return None
    for one, other in combinations(range(len(state.rows)), 2):
        mine, theirs = state.fitting[one], state.fitting[other]
        if statements := follows(known & mine.total & theirs.total, known, sets.count_facts):
            return Step(Technique.COMPARE, (one, other), statements)
        if statements := follows(known & mine.black & theirs.black, known, sets.place_facts):
            return Step(Technique.COMPARE, (one, other), statements)
    return None


def suppose(state: PuzzleState) -> Step | None:
    """The supposition that is refuted in the fewest steps; the first of them."""
    found: Step | None = None
    most = MOST_INSIDE
    for fact in state.sets.facts:
        if not state.known & fact.codes or not state.known & ~fact.codes:
            continue
        supposed = (Statement(fact, holds=True),)
        inside = _refuted(state.after(supposed), most)
        if inside is not None:
            most = len(inside) - 1
            learned = (Statement(fact, holds=False),)
            found = Step(Technique.SUPPOSE, (), learned, supposed, inside)
            if most == 0:
                break
    return found


def _refuted(state: PuzzleState, most: int) -> tuple[Step, ...] | None:
    """The steps to a row that no code fits; None if `most` steps do not lead to one."""
    steps: list[Step] = []
    while len(steps) < most:
        broken = state.broken()
        if broken is not None:
            return (*steps, Step(Technique.COUNT, (broken,), ()))
        step = easy_step(state, Technique.ROW)
        if step is None:
            return None
        steps.append(step)
        state = state.after(step.learned)
    return None


def solution(sets: CodeSets, rows: Sequence[PuzzleRow]) -> Iterator[tuple[Step, PuzzleState]]:
    """All deductions, each with the state after it."""
    state = begin(sets, rows)
    while not state.solved:
        step = easy_step(state, Technique.COMPARE)
        if step is None:
            state = state.narrowed()
            step = suppose(state)
        if step is None:
            return
        state = state.after(step.learned)
        yield step, state
