"""Deductions and answers in words. `web/game/puzzles/wording.js` has the same sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.puzzles.codesets import code_sets
from keypeg.puzzles.deduction import Technique, solution
from keypeg.rules.colours import BLANK
from keypeg.rules.errors import counted
from keypeg.rules.keypegs import KeyPegs, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.puzzles.codesets import Fact, PuzzleRow
    from keypeg.puzzles.deduction import Statement, Step
    from keypeg.puzzles.puzzle import Puzzle
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code


def hints(puzzle: Puzzle) -> list[str]:
    """All deductions that solve a puzzle, in words."""
    steps = [step for step, _ in solution(code_sets(puzzle.board), puzzle.rows)]
    told = [describe_step(step, puzzle.rows, puzzle.board) for step in steps]
    return [*told, "Now only one code fits."]


def describe_step(step: Step, rows: Sequence[PuzzleRow], board: Board) -> str:
    """One deduction in words."""
    if step.technique is Technique.SUPPOSE:
        return _supposition(step, board)
    if step.technique is Technique.COUNT:
        return _counting(step, rows[step.rows[0]].keys, board)
    told = _statements(step.learned, board)
    if step.technique is Technique.ROW:
        return f"In every way in which row {step.rows[0] + 1} can be right: {told}."
    one, other = step.rows
    of_places = step.learned[0].fact.hole is not None
    what = f"{board.dark_key_peg} key peg" if of_places else "key peg"
    first, second = (
        counted(keys.black if of_places else sum(keys), what)
        for keys in (rows[one].keys, rows[other].keys)
    )
    return (
        f"Compare row {one + 1} ({first}) with row {other + 1} ({second}). "
        f"Whatever fits both: {told}."
    )


def wrong_try(puzzle: Puzzle, code: Code) -> str | None:
    """The first row that a code breaks, in words; None if it breaks none."""
    for number, (guess, keys) in enumerate(puzzle.rows, 1):
        would = score(code, guess)
        if would != keys:
            board = puzzle.board
            has = key_words(keys, board)
            return f"Row {number} would have {key_words(would, board)}, but it has {has}."
    return None


def key_words(keys: KeyPegs, board: Board) -> str:
    """Key pegs in words: `1 black and 2 white`, `3 white`, `no key pegs`."""
    named = ((keys.black, board.dark_key_peg), (keys.white, "white"))
    return " and ".join(f"{number} {name}" for number, name in named if number) or "no key pegs"


def _counting(step: Step, keys: KeyPegs, board: Board) -> str:
    row = step.rows[0] + 1
    kinds = [(of_places, holds) for of_places in (False, True) for holds in (False, True)]
    alike = [
        [one for one in _telling(step.learned) if (one.fact.hole is not None, one.holds) == kind]
        for kind in kinds
    ]
    return " ".join(
        f"{_reason(row, keys, board, statements[0])}: {_statements(statements, board)}."
        for statements in alike
        if statements
    )


def _reason(row: int, keys: KeyPegs, board: Board, statement: Statement) -> str:
    """Why counting shows this."""
    if statement.fact.hole is None:
        if not sum(keys):
            return f"Row {row} has no key pegs"
        total = _all_of(sum(keys), "key peg")
        if statement.holds:
            return f"Row {row} cannot get its {total} otherwise"
        leave = "leaves" if sum(keys) == 1 else "leave"
        return f"The {total} of row {row} {leave} no room for more"
    if not keys.black:
        return f"Row {row} has no {board.dark_key_peg} key pegs"
    dark = _all_of(keys.black, f"{board.dark_key_peg} key peg")
    if statement.holds:
        return f"Row {row} cannot get its {dark} otherwise"
    where = "belongs to another hole" if keys.black == 1 else "belong to other holes"
    return f"The {dark} of row {row} {where}"


def _all_of(number: int, noun: str) -> str:
    """`only key peg`, `2 key pegs`."""
    return f"only {noun}" if number == 1 else counted(number, noun)


def _supposition(step: Step, board: Board) -> str:
    *then, last = step.inside
    broken = f"row {last.rows[0] + 1} cannot be right"
    chain = "".join(
        f" By row {one.rows[0] + 1}: {_statements(one.learned, board)}." for one in then
    )
    ending = f" Now {broken}." if chain else f" Then {broken}."
    supposed, learned = _statements(step.supposed, board), _statements(step.learned, board)
    return f"Suppose: {supposed}.{chain}{ending} So: {learned}."


def _statements(statements: Sequence[Statement], board: Board) -> str:
    return ", ".join(_statement(fact, holds, board) for fact, holds in _telling(statements))


def _telling(statements: Sequence[Statement]) -> list[Statement]:
    """Statements without those that follow from others among them."""
    filled = {fact.hole for fact, holds in statements if holds}
    absent = {fact.peg for fact, holds in statements if not holds and _is_any(fact)}
    telling: dict[tuple[int | None, int, bool], Statement] = {}
    for statement in statements:
        fact, holds = statement
        if fact.hole is not None and not holds and (fact.hole in filled or fact.peg in absent):
            continue
        key = (fact.hole, fact.peg, holds)
        if holds or key not in telling:
            telling[key] = statement
    return list(telling.values())


def _is_any(fact: Fact) -> bool:
    """Whether it says that there is a peg of a colour at all."""
    return fact.hole is None and fact.times == 1


def _statement(fact: Fact, holds: bool, board: Board) -> str:
    name = "blank" if fact.peg == BLANK else board.palette[fact.peg - 1].name
    if fact.hole is not None:
        return f"hole {fact.hole + 1} is {'' if holds else 'not '}{name}"
    noun = "blank" if fact.peg == BLANK else f"{name} peg"
    if holds:
        return f"at least {counted(fact.times, noun)}"
    return f"at most {counted(fact.times - 1, noun)}" if fact.times > 1 else f"no {noun}s"
