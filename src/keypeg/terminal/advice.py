"""Suggestions and contradictions, for a person or a program to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keypeg.rules.code import Form, describe_code, format_code
from keypeg.rules.keypegs import describe_key_pegs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.board import Board
    from keypeg.solver.fitting.consistent import Count
    from keypeg.solver.fitting.contradiction import Contradiction, RowRepair
    from keypeg.solver.history import History
    from keypeg.solver.suggest import Suggestion

MOST_REPAIRS = 5
"""Answers listed for a row that may be wrong; the others leave fewer codes."""


def suggestion_lines(found: Suggestion, board: Board) -> Iterator[str]:
    """A suggestion for a person to read."""
    yield f"{format_code(found.guess, board)}   ({describe_code(found.guess, board)})"
    yield found.why
    if found.cost is not None and found.certainty is not None:
        yield (
            f"Guesses to go, this one included: {found.cost:.3f} on average "
            f"({found.certainty.value})."
        )


def suggestion_data(found: Suggestion, board: Board) -> dict[str, Any]:
    """A suggestion for a program."""
    return {
        "guess": format_code(found.guess, board),
        "letters": format_code(found.guess, board, Form.LETTERS),
        "digits": format_code(found.guess, board, Form.DIGITS),
        "level": found.level.name,
        "candidates": found.left.value,
        "exact": found.left.exact,
        "possible": found.possible,
        "contradicts": list(found.breaks),
        "groups": found.groups,
        "largest": found.largest.value,
        "expected_guesses": found.cost,
        "certainty": found.certainty and found.certainty.value,
        "why": found.why,
    }


def check_lines(
    left: Count,
    found: Contradiction | None,
    mended: Sequence[RowRepair],
    history: History,
    board: Board,
) -> Iterator[str]:
    """Whether codes fit, for a person to read."""
    if found is None:
        yield f"{left} code fits." if left.value == 1 else f"{left} codes fit."
        return
    yield "No code fits."
    yield (
        "These rows contradict each other:"
        if len(found.rows) > 1
        else "This row alone is impossible:"
    )
    for row in found.rows:
        guess, keys = history[row - 1]
        yield f"  row {row}: {format_code(guess, board)}   {describe_key_pegs(keys, board)}"
    if not mended:
        yield "Changing one answer is not enough: two or more are wrong."
        return
    yield "If only one answer is wrong, it is one of these:"
    for row in found.rows:
        choices = [repair for repair in mended if repair.row == row]
        for repair in choices[:MOST_REPAIRS]:
            answer = describe_key_pegs(repair.keys, board)
            yield f"  row {row} should be {answer}, which leaves {repair.codes}"
        others = len(choices) - MOST_REPAIRS
        if others > 0:
            leave = "other answer leaves" if others == 1 else "other answers leave"
            yield f"  row {row}: {others} {leave} fewer"


def check_data(
    left: Count, found: Contradiction | None, mended: Sequence[RowRepair]
) -> dict[str, Any]:
    """Whether codes fit, for a program; rows are numbered from 1."""
    return {
        "consistent": found is None,
        "candidates": left.value,
        "exact": left.exact,
        "contradiction": None if found is None else list(found.rows),
        "smallest": None if found is None else found.smallest,
        "repairs": [
            {
                "row": repair.row,
                **repair.keys._asdict(),
                "candidates": repair.codes.value,
                "exact": repair.codes.exact,
            }
            for repair in mended
        ],
    }
