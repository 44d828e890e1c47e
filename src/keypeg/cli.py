"""The commands, one thin function each. What they need is imported when they run."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from keypeg import __version__
from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.notation import Record

BAD_INPUT = 2
INTERRUPTED = 130


def main() -> NoReturn:
    """The `keypeg` program: every refusal is one line on standard error."""
    _mend_streams()
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
        code = _let_go_of_output(1)
    except OSError as error:
        code = _let_go_of_output(
            _refuse(f"{error.filename or 'input or output'}: {error.strerror}")
        )
    sys.exit(code if isinstance(code, int) else 0)


def _mend_streams() -> None:
    """Let a closed stream be an empty one, and no character be fatal."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace" if mode == "r" else "backslashreplace")


def _let_go_of_output(code: int) -> int:
    """Python would complain once more when it closes an output that cannot be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _refuse(message: str) -> int:
    with suppress(OSError):
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


# A code may begin with a dash, for a blank; it is no option then.
takes_codes = {"ignore_unknown_options": True}


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="keypeg")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mastermind, the code-breaking board game, complete. Alone: play."""
    if context.invoked_subcommand is None:
        context.invoke(play)


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
    if as_json:
        click.echo(json.dumps(scoresheet.as_data(parsed)))
    else:
        for line in scoresheet.as_lines(parsed):
            click.echo(line)


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
        raise click.ClickException(f"{file.name}: not UTF-8 text (byte {error.start})") from None
    except KeypegError as error:
        raise click.ClickException(f"{file.name}: {error}") from None


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
