"""`replay` and `analyse`: replay and review the record of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from keypeg.commands.exit_status import BadFile
from keypeg.commands.options import SECONDS, json_option, option, plot_option, tell
from keypeg.rules.errors import AgainstTheRules, KeypegError

if TYPE_CHECKING:
    from pathlib import Path

    from keypeg.rules.notation import Record


@click.command()
@click.argument("record", type=click.File("rb"))
@json_option
def replay(record: Any, as_json: bool) -> None:
    """Replay RECORD, the text of a series: rows, points, and every wrong answer.

    RECORD is a file, or - for standard input.

    \b
    keypeg replay saturday.txt
    keypeg replay - --json < saturday.txt
    """
    from keypeg.terminal import scoresheet

    parsed = _read_record(record)
    tell(scoresheet.as_data(parsed), scoresheet.as_lines(parsed), as_json)


@click.command()
@click.argument("record", type=click.File("rb"))
@option("--seconds", default=1.0, show_default=True, type=SECONDS, help="How long a row may take.")
@plot_option
@json_option
def analyse(record: Any, seconds: float, plot: Path | None, as_json: bool) -> None:
    """Review RECORD row by row: what each guess cost, what the best was, luck and skill.

    RECORD is a file, or - for standard input.

    \b
    keypeg analyse saturday.txt
    keypeg analyse saturday.txt --plot saturday.png
    """
    from keypeg.solver.analysis import analysis
    from keypeg.terminal import review
    from keypeg.terminal.progress_bars import progress_bar

    series = _read_record(record).replay()
    played = [game for game in series.games if game.rows]
    if not played:
        raise AgainstTheRules(f"{record.name}: no row was played, so there is nothing to review")
    reviews = []
    for game in played:
        with progress_bar(f"game {game.id.rpartition('/')[2]}") as progress:
            reviews.append((game, analysis(game, seconds=seconds, progress=progress)))
    if plot is not None:
        from keypeg.terminal.pictures import draw_reviews

        draw_reviews(reviews, plot)
    tell(review.as_data(reviews), review.as_lines(reviews), as_json)


def _read_record(file: Any) -> Record:
    """The record in `file`; a refusal names the file."""
    from keypeg.rules.notation import MOST_CHARACTERS, parse_record

    longest = 4 * MOST_CHARACTERS
    written = file.read(longest + 1)
    try:
        if len(written) > longest:
            raise KeypegError(f"a record has at most {MOST_CHARACTERS:,} characters")
        return parse_record(written.decode())
    except UnicodeDecodeError as error:
        raise BadFile(f"{file.name}: not UTF-8 text (byte {error.start})") from None
    except KeypegError as error:
        raise BadFile(f"{file.name}: {error}") from None
