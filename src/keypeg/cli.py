"""The `keypeg` program: all its commands, and every way in which one can end."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from keypeg import __version__
from keypeg.commands import (
    advice,
    boards,
    books,
    certificates,
    contests,
    daily,
    matches,
    playing,
    puzzles,
    records,
    searches,
    serving,
    unfair,
)
from keypeg.commands.exit_status import (
    BAD_INPUT,
    CLOSED_PIPE,
    DEBUG_VARIABLE,
    INTERRUPTED,
    REFUSED,
    UNEXPECTED,
    Stopped,
    refuse,
)
from keypeg.interruption import insist
from keypeg.rules.errors import CannotRead, KeypegError

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> NoReturn:
    """The `keypeg` program: every refusal is one line on standard error."""
    _mend_streams()
    insist()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Carry out a command; gives its exit status, as README.md lists them."""
    try:
        code = cli.main(arguments, prog_name="keypeg", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return refuse(_advised(error), error.exit_code)
    except CannotRead as error:
        return refuse(str(error), BAD_INPUT)
    except Stopped as error:
        return refuse(str(error), error.status)
    except KeypegError as error:
        return refuse(str(error), REFUSED)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (ClosedPipe, BrokenPipeError):
        return _let_go_of_output(CLOSED_PIPE)
    except OSError as error:
        return _let_go_of_output(refuse(_reason(error), REFUSED))
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback unless it is asked for
        return _unexpected(error)
    return code if isinstance(code, int) else 0


_WITHOUT_ADVICE = ("No such ", "Missing ", "Got unexpected ")
"""How the messages of click begin that do not say what would be right."""


def _advised(error: click.ClickException) -> str:
    said = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or not said.startswith(_WITHOUT_ADVICE) or "Did you mean" in said:
        return said
    return f"{said.rstrip('.')}. '{context.command_path} --help' shows what it takes."


def _reason(error: OSError) -> str:
    return f"{error.filename or 'input or output'}: {error.strerror or error}"


def _unexpected(error: Exception) -> int:
    """Report a fault in keypeg itself: a line, and the traceback on request."""
    if os.environ.get(DEBUG_VARIABLE):
        with suppress(OSError):
            traceback.print_exception(error)
        return UNEXPECTED
    from keypeg.server.logs import redact  # noqa: PLC0415 - rarely needed

    said = f"unexpected error: {type(error).__name__}: {redact(str(error))}".rstrip(": ")
    return refuse(f"{said}; set {DEBUG_VARIABLE}=1 and run it again for details", UNEXPECTED)


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


class ClosedPipe(Exception):
    """Whatever read the output has closed it."""


@contextmanager
def _closing_named() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ClosedPipe from None


class Program(click.Group):
    """All commands. Click would end the program itself where the output is closed, with 1."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:  # Any: as Click has it
        """What a command knows of its arguments; --help is printed here."""
        with _closing_named():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Carry out a command."""
        with _closing_named():
            return super().invoke(ctx)


@click.group(cls=Program, invoke_without_command=True)
@click.version_option(__version__, prog_name="keypeg")
@click.pass_context
def cli(context: click.Context) -> None:
    """Mastermind, the code-breaking board game.

    Without a command, it opens the game in the browser."""
    if context.invoked_subcommand is None:
        context.invoke(serving.serve, browser=True)


for command in (
    *(playing.play, daily.daily, playing.tables, playing.assist, playing.watch, puzzles.puzzle),
    *(unfair.unfair, contests.contest, matches.race, matches.duel),
    *(boards.boards, boards.score, records.replay, records.analyse),
    *(advice.suggest, advice.check, searches.evaluate, searches.prove, searches.bound),
    *(books.book, certificates.certificate),
    *(serving.serve, serving.backup, serving.restore, serving.prune),
):
    cli.add_command(command)
