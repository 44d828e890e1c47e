"""`evaluate`, `prove` and `bound`: measure a strategy, find the best, and say what none can do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from keypeg.commands.certificates import check_writable, write_certificate
from keypeg.commands.exit_status import REFUSED, stoppable, stopped_by
from keypeg.commands.options import (
    WholeNumber,
    board_option,
    certificate_option,
    cluster_option,
    json_option,
    log_option,
    minutes_option,
    option,
    tell,
    threads_option,
    worst_option,
)
from keypeg.solver.levels import RULES

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@click.command()
@board_option
@option(
    "--strategy",
    default="learned",
    show_default=True,
    help="One of those above.",
    shell_complete=lambda _ctx, _param, typed: [r for r in RULES if r.startswith(typed)],
)
@option("--first", help="The first guess.  [default: the best one]")
@option(
    "--gpu",
    is_flag=True,
    help="Use a graphics processor, for boards of up to 20 million codes. Needs the gpu extra.",
)
@option(
    "--tries",
    type=WholeNumber(1),
    help="With --gpu, try only this many guesses, drawn once, at each turn.  [default: all]",
)
@json_option
def evaluate(
    board: Board, strategy: str, first: str | None, gpu: bool, tries: int | None, as_json: bool
) -> None:
    """Play a one-step strategy against every secret, and sum the guesses.

    Strategies: minimax, expected-size, entropy, parts, learned.

    \b
    keypeg evaluate --strategy minimax --first 1122
    keypeg evaluate --board advanced --strategy entropy
    keypeg evaluate --board 6x9 --gpu
    """
    from keypeg.rules.code import parse_code
    from keypeg.solver.gpu.evaluation import evaluate_on_gpu
    from keypeg.solver.playing.strategies import evaluate as evaluate_here
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import progress_bar

    if tries is not None and not gpu:
        raise click.UsageError("--tries needs --gpu")
    opening = None if first is None else parse_code(first, board)
    with progress_bar("codes") as progress:
        if gpu:
            found = evaluate_on_gpu(board, strategy, opening, progress, tries=tries)
        else:
            found = evaluate_here(board, strategy, opening, progress)
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
@certificate_option
@json_option
def prove(
    board: Board,
    worst: int | None,
    log: Path | None,
    minutes: float | None,
    cluster: str | None,
    threads: int,
    file: Path | None,
    certificate: Path | None,
    as_json: bool,
) -> int:
    """Find the strategy with the fewest guesses in total, and prove that none has fewer.

    It begins with the strategy of the shipped book, if there is one, or of the book that --book
    names, and looks for better ones. Ctrl+C stops it and reports the best strategy so far, an upper
    bound; the exit status is then 130. With --log, the same command continues from there, even
    after a crash.

    \b
    keypeg prove
    keypeg prove --worst 5
    keypeg prove --board 4x10n --log 4x10n.log --book 4x10n.book
    keypeg prove --certificate classic.certificate
    """
    from keypeg.solver.books.build import best_known, bind, earlier
    from keypeg.solver.exact.search import engine_at, prove_with
    from keypeg.solver.progress import Cancelled
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import proof_bar

    if file is not None:
        earlier(file, board, worst)  # refuses a file that is something else, before the work
    reason: str | None = None
    if certificate is not None:
        if cluster is not None:
            raise click.UsageError("--certificate cannot be made with --cluster")
        check_writable(certificate, board)
    with (
        stoppable(minutes) as cancelled,
        engine_at(cluster, board, worst, threads=threads) as engine,
    ):
        known = best_known(board, worst, file)
        try:
            with proof_bar() as progress:
                found = prove_with(engine, progress, cancelled, log=log, known=known)
        except Cancelled:
            if as_json:
                tell(results.unsolved_data(board, engine.lower_bound()), (), as_json)
            raise
        if file is not None:
            bind(found, file, worst)
        told = list(results.proof_lines(found))
        if certificate is not None:
            reason = "the total is not proven"
            if found.proven:
                reason = write_certificate(engine, found.total, certificate, cancelled)
            told.append(f"no certificate: {reason}" if reason else f"certificate: {certificate}")
    written = None if certificate is None or reason else str(certificate)
    tell({**results.proof_data(found), "certificate": written}, told, as_json)
    return stopped_by(cancelled.sign) or (REFUSED if reason else 0)


@click.command()
@board_option
@option(
    "--at-least",
    type=WholeNumber(1),
    help="Stop when no strategy is shown to take fewer guesses than this.  [default: no limit]",
)
@log_option("not saved")
@minutes_option
@threads_option
@option(
    "--book",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a book, if the number reaches the least total.",
)
@certificate_option
@json_option
def bound(
    board: Board,
    at_least: int | None,
    log: Path | None,
    minutes: float | None,
    threads: int,
    file: Path | None,
    certificate: Path | None,
    as_json: bool,
) -> int:
    """Show that no strategy takes fewer guesses in total than a number.

    This is for boards that are too large for 'keypeg prove'. The number rises until it is the least
    total, or --at-least, or until Ctrl+C or --minutes stop it. Then the certificate is written; a
    second Ctrl+C ends without it. If it is the least total, --book writes a strategy that takes as
    many.

    \b
    keypeg bound --board 4x9 --minutes 1
    keypeg bound --board 5x7 --threads 8 --book 5x7.book
    keypeg bound --board 5x7 --at-least 83200 --certificate 5x7.certificate
    """
    from keypeg.solver.books.build import bind, earlier
    from keypeg.solver.exact.engine import Engine
    from keypeg.solver.exact.least import strategy
    from keypeg.solver.exact.lower_bounds import Bounds, find_lower_bound
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import bound_bar

    if file is not None:
        earlier(file, board, None)  # refuses a file that is something else, before the work
    if certificate is not None:
        check_writable(certificate, board)
    reason = None
    with stoppable(minutes) as cancelled:
        engine = Engine(board, threads=threads)
        bounds = Bounds(engine, cancelled)
        with bound_bar() as progress:
            found = find_lower_bound(bounds, at_least, progress, log)
        told = list(results.bound_lines(found, at_least))
        bounds.cancelled = None
        if file is not None and found.exact:
            bind(strategy(bounds, found), file)
            told.append(f"book: {file}")
        elif file is not None:
            told.append("no book: it is not known whether a strategy takes as few")
        if certificate is not None:
            reason = write_certificate(engine, found.total, certificate, bounds=bounds)
            told.append(f"no certificate: {reason}" if reason else f"certificate: {certificate}")
    written = None if certificate is None or reason else str(certificate)
    book = str(file) if file is not None and found.exact else None
    tell({**results.bound_data(found), "book": book, "certificate": written}, told, as_json)
    missed = found.exact and at_least is not None and found.total < at_least
    return stopped_by(cancelled.sign) or (REFUSED if reason or missed else 0)
