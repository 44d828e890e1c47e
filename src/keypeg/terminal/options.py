"""What several commands have in common: their options, and how an answer is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from keypeg.rules.board import PRESETS, Board
from keypeg.solver.levels import LEVELS, RULES

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        """The official boards; others have too many names to list."""
        return [CompletionItem(name) for name in PRESETS if name.startswith(incomplete)]


board_option = click.option(
    "--board",
    type=BoardType(),
    default="classic",
    show_default=True,
    help="A preset (see 'keypeg boards') or holes x colours: 4x6, 5x8b, 4x10n, 4x6/8.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for machines.")


level_option = click.option(
    "--level",
    type=click.Choice([level.name for level in LEVELS]),
    default="perfect",
    show_default=True,
    help="How strongly the computer plays.",
)
plot_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw a picture: .png, .svg or .pdf. Needs the plot extra.",
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


# A code may begin with a dash, for a blank; it is no option then.
takes_codes = {"ignore_unknown_options": True}


def tell(data: object, lines: Iterable[str], as_json: bool) -> None:
    """Say the answer: as JSON for machines, else in lines for people."""
    if as_json:
        click.echo(json.dumps(data))
        return
    for line in lines:
        click.echo(line)
