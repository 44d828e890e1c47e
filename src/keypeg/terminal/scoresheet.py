"""A whole series: every game row by row, its points, and wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keypeg.rules.audit import audit
from keypeg.rules.code import format_code
from keypeg.rules.errors import counted
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.rules.series import Seat, breaker_points, maker_points
from keypeg.terminal.wording import distinct_names, ending_sentence, result_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.game import Game, Row
    from keypeg.rules.notation import Record
    from keypeg.rules.series import Series


def as_lines(record: Record) -> Iterator[str]:
    """The series for a person to read."""
    series = record.replay()
    names = distinct_names(*record.players)
    terms = record.terms
    yield (
        f"{names[Seat.ONE]} and {names[Seat.TWO]}: {terms.games} games on {terms.board}, "
        f"key pegs {terms.key_pegs.value}, scoring by {terms.scoring.value}"
    )
    if record.unfair:
        yield "No seal was made: the maker is openly unfair; every answer leaves the most codes."
    for maker, game in series.makers():
        yield ""
        yield f"Game {game.id.rpartition('/')[2]}: {names[maker]} makes the code"
        yield from _game_lines(game)
        if game.outcome is not None:
            yield (
                f"      {ending_sentence(game)} {names[maker]} {maker_points(game)}, "
                f"{names[maker.other]} {breaker_points(game)}"
            )
        else:
            yield f"      Not finished: {names[maker]} has {_earned(series, maker)} for it so far."
    yield ""
    points = series.score_line
    yield f"Points: {names[Seat.ONE]} {points.one}, {names[Seat.TWO]} {points.two}"
    yield result_sentence(series, names)


def _earned(series: Series, maker: Seat) -> str:
    """The points for the rows of the game that is being played."""
    return counted(series.score_line.of(maker) - series.points.of(maker), "point")


def _game_lines(game: Game) -> Iterator[str]:
    for number, row in enumerate(game.rows, 1):
        yield f"  {number:>2}  {_row_text(row, game)}"
    if game.opening is not None:
        yield f"      secret {format_code(game.opening.code, game.board)}"
    for wrong in audit(game) if game.revealed else ():
        yield (
            f"      row {wrong.row} was answered {describe_key_pegs(wrong.given, game.board)}; "
            f"right is {describe_key_pegs(wrong.right, game.board)}"
        )


def _row_text(row: Row, game: Game) -> str:
    if row.guess is None:
        return "time ran out"
    answer = "no answer" if row.keys is None else describe_key_pegs(row.keys, game.board)
    return f"{format_code(row.guess, game.board)}   {answer}"


def as_data(record: Record) -> dict[str, Any]:
    """The series for a program."""
    series = record.replay()
    result = series.result
    return {
        "series": series.id,
        "board": str(record.terms.board),
        "unfair": record.unfair,
        "games": [
            {
                "game": game.id,
                "maker": maker.value,
                "rows": [_row_data(row, game) for row in game.rows],
                "secret": game.opening and format_code(game.opening.code, game.board),
                "ending": game.outcome and game.outcome.ending.value,
                "points": {
                    maker.value: maker_points(game),
                    maker.other.value: breaker_points(game),
                },
                "wrong_answers": [
                    {"row": w.row, "given": w.given._asdict(), "right": w.right._asdict()}
                    for w in (audit(game) if game.revealed else ())
                ],
            }
            for maker, game in series.makers()
        ],
        "points": {"one": series.score_line.one, "two": series.score_line.two},
        "over": series.over,
        "winner": result.winner.value if result and result.winner else None,
        "tie": result is not None and result.winner is None,
    }


def _row_data(row: Row, game: Game) -> dict[str, Any]:
    return {
        "guess": row.guess and format_code(row.guess, game.board),
        "keys": row.keys and row.keys._asdict(),
    }
