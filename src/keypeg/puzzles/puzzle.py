"""A puzzle: rows that exactly one code fits, none of them superfluous, made from a seed."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.puzzles.codesets import PuzzleRow, code_sets
from keypeg.puzzles.grading import GRADES, has_grade
from keypeg.puzzles.random_numbers import Numbers
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import score

if TYPE_CHECKING:
    from keypeg.puzzles.codesets import CodeSets
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

MOST_CODES: Final = 60_000
"""The most codes of a board with puzzles."""
MOST_SEED: Final = 999_999_999
MOST_TRIES: Final = 2_000
"""How many puzzles are made in search of one with the grade."""
MOST_FUTILE: Final = 500
"""After this many rows in a row that rule out nothing, no row drawn for a code will."""
MOST_HOPELESS: Final = 10
"""After this many such codes, the board has no such puzzle."""


class Puzzle(NamedTuple):
    """A puzzle, and the code that fits it."""

    board: Board
    grade: int
    seed: int
    rows: tuple[PuzzleRow, ...]
    code: Code


@lru_cache(maxsize=64)
def make_puzzle(board: Board, wanted: int, seed: int) -> Puzzle:
    """The puzzle of a seed; refused if the board is too large, or has none of this grade."""
    check_request(board, wanted, seed)
    sets, numbers = code_sets(board), Numbers(f"{board} {wanted} {seed}")
    tries = hopeless = 0
    while tries < MOST_TRIES and hopeless < MOST_HOPELESS:
        tries += 1
        secret = _drawn(board, numbers)
        drawn = _rows(sets, secret, _least_readings(board, wanted), numbers)
        if drawn is None:
            hopeless += 1
            continue
        rows = _needed(sets, drawn)
        if len(rows) <= board.rows and has_grade(sets, rows, wanted):
            return Puzzle(board, wanted, seed, rows, secret)
    raise AgainstTheRules(f"{board} has no puzzle of grade {wanted}; try a lower grade")


def check_request(board: Board, wanted: int, seed: int) -> None:
    """Raise an error if there is no such puzzle."""
    if board.codes > MOST_CODES:
        raise AgainstTheRules(
            f"{board} has {board.codes:,} codes; "
            f"puzzles are made on boards with at most {MOST_CODES:,}"
        )
    if wanted not in GRADES:
        raise AgainstTheRules(f"a puzzle has a grade from 1 to {GRADES[-1]}, not {wanted}")
    if not 0 <= seed <= MOST_SEED:
        raise AgainstTheRules(f"a seed is a number from 0 to {MOST_SEED}, not {seed}")


def _drawn(board: Board, numbers: Numbers) -> Code:
    pegs, code = list(board.symbols), []
    for _ in range(board.holes):
        peg = pegs[numbers.below(len(pegs))]
        code.append(peg)
        if not board.repeats:
            pegs.remove(peg)
    return tuple(code)


def _least_readings(board: Board, wanted: int) -> int:
    """Rows that can be read in fewer ways are left out: they say too much for a hard puzzle."""
    return {4: board.holes + 1, 5: 2 * board.holes}.get(wanted, 0)


def _readings(row: PuzzleRow) -> int:
    """In how many ways the key pegs can belong to the pegs of a row."""
    holes, (black, white) = len(row.guess), row.keys
    return comb(holes, black) * comb(holes - black, white)


def _rows(
    sets: CodeSets, secret: Code, least_readings: int, numbers: Numbers
) -> list[PuzzleRow] | None:
    """Rows drawn until one code fits them all, without those that rule out nothing.

    None if it is in vain.
    """
    left, rows, futile = sets.every, list[PuzzleRow](), 0
    while left & (left - 1):
        if futile == MOST_FUTILE:
            return None
        futile += 1
        guess = _drawn(sets.board, numbers)
        row = PuzzleRow(guess, score(secret, guess))
        if guess == secret or _readings(row) < least_readings:
            continue
        fewer = left & sets.row(row).both
        if fewer != left:
            left, futile = fewer, 0
            rows.append(row)
    return rows


def _needed(sets: CodeSets, rows: list[PuzzleRow]) -> tuple[PuzzleRow, ...]:
    """The rows without the superfluous ones, which are looked for from the first on."""
    fitting = [sets.row(row).both for row in rows]
    kept = list(range(len(rows)))
    for number in range(len(rows)):
        left = sets.every
        for other in kept:
            if other != number:
                left &= fitting[other]
        if not left & (left - 1):
            kept.remove(number)
    return tuple(rows[number] for number in kept)
