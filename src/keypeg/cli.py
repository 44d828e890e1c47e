"""The commands, one thin function each. What they need is imported when they run."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from keypeg import __version__
from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from keypeg.rules.board import Board

BAD_INPUT = 2
INTERRUPTED = 130


def main() -> NoReturn:
    """The `keypeg` program: every refusal is one line on standard error."""
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        code = _refuse(error.format_message())
    except KeypegError as error:
        code = _refuse(str(error))
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away; Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> int:
    click.echo("keypeg: " + " ".join(message.split()), err=True)
    return BAD_INPUT


class BoardType(click.ParamType["Board"]):
    """A board by its one text form."""

    name = "board"

    def convert(self, value: Any, param: object, ctx: object) -> Board:  # noqa: ARG002 - click's
        """The board that the option names."""
        from keypeg.rules.board import Board

        return value if isinstance(value, Board) else Board.parse(value)


board_option = click.option(
    "--board",
    type=BoardType(),
    default="classic",
    show_default=True,
    help="A preset (see 'keypeg boards') or holes x colours: 4x6, 5x8b, 4x10n, 4x6/8.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for machines.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="keypeg")
def cli() -> None:
    """Mastermind, the code-breaking board game, complete."""


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

    return {
        "board": str(board),
        "holes": board.holes,
        "colours": board.colours,
        "blanks": board.blanks,
        "repeats": board.repeats,
        "rows": board.rows,
        "codes": board.codes,
        "unbroken_points": board.rows + 1,
        "pegs": [
            {**colour._asdict(), "digit": digit(peg, board.palette)}
            for peg, colour in enumerate(board.palette, 1)
        ],
    }


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


@cli.command()
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
    """
    from keypeg.rules.notation import MOST_CHARACTERS, parse_record
    from keypeg.terminal import scoresheet

    text = record.read(4 * MOST_CHARACTERS + 1)
    try:
        parsed = parse_record(text.decode())
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{record.name}: not UTF-8 text (byte {error.start})") from None
    except KeypegError as error:
        raise click.ClickException(f"{record.name}: {error}") from None
    if as_json:
        click.echo(json.dumps(scoresheet.as_data(parsed)))
    else:
        for line in scoresheet.as_lines(parsed):
            click.echo(line)


@cli.command()
@board_option
@json_option
def play(board: Board, as_json: bool) -> None:
    """Break a random sealed code at a plain prompt.

    The seal is shown before the first row and opened at the end, so anybody can check that
    the code was never changed. With --json every line of output is a JSON object.

    \b
    keypeg play
    keypeg play --board advanced-blanks
    """
    from keypeg.terminal.plain import JsonVoice, Voice, break_a_code

    voice = JsonVoice(click.echo) if as_json else Voice(click.echo)
    quiet = as_json or not sys.stdin.isatty()
    break_a_code(board, (lambda _: input()) if quiet else input, voice)


@cli.command()
@click.option("--host", help="Address to listen on: 127.0.0.1, or 0.0.0.0 for the whole network.")
@click.option("--port", type=int, help="Port to listen on; 0 picks a free one.  [default: 8000]")
@click.option("--database", help="sqlite:///path or postgresql://user@host/name.")
@click.option("--public-url", help="Where browsers find the server, if a proxy is in front.")
@click.option("--log-level", help="debug, info, warning or error.")
@click.option("--open/--no-open", "browser", default=False, help="Open a browser on it.")
def serve(browser: bool, **options: object) -> None:
    """Serve tables to browsers and programs.

    Every option can also be set as a KEYPEG_ variable, such as KEYPEG_PORT; docs/server.md
    lists them all.

    \b
    keypeg serve --open
    KEYPEG_PORT=80 keypeg serve --host 0.0.0.0
    """
    from keypeg.server.process import serve as serve_until_told
    from keypeg.server.settings import read_settings

    settings = read_settings(os.environ, options)
    serve_until_told(settings, lambda url: click.echo(f"keypeg: {url}"), browser=browser)
