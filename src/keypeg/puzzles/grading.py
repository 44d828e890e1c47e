"""The grade of a puzzle, 1 to 5: how much work its deductions are, and how hard the hardest is."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Final

from keypeg.puzzles.deduction import Technique, solution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.puzzles.codesets import CodeSets, PuzzleRow
    from keypeg.puzzles.deduction import Step

GRADES: Final = range(1, 6)
MOST_WORK: Final = (8, 18, 36, 52)
"""The most work in a puzzle of grades 1 to 4."""
LEAST_GRADE: Final = {
    Technique.COUNT: 1,
    Technique.ROW: 2,
    Technique.COMPARE: 3,
    Technique.SUPPOSE: 4,
}
"""The least grade of a puzzle that needs a technique."""


def readings(row: PuzzleRow) -> int:
    """In how many ways the key pegs can belong to the pegs of a row: what it leaves open."""
    holes, (black, white) = len(row.guess), row.keys
    return comb(holes, black) * comb(holes - black, white)


def work(step: Step, rows: Sequence[PuzzleRow]) -> int:
    """1, and for each row gone through the binary digits of its readings; for all steps inside."""
    if step.technique is Technique.COUNT:
        return 1
    return (
        1
        + sum(readings(rows[number]).bit_length() for number in step.rows)
        + sum(work(one, rows) for one in step.inside)
    )


def grade(sets: CodeSets, rows: Sequence[PuzzleRow], most: int = GRADES[-1]) -> int | None:
    """The grade of a puzzle; None if it is above `most`, or the steps do not solve it."""
    found, total, solved = GRADES[0], 0, False
    for step, after in solution(sets, rows):
        total += work(step, rows)
        found = max(found, LEAST_GRADE[step.technique], 1 + sum(total > one for one in MOST_WORK))
        solved = after.solved
        if found > most:
            return None
    return found if solved else None
