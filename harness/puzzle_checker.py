"""Checks puzzles against docs/puzzles.md, with arrays of all codes, without keypeg.puzzles."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

    Codes = NDArray[np.bool_]
    Claims = list[tuple[int, bool]]

COUNT, ROW, COMPARE, SUPPOSE = range(1, 5)
LIMITS: Final = (0, 18, 50, 150)
MOST_STEPS: Final = 30


class CheckedPuzzle:
    """A puzzle, to be asked what its claims are worth."""

    def __init__(self, board: Board, rows: list[tuple[Code, KeyPegs]]) -> None:
        self.board, self.rows = board, rows
        self.codes, self.facts, self.places = _table(board)
        answers = [_answers(board, guess) for guess, _ in rows]
        keys = [(sum(answer), answer.black) for _, answer in rows]
        self.totals = [
            found.sum(1) == total for found, (total, _) in zip(answers, keys, strict=True)
        ]
        self.blacks = [
            found[:, 0] == black for found, (_, black) in zip(answers, keys, strict=True)
        ]
        self.fits = [total & black for total, black in zip(self.totals, self.blacks, strict=True)]
        times = range(1, (board.holes + 1) // 2 + 1)
        self.noted = [
            self.places + board.holes * peg + time - 1
            for peg in range(len(board.symbols))
            for time in times
        ]
        self.shares = [self._shares(guess) for guess, _ in rows]
        self.readings = [self._readings(guess) for guess, _ in rows]

    def codes_without(self, row: int | None = None) -> list[Code]:
        """The codes that fit all rows, or all but one."""
        left = np.ones(len(self.codes), bool)
        for number, fits in enumerate(self.fits):
            if number != row:
                left &= fits
        return [self.codes[at] for at in np.flatnonzero(left)]

    def grade(self) -> int | None:
        """The grade by docs/puzzles.md; None if it has none."""
        known = np.ones(len(self.codes), bool)
        hardest = COUNT
        while known.sum() > 1:
            step = self._easy(known, COMPARE) or self._suppose(known)
            if step is None:
                return None
            technique, claims = step
            hardest = max(hardest, technique)
            known = self._with(known, claims)
        if hardest == COUNT:
            return 1
        load = self.load()
        grade = 1 + sum(load > limit for limit in LIMITS)
        return grade if hardest <= grade else None

    def load(self, most: int = LIMITS[-1]) -> int:
        """Steps of the cases, each times the cases held then; the least over the rows to go by.

        Above `most`, it is not looked for any further.
        """
        return self._least(np.ones(len(self.codes), bool), 1, most)

    def _least(self, known: Codes, held: int, most: int) -> int:
        steps = 1
        while self._possible(known) and (claims := self._counting(known)):
            known, steps = self._with(known, claims), steps + 1
        if known.sum() == 1 or not self._possible(known):
            return held * steps
        least = most + 1
        for kinds in sorted(self._splits(known), key=len):
            then, spent = held + len(kinds) - 1, held * steps
            for at, kind in enumerate(kinds):
                spare = least - 1 - spent - then * (len(kinds) - at - 1)
                if spare < then:
                    spent = least
                    break
                spent += self._least(kind, then, spare)
            least = min(least, spent)
        return least

    def _splits(self, known: Codes) -> Iterator[list[Codes]]:
        """For each row that rules out or divides codes, those of each of its readings."""
        for fits, readings in zip(self.fits, self.readings, strict=True):
            left = known & fits
            kinds = np.unique(readings[left])
            if len(kinds) > 1 or left.sum() < known.sum():
                yield [left & (readings == kind) for kind in kinds]

    def _possible(self, known: Codes) -> bool:
        return all((known & fits).any() for fits in self.fits)

    def _counting(self, known: Codes) -> Claims:
        """What the first row teaches that teaches anything by counting."""
        has = self.facts @ known
        lacks = known.sum() - has
        for number in range(len(self.rows)):
            if claims := list(self._count(number, has > 0, lacks == 0)):
                return claims
        return []

    def _easy(self, known: Codes, hardest: int) -> tuple[int, Claims] | None:
        everything = [*range(self.places), *self.noted]
        if claims := self._counting(known):
            return COUNT, claims
        for fits in self.fits:
            if claims := self._follow(known, fits, everything):
                return ROW, claims
        if hardest < COMPARE:
            return None
        for one, other in combinations(range(len(self.rows)), 2):
            for kind, facts in (
                (self.totals, self.noted),
                (self.blacks, list(range(self.places))),
            ):
                if claims := self._follow(known, kind[one] & kind[other], facts):
                    return COMPARE, claims
        return None

    def _suppose(self, known: Codes) -> tuple[int, Claims] | None:
        fewest, best = MOST_STEPS + 1, -1
        for fact in (*range(self.places), *self.noted):
            codes = self.facts[fact]
            if 0 < (codes & known).sum() < known.sum():
                found = self._refuted(known & codes, fewest - 1)
                if found is not None:
                    fewest, best = found, fact
        return None if best < 0 else (SUPPOSE, [(best, False)])

    def _refuted(self, known: Codes, most: int) -> int | None:
        """How many steps, up to `most`, lead to a row that no code fits."""
        for steps in range(1, most + 1):
            if not self._possible(known):
                return steps
            step = self._easy(known, ROW)
            if step is None:
                return None
            known = self._with(known, step[1])
        return None

    def _count(self, number: int, possible: Codes, sure: Codes) -> Iterator[tuple[int, bool]]:
        guess, (black, white) = self.rows[number]
        shares = self.shares[number]
        least = {peg: sum(sure[facts]) for peg, facts in shares.items()}
        most = {peg: sum(possible[facts]) for peg, facts in shares.items()}
        for peg, facts in shares.items():
            at_most = black + white - (sum(least.values()) - least[peg])
            at_least = black + white - (sum(most.values()) - most[peg])
            for times, fact in enumerate(facts, 1):
                if possible[fact] and not sure[fact]:
                    if times > at_most:
                        yield fact, False
                    elif times <= at_least:
                        yield fact, True
        pegs = len(self.board.symbols)
        holes = [hole * pegs + self.board.symbols.index(peg) for hole, peg in enumerate(guess)]
        may, must = (
            [fact for fact in holes if possible[fact]],
            [fact for fact in holes if sure[fact]],
        )
        if black in (len(may), len(must)):
            yield from ((fact, black == len(may)) for fact in may if fact not in must)

    def _shares(self, guess: Code) -> dict[int, list[int]]:
        """For each colour of a guess, the facts that the code has it at least 1, 2, ... times."""
        board = self.board
        first = {peg: self.places + board.holes * at for at, peg in enumerate(board.symbols)}
        return {peg: [first[peg] + k for k in range(guess.count(peg))] for peg in guess}

    def _readings(self, guess: Code) -> Any:
        """A number for each code: which pegs of a guess are in place, how many of each colour."""
        codes = np.array(self.codes)
        marks = [codes[:, hole] == peg for hole, peg in enumerate(guess)]
        shared = [np.minimum((codes == peg).sum(1), guess.count(peg)) for peg in set(guess)]
        numbers = np.zeros(len(codes), np.int64)
        for mark in (*marks, *shared):
            numbers = numbers * (self.board.holes + 1) + mark
        return numbers

    def _follow(self, known: Codes, fits: Codes, facts: list[int]) -> Claims:
        left = known & fits
        table = _Facts(self.facts[facts])
        before, after = table @ known, table @ left
        all_before, all_after = known.sum(), left.sum()
        learned = []
        for at, fact in enumerate(facts):
            if 0 < before[at] < all_before and after[at] in (0, all_after):
                learned.append((fact, bool(after[at])))
        return learned

    def _with(self, known: Codes, claims: Claims) -> Codes:
        for fact, holds in claims:
            known = known & (self.facts[fact] == holds)
        return known


@cache
def _table(board: Board) -> tuple[list[Code], Any, int]:
    """Every code; for each fact, of which codes it is true; and how many facts are places."""
    drawn = product(board.symbols, repeat=board.holes)
    codes = [code for code in drawn if board.repeats or len(set(code)) == board.holes]
    array = np.array(codes)
    places = [array[:, hole] == peg for hole in range(board.holes) for peg in board.symbols]
    times = range(1, board.holes + 1)
    counts = [(array == peg).sum(1) >= least for peg in board.symbols for least in times]
    return codes, _Facts(np.array([*places, *counts])), len(places)


class _Facts:
    """A table of facts that counts in how many of some codes each is true."""

    def __init__(self, table: Codes) -> None:
        self._table = table
        self._numbers = table.astype(np.float32)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, at: Any) -> Any:
        return self._table[at]

    def __matmul__(self, codes: Codes) -> Any:
        return self._numbers @ codes.astype(np.float32)


@cache
def _answers(board: Board, guess: Code) -> Any:
    """The black key pegs of a guess, and its white ones, against every code."""
    codes = np.array(_table(board)[0])
    black = (codes == np.array(guess)).sum(1)
    both = sum(np.minimum((codes == peg).sum(1), guess.count(peg)) for peg in set(guess))
    return np.stack([black, both - black], 1)
