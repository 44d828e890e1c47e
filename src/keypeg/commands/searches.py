"""`evaluate` and `prove`: measure a strategy against every secret, and find the best one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from keypeg.commands.exit_status import stoppable, stopped_by
from keypeg.commands.options import (
    board_option,
    cluster_option,
    json_option,
    log_option,
    minutes_option,
    option,
    takes_codes,
    tell,
    threads_option,
    worst_option,
)
from keypeg.solver.levels import RULES

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@click.command(context_settings=takes_codes)
@board_option
@option(
    "--strategy",
    default="learned",
    show_default=True,
    help="One of those above.",
    shell_complete=lambda _ctx, _param, typed: [r for r in RULES if r.startswith(typed)],
)
@option("--first", help="The first guess.  [default: the best one]")
@json_option
def evaluate(board: Board, strategy: str, first: str | None, as_json: bool) -> None:
    """Play a one-step strategy against every secret, and sum the guesses.

    Strategies: minimax, expected-size, entropy, parts, learned.

    \b
    keypeg evaluate --strategy minimax --first 1122
    keypeg evaluate --board advanced --strategy entropy
    """
    from keypeg.rules.code import parse_code
    from keypeg.solver.playing.strategies import evaluate as evaluation
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import progress_bar

    opening = None if first is None else parse_code(first, board)
    with progress_bar("codes") as progress:
        found = evaluation(board, strategy, opening, progress)
    tell(results.evaluation_data(found, board), results.evaluation_lines(found, board), as_json)


@click.command()
@board_option
@worst_option
@log_option("not saved")
@minutes_option
@cluster_option
@threads_option
@option(
    "--book", "file", type=click.Path(dir_okay=False, path_type=Path), help="Also write a book."
)
@json_option
def prove(
    board: Board,
    worst: int | None,
    log: Path | None,
    minutes: float | None,
    cluster: str | None,
    threads: int,
    file: Path | None,
    as_json: bool,
) -> int:
    """Find the strategy with the fewest guesses in total, and prove that none has fewer.

    Ctrl+C stops it and reports the best strategy so far, an upper bound; the exit status is then
    130. With --log, the same command continues from there, even after a crash.

    \b
    keypeg prove
    keypeg prove --worst 5
    keypeg prove --board 4x10n --log 4x10n.log --book 4x10n.book
    """
    from keypeg.solver.books.build import bind, earlier
    from keypeg.solver.exact.search import prove as proof
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import proof_bar

    if file is not None:
        earlier(file, board, worst)  # refuses a file that is something else, before the work
    with stoppable(minutes) as cancelled, proof_bar() as progress:
        found = proof(board, worst, progress, cancelled, log=log, threads=threads, cluster=cluster)
    if file is not None:
        bind(found, file, worst)
    tell(results.proof_data(found), results.proof_lines(found), as_json)
    return stopped_by(cancelled.sign)
