"""The grade of a puzzle, 1 to 5: how much is held at once, and how hard the hardest step is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.puzzles.cases import load
from keypeg.puzzles.deduction import Technique, begin, solution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.puzzles.codesets import CodeSets, PuzzleRow
    from keypeg.puzzles.deduction import PuzzleState

GRADES: Final = range(1, 6)
MOST_LOAD: Final = {2: 18, 3: 50, 4: 150}
"""The greatest load of a puzzle of these grades."""
HARDEST: Final = {
    1: Technique.COUNT,
    2: Technique.ROW,
    3: Technique.COMPARE,
    4: Technique.SUPPOSE,
    5: Technique.SUPPOSE,
}
"""The hardest technique that a puzzle of each grade may need; grade 1 has nothing else."""


def has_grade(sets: CodeSets, rows: Sequence[PuzzleRow], wanted: int) -> bool:
    """Whether a puzzle has a grade. It has none if its steps are too hard for its load."""
    puzzle = begin(sets, rows)
    if wanted > GRADES[0] and not _carries(puzzle, wanted):
        return False
    hardest, solved = Technique.COUNT, False
    for step, after in solution(sets, rows):
        hardest, solved = max(hardest, step.technique), after.solved
        if hardest > HARDEST[wanted]:
            return False
    return solved and (wanted == GRADES[0]) == (hardest is Technique.COUNT)


def _carries(puzzle: PuzzleState, wanted: int) -> bool:
    """Whether the load of a puzzle is that of a grade above the first."""
    less, most = MOST_LOAD.get(wanted - 1, 0), MOST_LOAD.get(wanted)
    if most is None:
        return load(puzzle, less, enough=less) > less
    return less < load(puzzle, most) <= most
