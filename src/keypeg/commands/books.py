"""`book`: strategy books, made, listed, shown and verified."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from keypeg.commands.exit_status import BadFile, stoppable, stopped_by
from keypeg.commands.options import (
    BoardType,
    WholeNumber,
    cluster_option,
    json_option,
    log_option,
    minutes_option,
    option,
    rows_argument,
    takes_codes,
    tell,
    threads_option,
    worst_option,
)
from keypeg.rules.errors import CannotRead, KeypegError, quoted

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.solver.books.book import Book


@click.group()
def book() -> None:
    """Make, list, show and verify strategy books."""


@book.command("make")
@click.argument("board", type=BoardType())
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@worst_option
@log_option("FILE.log")
@minutes_option
@cluster_option
@threads_option
@option(
    "--stages",
    default=4,
    show_default=True,
    type=WholeNumber(1, 20),
    help="How many searches to make, each wider than the last.",
)
@json_option
def make_book(
    board: Board,
    file: Path,
    worst: int | None,
    log: Path | None,
    minutes: float | None,
    cluster: str | None,
    threads: int,
    stages: int,
    as_json: bool,
) -> int:
    """Search for a good strategy for BOARD, and write it to FILE as a book.

    This is for boards too large for a proof: the total is an upper bound. Ctrl+C stops it and
    writes the best strategy so far; the exit status is then 130. The same command continues from
    the log, even after a crash; more stages or minutes make a better book. A better book in FILE
    is kept.

    \b
    keypeg book make advanced my.book
    keypeg book make 6x6 my.book --minutes 30 --stages 6
    keypeg book make advanced my.book --worst 7
    """
    from keypeg.solver.books import beam
    from keypeg.solver.books.build import bind, earlier
    from keypeg.terminal import results
    from keypeg.terminal.progress_bars import beam_bar

    earlier(file, board, worst)  # refuses a file that is something else, before the work
    log = log or file.with_name(file.name + ".log")
    widths = beam.stages(stages)
    with stoppable(minutes) as cancelled, beam_bar() as progress:
        found = beam.improve(
            board,
            log,
            progress,
            cancelled,
            worst=worst,
            stages=widths,
            threads=threads,
            cluster=cluster,
        )
    bind(found, file, worst)
    tell(results.proof_data(found), results.proof_lines(found), as_json)
    return stopped_by(cancelled.sign)


@book.command("list")
@json_option
def list_books(as_json: bool) -> None:
    """List the books that come with keypeg.

    \b
    keypeg book list
    """
    from keypeg.solver.books.book import read_book, shipped
    from keypeg.terminal import results

    found = [(path.stat().st_size, read_book(path)) for path in shipped().values()]
    books = [(size, book, _lower_bound(book)) for size, book in found]
    tell(
        [results.book_data(book, size, lower) for size, book, lower in books],
        results.book_lines(books),
        as_json,
    )


@book.command("show", context_settings=takes_codes)
@click.argument("name")
@rows_argument
@json_option
def show_book(name: str, rows: tuple[str, ...], as_json: bool) -> None:
    """Show what the book NAME plays after the rows so far.

    NAME is a board that has a book, or a file.

    \b
    keypeg book show classic
    keypeg book show classic 1123=11
    """
    from keypeg.solver.books.book import read_book
    from keypeg.solver.history import parse_history
    from keypeg.terminal import results

    found = read_book(_find_book(name))
    history = parse_history(rows, found.board)
    tell(results.page_data(found, history), results.page_lines(found, history), as_json)


@book.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def verify_books(names: tuple[str, ...], as_json: bool) -> None:
    """Replay books against every secret, and check everything they claim.

    A book that is not proven is compared with the lower bound of its board, where keypeg has a
    certificate of one: see 'keypeg certificate'. Each NAME is a board that has a book, or a file;
    by default all books of keypeg.

    \b
    keypeg book verify
    keypeg book verify advanced my.book
    """
    from keypeg.solver.books.book import book_bytes, parse_book, shipped
    from keypeg.solver.books.verifier import verify
    from keypeg.terminal import results

    verdicts = []
    for name in names or shipped():
        path = _find_book(name)
        try:
            found = parse_book(book_bytes(path))
            verdicts.append((name, found, verify(path), _lower_bound(found)))
        except KeypegError as error:
            raise BadFile(f"{name}: {error}") from None
    tell(
        [results.verdict_data(*verdict) for verdict in verdicts],
        (line for verdict in verdicts for line in results.verdict_lines(*verdict)),
        as_json,
    )


def _lower_bound(book: Book) -> int | None:
    """What no strategy for a book's board is below; None if nothing is known of that."""
    from keypeg.solver.certificates.shipped import lower_bound

    proven = book.claim.proven and book.claim.limit is None
    return book.claim.total if proven else lower_bound(book.board)


def _find_book(name: str) -> Path:
    """The shipped book of a board, or a file."""
    from keypeg.rules.board import Board
    from keypeg.solver.books.book import shipped

    books = shipped()
    with suppress(KeypegError):
        name = str(Board.parse(name))
    if name in books:
        return books[name]
    if not Path(name).is_file():
        there = ", ".join(books)
        raise CannotRead(f"there is no book {quoted(name)}; use one of {there}, or a file")
    return Path(name)
