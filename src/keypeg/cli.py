"""The `keypeg` program: all its commands, and every way in which one can end."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

import click

from keypeg import __version__
from keypeg.commands import advice, boards, books, playing, records, searches, serving
from keypeg.commands.exit_status import BAD_INPUT, INTERRUPTED, REFUSED, refuse
from keypeg.interruption import insist
from keypeg.rules.errors import CannotRead, KeypegError


def main() -> NoReturn:
    """The `keypeg` program: every refusal is one line on standard error."""
    _mend_streams()
    insist()
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        code = refuse(error.format_message(), error.exit_code)
    except CannotRead as error:
        code = refuse(str(error), BAD_INPUT)
    except KeypegError as error:
        code = refuse(str(error), REFUSED)
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        code = _let_go_of_output(REFUSED)
    except OSError as error:
        code = _let_go_of_output(
            refuse(f"{error.filename or 'input or output'}: {error.strerror}", REFUSED)
        )
    sys.exit(code if isinstance(code, int) else 0)


def _mend_streams() -> None:
    """Replace closed streams by empty ones, and let no character raise an error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            with suppress(io.UnsupportedOperation):  # it has already been read from
                stream.reconfigure(errors="replace" if mode == "r" else "backslashreplace")


def _let_go_of_output(code: int) -> int:
    """Drop the output, which Python would complain about once more when it closes it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


@click.group(invoke_without_command=True)
@click.version_option(__version__, prog_name="keypeg")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mastermind, the code-breaking board game. Without a command: play in the browser."""
    if context.invoked_subcommand is None:
        context.invoke(serving.serve, browser=True)


for command in (
    *(playing.play, playing.assist, playing.watch),
    *(boards.boards, boards.score, records.replay, records.analyse),
    *(advice.suggest, advice.check, searches.evaluate, searches.prove, books.book),
    *(serving.serve, serving.backup, serving.restore, serving.prune),
):
    cli.add_command(command)
