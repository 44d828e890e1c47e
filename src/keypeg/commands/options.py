"""What several commands share: options, and how an answer is printed."""

from __future__ import annotations

import json
import os
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import quoted
from keypeg.solver.levels import LEVELS, RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

F = TypeVar("F", bound="Callable[..., object]")
PICTURES: Final = (".png", ".svg", ".pdf")


class FilledOption(click.Option):
    """An option whose value is not empty: `--database "$UNSET"` must not mean the default."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:  # Any: as Click has it
        """The value as the command gets it, or a refusal."""
        if "" in (value if self.multiple and value else (value,)):
            raise click.BadParameter("it is empty; leave it out for the default", ctx, self)
        return super().type_cast_value(ctx, value)


option = partial(click.option, cls=FilledOption)
"""How every command declares its options."""


class BoardType(click.ParamType["Board"]):
    """A board by its one text form."""

    name = "board"

    def convert(self, value: Any, param: object, ctx: object) -> Board:  # noqa: ARG002 - click's
        """The board that the option names."""
        return value if isinstance(value, Board) else Board.parse(value)

    def shell_complete(
        self,
        ctx: object,  # noqa: ARG002 - click's
        param: object,  # noqa: ARG002 - click's
        incomplete: str,
    ) -> list[CompletionItem]:
        """The official boards; there are too many others to list."""
        return [CompletionItem(name) for name in PRESETS if name.startswith(incomplete)]


class WholeNumber(click.IntRange):
    """A whole number within limits; a refusal says them in words."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # Any: as Click has it
        """The number, or a refusal."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            limits = f"from {self.min}" if self.max is None else f"from {self.min} to {self.max:,}"
            self.fail(f"{quoted(str(value))} is not a whole number {limits}.", param, ctx)


class Span(click.FloatRange):
    """A length of time; nan passes every range check, and is refused here."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # Any: as Click has it
        """The number, or a refusal."""
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = float("nan")
        if isnan(number):
            limits = "from 0" if self.max is None else f"from 0 to {self.max:,}"
            self.fail(f"{quoted(str(value))} is not a time; use a number {limits}.", param, ctx)
        return number


SECONDS = Span(0, 3600)


def _refuse_options(context: click.Context, _: object, rows: tuple[str, ...]) -> tuple[str, ...]:
    """The rows, if none of them is an option that the command does not have."""
    for row in rows:
        if row.startswith("-") and "=" not in row:
            raise click.NoSuchOption(row, ctx=context)
    return rows


rows_argument = click.argument(
    "rows", nargs=-1, metavar="[GUESS=KEYS]...", callback=_refuse_options
)
board_option = option(
    "--board",
    type=BoardType(),
    default="classic",
    show_default=True,
    help="A preset (see 'keypeg boards') or holes x colours: 4x6, 5x8b, 4x10n, 4x6/8.",
)
json_option = option("--json", "as_json", is_flag=True, help="Answer in JSON, for programs.")


level_option = option(
    "--level",
    type=click.Choice([level.name for level in LEVELS]),
    default="perfect",
    show_default=True,
    help="How strongly the computer plays.",
)


def _read_levels(context: click.Context, parameter: Any, text: str | None) -> tuple[str, ...]:
    """The levels of computer players, given with commas."""
    names = [] if text is None else [name.strip().lower() for name in text.split(",")]
    known = [level.name for level in LEVELS]
    for name in names:
        if name not in known:
            raise click.BadParameter(
                f"{quoted(name)} is not a level; there are {', '.join(known)}.", context, parameter
            )
    return tuple(names)


def complete_levels(
    ctx: object,  # noqa: ARG001 - click's
    param: object,  # noqa: ARG001 - click's
    incomplete: str,
) -> list[str]:
    """Levels, after those already listed with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{level.name}" for level in LEVELS if level.name.startswith(last)]


computers_option = option(
    "--computers",
    metavar="LEVELS",
    callback=_read_levels,
    shell_complete=complete_levels,
    help="Computer players: beginner, casual, careful, strong, perfect; with commas.",
)


class PictureFile(click.Path):
    """A picture that will be written, of the kind its name says; refused before the work."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # Any: as Click has it
        """The path, or a refusal."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.suffix.lower() not in PICTURES:
            kinds = ", ".join(PICTURES[:-1]) + f" or {PICTURES[-1]}"
            self.fail(f"{quoted(path.name)} must end in {kinds}.", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}.", param, ctx)
        return path


plot_option = option(
    "--plot",
    type=PictureFile(dir_okay=False),
    help="Also draw a picture: .png, .svg or .pdf. Needs the plot extra.",
)


worst_option = option("--worst", type=WholeNumber(1, 99), help="Allow at most this many guesses.")
minutes_option = option(
    "--minutes",
    type=Span(min=0),
    help="Stop after this time with the best result so far.  [default: no limit]",
)

cluster_option = option(
    "--cluster",
    metavar="ADDRESS",
    is_eager=True,  # read before --threads
    help="Use the workers of this Dask scheduler, such as tcp://host:8786.",
)


def _refuse_with_cluster(context: click.Context, _: object, threads: int | None) -> int:
    if threads is not None and context.params.get("cluster") is not None:
        raise click.UsageError("--threads has no effect with --cluster")
    return threads or 2


threads_option = option(
    "--threads",
    type=WholeNumber(1, 64),
    callback=_refuse_with_cluster,
    help="How many cores to search with; 1 finds the same strategy every time.  [default: 2]",
)


certificate_option = option(
    "--certificate",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write a proof that others can check: see 'keypeg certificate'.",
)


def log_option(otherwise: str) -> Callable[[F], F]:
    """--log, with the default that its help names."""
    return option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"Save finished work in this file, and continue from it.  [default: {otherwise}]",
    )


def complete_strategies(
    ctx: object,  # noqa: ARG001 - click's
    param: object,  # noqa: ARG001 - click's
    incomplete: str,
) -> list[str]:
    """Rules, levels and 'book', after those already listed with commas."""
    before, comma, last = incomplete.rpartition(",")
    names = (*RULES, *(level.name for level in LEVELS), "book")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


# A code may begin with a dash, for a blank; that is not an option.
takes_codes = {"ignore_unknown_options": True}


def tell(data: object, lines: Iterable[str], as_json: bool) -> None:
    """Print an answer: as JSON for programs, or as lines for people."""
    if as_json:
        click.echo(json.dumps(data))
        return
    for line in lines:
        click.echo(line)


def next_line(_question: str) -> str:
    """Input from a pipe, where the question is not shown."""
    return input()


def typed_line(question: str) -> str:
    """A line typed by a person. If Ctrl+C or Ctrl+D ends it, what is said next has its own line."""
    try:
        return input(question)
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise
