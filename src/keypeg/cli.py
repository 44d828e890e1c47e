"""The commands, one thin function each. What they need is imported when they run."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from keypeg import __version__
from keypeg.interruption import insist
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, quoted
from keypeg.solver.levels import RULES
from keypeg.terminal.commands import assist, play, watch
from keypeg.terminal.options import (
    BoardType,
    board_option,
    json_option,
    level_option,
    plot_option,
    takes_codes,
    tell,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.rules.notation import Record

REFUSED = 1
"""Understood, but not allowed or not possible."""
BAD_INPUT = 2
"""Not understood: options, codes, records."""
INTERRUPTED = 130

F = TypeVar("F", bound="Callable[..., object]")


class BadFile(click.ClickException):
    """A file that is not what it should be."""

    exit_code = BAD_INPUT


def main() -> NoReturn:
    """The `keypeg` program: every refusal is one line on standard error."""
    _mend_streams()
    insist()
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        code = _refuse(error.format_message(), error.exit_code)
    except CannotRead as error:
        code = _refuse(str(error), BAD_INPUT)
    except KeypegError as error:
        code = _refuse(str(error), REFUSED)
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        code = _let_go_of_output(REFUSED)
    except OSError as error:
        code = _let_go_of_output(
            _refuse(f"{error.filename or 'input or output'}: {error.strerror}", REFUSED)
        )
    sys.exit(code if isinstance(code, int) else 0)


def _mend_streams() -> None:
    """Let a closed stream be an empty one, and no character be fatal."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            with suppress(io.UnsupportedOperation):  # it has been read from already
                stream.reconfigure(errors="replace" if mode == "r" else "backslashreplace")


def _let_go_of_output(code: int) -> int:
    """Python would complain once more when it closes an output that cannot be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _refuse(message: str, code: int) -> int:
    with suppress(OSError):
        click.echo("keypeg: " + " ".join(message.split()), err=True)
    return code


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="keypeg")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mastermind, the code-breaking board game, complete. Alone: play it in the browser."""
    if context.invoked_subcommand is None:
        context.invoke(serve, browser=True)


cli.add_command(play)
cli.add_command(assist)
cli.add_command(watch)


@cli.command()
@click.argument("boards", nargs=-1, type=BoardType(), metavar="[BOARD]...")
@json_option
def boards(boards: tuple[Board, ...], as_json: bool) -> None:
    """List the official boards, or describe any BOARD.

    \b
    keypeg boards
    keypeg boards 4x10n 5x8b/8
    """
    from keypeg.rules.board import PRESETS

    described = [_describe(board) for board in boards or PRESETS.values()]
    if as_json:
        click.echo(json.dumps(described))
        return
    click.echo(f"{'board':<16} holes colours blanks repeats rows  codes  points if unbroken")
    for board in described:
        click.echo(
            f"{board['board']:<16} {board['holes']:>5} {board['colours']:>7} "
            f"{_yes_no(board['blanks']):>6} {_yes_no(board['repeats']):>7} {board['rows']:>4} "
            f"{board['codes']:>6,} {board['unbroken_points']:>6}"
        )
        pegs = "  ".join(f"{peg['short']} {peg['name']}" for peg in board["pegs"])
        click.echo(f"{'':<16} {pegs}")


def _describe(board: Board) -> dict[str, Any]:
    from keypeg.rules.colours import digit
    from keypeg.rules.series import unbroken_points

    return {
        "board": str(board),
        "holes": board.holes,
        "colours": board.colours,
        "blanks": board.blanks,
        "repeats": board.repeats,
        "rows": board.rows,
        "codes": board.codes,
        "unbroken_points": unbroken_points(board),
        "pegs": [
            {**colour._asdict(), "digit": digit(peg, board.palette)}
            for peg, colour in enumerate(board.palette, 1)
        ],
    }


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


@cli.command(context_settings=takes_codes)
@click.argument("secret")
@click.argument("guess")
@board_option
@json_option
def score(secret: str, guess: str, board: Board, as_json: bool) -> None:
    """Say which key pegs GUESS gets against SECRET.

    \b
    keypeg score "RD WH BU GN" "WH YW BU BK"
    keypeg score rwbg wybk
    keypeg score --board advanced 12378 25346
    """
    from keypeg.rules.code import parse_code
    from keypeg.rules.keypegs import describe_key_pegs
    from keypeg.rules.keypegs import score as key_pegs

    keys = key_pegs(parse_code(secret, board), parse_code(guess, board))
    if as_json:
        click.echo(json.dumps(keys._asdict(), separators=(",", ":")))
    else:
        click.echo(describe_key_pegs(keys, board))


@cli.command()
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


class Span(click.FloatRange):
    """A time that can be waited for: nan is within every range, but no time."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # Any: as Click has it
        """The number, or a refusal."""
        number = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{quoted(str(value))} is no time; those are numbers from 0 on.", param, ctx)
        return number


SECONDS = Span(0, 3600)
rows_argument = click.argument("rows", nargs=-1, metavar="[GUESS=KEYS]...")


@cli.command(context_settings=takes_codes)
@rows_argument
@board_option
@level_option
@click.option(
    "--seconds", default=1.0, show_default=True, type=SECONDS, help="How long a search may take."
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Decides where chance has a say.",
)
@json_option
def suggest(
    rows: tuple[str, ...], board: Board, level: str, seconds: float, seed: int, as_json: bool
) -> None:
    """Suggest the next guess after the rows so far, and say why.

    \b
    keypeg suggest
    keypeg suggest RRBG=21 RRYY=10
    keypeg suggest --board advanced-blanks --level strong "MA MA OR - -=1r1w"
    """
    from keypeg.solver.history import parse_history
    from keypeg.solver.suggest import suggest as suggestion
    from keypeg.terminal import advice
    from keypeg.terminal.waiting import thinking

    history = parse_history(rows, board)
    with thinking():
        found = suggestion(board, history, level, seconds=seconds, seed=seed)
    tell(advice.suggestion_data(found, board), advice.suggestion_lines(found, board), as_json)


@cli.command(context_settings=takes_codes)
@rows_argument
@board_option
@click.option(
    "--seconds", default=60.0, show_default=True, type=SECONDS, help="How long it may take."
)
@json_option
def check(rows: tuple[str, ...], board: Board, seconds: float, as_json: bool) -> None:
    """Check whether any code fits the rows; if not, say which rows are to blame.

    \b
    keypeg check RRBB=10 RRGG=10 BBGG=40
    """
    from keypeg.solver.fitting.consistent import count
    from keypeg.solver.fitting.contradiction import contradiction, repairs
    from keypeg.solver.history import parse_history
    from keypeg.terminal import advice
    from keypeg.terminal.waiting import thinking

    history = parse_history(rows, board)
    with thinking():
        left = count(board, history)
        found = None if left.value else contradiction(board, history, seconds=seconds)
        mended = () if found is None else repairs(board, history, found)
    tell(
        advice.check_data(left, found, mended),
        advice.check_lines(left, found, mended, history, board),
        as_json,
    )


@cli.command(context_settings=takes_codes)
@board_option
@click.option(
    "--strategy",
    default="learned",
    show_default=True,
    help="One of those below.",
    shell_complete=lambda _ctx, _param, typed: [r for r in RULES if r.startswith(typed)],
)
@click.option("--first", help="The first guess; without it the best one is searched for.")
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
    from keypeg.terminal.waiting import progress_bar

    opening = None if first is None else parse_code(first, board)
    with progress_bar("codes") as told:
        found = evaluation(board, strategy, opening, told)
    tell(results.evaluation_data(found, board), results.evaluation_lines(found, board), as_json)


worst_option = click.option(
    "--worst", type=click.IntRange(1, 99), help="Allow at most so many guesses."
)
minutes_option = click.option(
    "--minutes",
    type=Span(min=0),
    help="Stop then with the best so far.  [default: when done]",
)

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of this Dask scheduler do the work, as tcp://host:8786.",
)


def log_option(otherwise: str) -> Callable[[F], F]:
    """--log, with what is kept where it is not given."""
    return click.option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"Keep finished work here, and go on from there.  [default: {otherwise}]",
    )


@cli.command()
@board_option
@worst_option
@log_option("nowhere")
@minutes_option
@cluster_option
@click.option(
    "--book", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write a book, too."
)
@json_option
def prove(
    board: Board,
    worst: int | None,
    log: Path | None,
    minutes: float | None,
    cluster: str | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Find the strategy with the fewest guesses in all, and prove that none has fewer.

    Stopped by Ctrl+C, it tells the best strategy so far, an upper bound. With --log, the same
    command goes on from there, also after a crash.

    \b
    keypeg prove
    keypeg prove --worst 5
    keypeg prove --board 4x10n --log 4x10n.log --book 4x10n.book
    """
    from keypeg.solver.books.bindery import bind, earlier
    from keypeg.solver.exact.search import prove as proof
    from keypeg.terminal import results
    from keypeg.terminal.waiting import proof_bar, until_told

    if file is not None:
        earlier(file, board, worst)  # refuses a file that is something else, before the work
    with until_told(minutes) as cancelled, proof_bar() as told:
        found = proof(board, worst, told, cancelled, log=log, cluster=cluster)
    if file is not None:
        bind(found, file, worst)
    tell(results.proof_data(found), results.proof_lines(found), as_json)


@cli.group()
def book() -> None:
    """Make, list, show and verify strategy books."""


@book.command("make")
@click.argument("board", type=BoardType())
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@worst_option
@log_option("FILE.log")
@minutes_option
@cluster_option
@click.option(
    "--stages",
    default=4,
    show_default=True,
    type=click.IntRange(1, 20),
    help="How often to search again, more widely.",
)
@json_option
def make_book(
    board: Board,
    file: Path,
    worst: int | None,
    log: Path | None,
    minutes: float | None,
    cluster: str | None,
    stages: int,
    as_json: bool,
) -> None:
    """Search a good strategy for BOARD, and write it to FILE as a book.

    For boards beyond proof: its total is an upper bound. Stopped by Ctrl+C, it writes the best
    so far. The same command goes on from the log, also after a crash; more stages or minutes
    make a better book. A better book in FILE is left alone.

    \b
    keypeg book make advanced my.book
    keypeg book make 6x6 my.book --minutes 30 --stages 6
    keypeg book make advanced my.book --worst 7
    """
    from keypeg.solver.books import beam
    from keypeg.solver.books.bindery import bind, earlier
    from keypeg.terminal import results
    from keypeg.terminal.waiting import beam_bar, until_told

    earlier(file, board, worst)  # refuses a file that is something else, before the work
    log = log or file.with_name(file.name + ".log")
    widths = beam.stages(stages)
    with until_told(minutes) as cancelled, beam_bar() as told:
        found = beam.improve(
            board, log, told, cancelled, worst=worst, stages=widths, cluster=cluster
        )
    bind(found, file, worst)
    tell(results.proof_data(found), results.proof_lines(found), as_json)


@book.command("list")
@json_option
def list_books(as_json: bool) -> None:
    """List the books that come with keypeg.

    \b
    keypeg book list
    """
    from keypeg.solver.books.book import read_book, shipped
    from keypeg.terminal import results

    books = [(path.stat().st_size, read_book(path)) for path in shipped().values()]
    tell(
        [results.book_data(found, size) for size, found in books],
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
    """Replay books over every secret, and check all that they claim.

    Each NAME is a board that has a book, or a file; without any, all shipped books.

    \b
    keypeg book verify
    keypeg book verify advanced my.book
    """
    from keypeg.solver.books.book import read_book, shipped
    from keypeg.solver.books.verifier import verify
    from keypeg.terminal import results

    verdicts = []
    for name in names or shipped():
        path = _find_book(name)
        try:
            verdicts.append((name, read_book(path), verify(path)))
        except KeypegError as error:
            raise BadFile(f"{name}: {error}") from None
    tell(
        [results.verdict_data(*verdict) for verdict in verdicts],
        (line for verdict in verdicts for line in results.verdict_lines(*verdict)),
        as_json,
    )


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
        raise CannotRead(f"no book {quoted(name)}; there are {there}, or name a file")
    return Path(name)


@cli.command()
@click.argument("record", type=click.File("rb"))
@click.option(
    "--seconds", default=1.0, show_default=True, type=SECONDS, help="How long a row may take."
)
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
    from keypeg.terminal.waiting import progress_bar

    series = _read_record(record).replay()
    played = [game for game in series.games if game.rows]
    if not played:
        raise AgainstTheRules(f"{record.name}: no row was played, so there is nothing to review")
    reviews = []
    for game in played:
        with progress_bar(f"game {game.id.rpartition('/')[2]}") as told:
            reviews.append((game, analysis(game, seconds=seconds, progress=told)))
    if plot is not None:
        from keypeg.terminal.pictures import draw_reviews

        draw_reviews(reviews, plot)
    tell(review.as_data(reviews), review.as_lines(reviews), as_json)


@cli.command()
@click.option("--host", help="Address to listen on: 127.0.0.1, or 0.0.0.0 for the whole network.")
@click.option("--port", type=int, help="Port to listen on; 0 picks a free one.  [default: 8000]")
@click.option("--database", help="sqlite:///path or postgresql://user@host/name.")
@click.option("--workers", type=int, help="Processes to serve with; PostgreSQL only.  [default: 1]")
@click.option("--redis", help="redis://host:port, which lets several processes wake each other.")
@click.option("--public-url", help="Where browsers find the server, if a proxy is in front.")
@click.option("--log-level", help="debug, info, warning or error.")
@click.option("--open/--no-open", "browser", default=False, help="Open a browser on it.")
@json_option
def serve(browser: bool, as_json: bool, **options: object) -> None:
    """Serve tables to browsers and programs.

    Every option can also be set as a KEYPEG_ variable, such as KEYPEG_PORT; docs/server.md
    lists them all.

    \b
    keypeg serve --open
    KEYPEG_PORT=80 keypeg serve --host 0.0.0.0
    keypeg serve --workers 4 --database postgresql://keypeg@db/keypeg --redis redis://db
    """
    from keypeg.server.process import serve as serve_until_told
    from keypeg.server.settings import read_settings

    settings = read_settings(os.environ, options)

    # The kind of database alone: an address may hold a password.
    kind = (settings.database or "sqlite").partition(":")[0]

    def told(url: str) -> None:
        tell({"url": url, "database": kind}, [f"keypeg: {url}"], as_json)

    serve_until_told(settings, told, browser=browser)


def _address(database: str | None) -> str:
    """The database that an option, the environment or the default names."""
    from keypeg.store.places import default_database

    return database or os.environ.get("KEYPEG_DATABASE") or default_database()


_database_option = click.option(
    "--database", help="sqlite:///path or postgresql://user@host/name; else as for serve."
)


@cli.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_database_option
@json_option
def backup(file: Path, database: str | None, as_json: bool) -> None:
    """Write a verified backup of every table into a new FILE, also while the server runs.

    The key that running secrets are encrypted with is not in it: keep keypeg.key, or the value
    of KEYPEG_KEY, in another place.

    \b
    keypeg backup keypeg-monday.backup
    keypeg backup keypeg-monday.backup --database postgresql://keypeg@db/keypeg
    """
    import asyncio

    from keypeg import keeping
    from keypeg.terminal.waiting import stages_bar

    with stages_bar() as told:
        kept = asyncio.run(keeping.backup(_address(database), file, told))
    line = f"{file}: {kept.tables:,} tables, {kept.entries:,} entries, verified; without the key"
    tell({"file": str(file), **kept._asdict()}, [line], as_json)


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_database_option
@json_option
def restore(file: Path, database: str | None, as_json: bool) -> None:
    """Put a backup into an empty database, of either kind, and verify it there.

    Stop the server first: a database that one has open is refused.

    The key that the backup was made with must be in its place first: KEYPEG_KEY, or keypeg.key
    beside the SQLite file.

    \b
    keypeg restore keypeg-monday.backup
    keypeg restore keypeg-monday.backup --database postgresql://keypeg@db/keypeg
    """
    import asyncio

    from keypeg import keeping
    from keypeg.terminal.waiting import stages_bar

    with stages_bar() as told:
        kept = asyncio.run(keeping.restore(file, _address(database), told))
    line = f"{kept.tables:,} tables, {kept.entries:,} entries, restored and verified"
    tell(kept._asdict(), [line], as_json)


@cli.command()
@click.option(
    "--abandoned",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    metavar="DAYS",
    help="Remove tables, listed or not, that were left unfinished so many days ago.",
)
@click.option(
    "--older-than",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Also those that were finished so many days ago.  [default: none]",
)
@click.option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the series of finished tables there first, as text records.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@_database_option
@json_option
def prune(
    abandoned: int,
    older_than: int | None,
    folder: Path | None,
    dry_run: bool,
    database: str | None,
    as_json: bool,
) -> int:
    """Remove old tables for good, also while the server runs.

    Nothing else does: run it daily, as docs/deploy.md shows, and tables that nobody plays on
    expire.

    A table whose series cannot be written where --export says is kept and named, and the exit
    status is 1.

    \b
    keypeg prune --dry-run
    keypeg prune --abandoned 90 --older-than 365 --export finished
    """
    import asyncio

    from keypeg import keeping
    from keypeg.terminal.waiting import stages_bar

    if folder is not None and older_than is None:
        raise click.UsageError("--export writes finished tables; say with --older-than which")
    address = _address(database)
    with stages_bar() as told:
        work = keeping.prune(address, older_than, abandoned, folder, told, only_look=dry_run)
        done = asyncio.run(work)
    said = "would be removed" if dry_run else "removed"
    line = (
        f"{done.finished:,} finished and {done.abandoned:,} abandoned tables {said}, "
        f"{done.exported:,} exported"
    )
    tell({**done._asdict(), "dry_run": dry_run}, [line], as_json)
    for reason in done.not_exported:
        _refuse(reason, REFUSED)
    return REFUSED if done.not_exported else 0
