"""`daily`: the code of the day, alone or at a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from keypeg.commands.options import json_option, next_line, option, typed_line

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from keypeg.terminal.daily_sources import DailySource
    from keypeg.terminal.saved_daily import SavedDaily


@click.command()
@option("--server", metavar="URL", help="Play the code of a server, the same for everybody there.")
@option(
    "--date", metavar="DATE", help="An earlier day, such as 2026-11-18.  [default: today in UTC]"
)
@option(
    "--board",
    type=click.Choice(["classic", "advanced"]),
    default="classic",
    show_default=True,
    help="Each board has a code every day.",
)
@option("--database", help="Where the attempt is saved: sqlite:///path.  [default: as for play]")
@json_option
def daily(
    server: str | None, date: str | None, board: str, database: str | None, as_json: bool
) -> None:
    """Play the code of the day at a plain prompt.

    Without --server, the code is drawn from your own key, and you play alone. A day lasts from
    midnight to midnight in UTC. Every row is saved: the same command continues. With --json,
    every line of output is a JSON object.

    \b
    keypeg daily
    keypeg daily --server http://localhost:8000 --board advanced
    keypeg daily --date 2026-11-18
    keypeg daily --json < rows.txt
    """
    from keypeg.rules.board import PRESETS
    from keypeg.store.paths import data_folder
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.daily import play_daily
    from keypeg.terminal.saved_daily import FILE, SavedDaily

    if server is not None and database is not None:
        raise click.UsageError("--database has no effect with --server")
    talking = sys.stdin.isatty() and not as_json
    saved = SavedDaily(data_folder() / FILE)
    teller = Teller(click.echo, as_json=as_json)
    ask = typed_line if talking else next_line
    play_daily(_source(server, database, saved), saved, date, PRESETS[board], ask, teller)


def _source(
    server: str | None, database: str | None, saved: SavedDaily
) -> AbstractAsyncContextManager[DailySource]:
    from keypeg.store.paths import default_database
    from keypeg.terminal.daily_sources import daily_alone, daily_at

    if server is not None:
        return daily_at(server, saved)
    return daily_alone(database or default_database(), saved)
