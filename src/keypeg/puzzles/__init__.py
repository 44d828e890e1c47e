"""Deduction puzzles: rows that exactly one code fits, graded by how a person would solve them.

This package imports only the rules and the standard library. `web/game/puzzles/` makes the same
puzzles in the browser from the same seeds; docs/puzzles.md defines both.
"""

from keypeg.puzzles.codesets import PuzzleRow
from keypeg.puzzles.grading import GRADES
from keypeg.puzzles.puzzle import MOST_SEED, Puzzle, make_puzzle
from keypeg.puzzles.wording import hints, key_words, wrong_try

__all__ = (
    "GRADES",
    "MOST_SEED",
    "Puzzle",
    "PuzzleRow",
    "hints",
    "key_words",
    "make_puzzle",
    "wrong_try",
)
