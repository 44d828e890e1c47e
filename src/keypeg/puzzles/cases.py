"""How much a person has to hold at once who solves a puzzle by cases: its load.

Where counting does not go on, somebody with paper goes through the readings of a row: which of its
pegs are in the right hole, and how many pegs of each of its colours the code shares. Each reading
is a case, followed by counting until a row can no longer be right, or one code is left, or it has
cases of its own. docs/puzzles.md defines the load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.puzzles.deduction import count_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.puzzles.codesets import CodeSet
    from keypeg.puzzles.deduction import PuzzleState


def load(state: PuzzleState, most: int, enough: int = 0, held: int = 1) -> int:
    """The least sum of steps to solve a puzzle, each step times the cases held at that time.

    It is exact from `enough` to `most`. If it is higher than `most`, the result is some number
    above `most`; if it is lower than `enough`, some number up to `enough`. `held` counts the cases
    that are held now, including this one.
    """
    state, steps = _counted(state)
    spent = held * (steps + 1)
    if state.solved or state.broken() is not None:
        return spent
    best = most + 1
    for cases in sorted(_splits(state), key=len):
        best = min(best, _together(state, cases, held + len(cases) - 1, best, spent))
        if best <= enough:
            break
    return best


def _together(state: PuzzleState, cases: list[CodeSet], held: int, most: int, spent: int) -> int:
    """The sum after all cases of a row have been gone through, but at most `most`."""
    for open_ones, codes in zip(range(len(cases), 0, -1), cases, strict=True):
        if spent + held * open_ones >= most:
            return most
        spent += load(state.among(codes), most - 1 - spent - held * (open_ones - 1), 0, held)
    return min(spent, most)


def _counted(state: PuzzleState) -> tuple[PuzzleState, int]:
    """What counting leads to, and in how many steps."""
    steps = 0
    while state.broken() is None:
        learned = next(filter(None, (count_row(state, row) for row in range(len(state.rows)))), ())
        if not learned:
            break
        state, steps = state.after(learned), steps + 1
    return state, steps


def _splits(state: PuzzleState) -> Iterator[list[CodeSet]]:
    """For each row that tells something, the codes of each of its readings."""
    for row in state.fitting:
        cases = [state.known & row.both]
        for fact in row.facts:
            halves = ((codes & fact.codes, codes & ~fact.codes) for codes in cases)
            cases = [half for both in halves for half in both if half]
        if cases != [state.known]:
            yield cases
