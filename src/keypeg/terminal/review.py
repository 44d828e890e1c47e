"""The review of a game, for a person or a program to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keypeg.rules.audit import audit
from keypeg.rules.code import format_code
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.solver.analysis import analysis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.game import Game
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.analysis import GameAnalysis, RowAnalysis

    Reviews = Sequence[tuple[Game, GameAnalysis]]

MARKS = ((1.0, "wasted"), (0.5, "poor"), (0.25, "could be better"), (0.0005, "good"), (0.0, "best"))
"""The mark of a row by the guesses it lost."""


def mark(loss: float) -> str:
    """The mark of a row, by the guesses it lost."""
    return next(name for least, name in MARKS if loss >= least or least == 0.0)


def review_lines(game: Game) -> Iterator[str]:
    """One game, reviewed now, for a person to read."""
    yield from as_lines([(game, analysis(game))])


def as_lines(reviews: Reviews) -> Iterator[str]:
    """Reviews for a person to read."""
    for game, review in reviews:
        yield f"Game {game.id.rpartition('/')[2]} on {game.board}"
        wrong = _right_answers(game)
        for row in review.rows:
            yield from _row_lines(row, game)
            if row.row in wrong:
                right = describe_key_pegs(wrong[row.row], game.board)
                yield f"        the answer was wrong; right is {right}"
        for number in review.unplayed:
            yield f"  {number:>2}  this row cannot be reviewed"
        if not review.complete:
            yield "  There was no time for all rows; the totals are of those above."
        yield (
            f"  In all: {review.loss:.3f} guesses lost, {review.luck:+.3f} by luck "
            f"({review.certainty.value});"
        )
        yield f"  the best play takes {review.start:.3f} ({review.start_certainty.value})."
        yield ""


def _right_answers(game: Game) -> dict[int, KeyPegs]:
    """The right answers to the rows that were answered wrongly, where the code is known."""
    return {wrong.row: wrong.right for wrong in audit(game)} if game.revealed else {}


def _row_lines(row: RowAnalysis, game: Game) -> Iterator[str]:
    board = game.board
    yield f"  {row.row:>2}  {format_code(row.guess, board)}   {describe_key_pegs(row.keys, board)}"
    bits = "" if row.bits is None else f", {row.bits:.1f} bits"
    luck = "" if row.luck is None else f", luck {row.luck:+.3f}"
    left = f"{row.before} code{'s' * (row.before.value != 1)} left before"
    yield f"        {left}, {row.after} after{bits}{luck}"
    fits = "might have been the code" if row.possible else f"does not fit row {row.breaks[0]}"
    loss = f"{mark(row.loss)}, {row.loss:.3f} lost ({row.certainty.value})"
    yield f"        {loss}, {fits}"
    if row.loss >= MARKS[-2][0]:
        yield f"        best was {format_code(row.best, board)}"


def as_data(reviews: Reviews) -> list[dict[str, Any]]:
    """Reviews for a program."""
    return [
        {
            "game": game.id,
            "board": str(game.board),
            "rows": [_row_data(row, game, _right_answers(game)) for row in review.rows],
            "unplayed": list(review.unplayed),
            "complete": review.complete,
            "loss": review.loss,
            "luck": review.luck,
            "certainty": review.certainty.value,
            "start": review.start,
            "start_certainty": review.start_certainty.value,
        }
        for game, review in reviews
    ]


def _row_data(row: RowAnalysis, game: Game, wrong: dict[int, KeyPegs]) -> dict[str, Any]:
    right = wrong.get(row.row)
    return {
        "row": row.row,
        "guess": format_code(row.guess, game.board),
        **row.keys._asdict(),
        "right": right and right._asdict(),
        "before": row.before.value,
        "after": row.after.value,
        "exact": row.before.exact and row.after.exact,
        "bits": row.bits,
        "possible": row.possible,
        "contradicts": list(row.breaks),
        "loss": row.loss,
        "luck": row.luck,
        "mark": mark(row.loss),
        "best": format_code(row.best, game.board),
        "certainty": row.certainty.value,
    }
