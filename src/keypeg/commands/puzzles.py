"""`puzzle`: deduction puzzles, played at the prompt, for programs, or on paper."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keypeg.commands.options import (
    WholeNumber,
    board_option,
    json_option,
    next_line,
    option,
    typed_line,
)

if TYPE_CHECKING:
    from keypeg.puzzles import Puzzle
    from keypeg.rules.board import Board

GRADES: Final = (1, 5)
USUAL_GRADE: Final = 2
MOST_SEED: Final = 999_999_999
OUTPUT: Final = "-"


class SheetFile(click.Path):
    """A sheet that will be written, of the kind its name says; refused before the work."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # Any: as Click has it
        """The path, or a refusal."""
        if value == OUTPUT:
            return value
        path = Path(str(super().convert(value, param, ctx)))
        if path.suffix.lower() not in (".html", ".txt"):
            self.fail(f"'{path.name}' must end in .html or .txt.", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}.", param, ctx)
        return str(path)


@click.command()
@board_option
@option("--grade", type=WholeNumber(*GRADES), help="1 is easy, 5 is very hard.  [default: 2]")
@option(
    "--seed",
    type=WholeNumber(0, MOST_SEED),
    help="Which puzzle: the same seed gives the same one.  [default: a random one]",
)
@option("--solution", is_flag=True, help="With --json: also give the code.")
@option(
    "--print",
    "sheet",
    is_flag=False,
    flag_value=OUTPUT,
    type=SheetFile(dir_okay=False),
    metavar="[FILE]",
    help="Six puzzles a page, and their solutions, into a .html or .txt file; by default as text.",
)
@option("--pages", type=WholeNumber(1, 20), default=1, show_default=True, help="With --print.")
@option(
    "--labels",
    type=click.Choice(["letters", "shapes"]),
    default="letters",
    show_default=True,
    help="With --print into a .html file: what is on the pegs.",
)
@json_option
@click.pass_context
def puzzle(
    context: click.Context,
    /,
    board: Board,
    grade: int | None,
    seed: int | None,
    solution: bool,
    sheet: str | None,
    pages: int,
    labels: str,
    as_json: bool,
) -> None:
    """Solve a puzzle: rows and key pegs that exactly one code fits.

    \b
    keypeg puzzle
    keypeg puzzle --board advanced --grade 4 --seed 123
    keypeg puzzle --grade 3 --json --solution
    keypeg puzzle --print puzzles.html --pages 2 --labels shapes
    """
    _refuse_without_effect(context, sheet, as_json=as_json)
    from keypeg.puzzles import make_puzzle
    from keypeg.terminal.puzzling import play_puzzles, puzzle_data

    first = _new_seed() if seed is None else seed
    if sheet is not None:
        _print(board, grade, first, sheet, pages, labels)
        return
    made = make_puzzle(board, grade or USUAL_GRADE, first)
    if as_json:
        click.echo(json.dumps(puzzle_data(made, solution=solution)))
        return
    play_puzzles(made, _new_seed, typed_line if sys.stdin.isatty() else next_line, click.echo)


def _refuse_without_effect(context: click.Context, sheet: str | None, *, as_json: bool) -> None:
    given = {
        name
        for name in context.params
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    if "solution" in given and not as_json:
        raise click.UsageError("--solution has no effect without --json")
    if sheet is not None and as_json:
        raise click.UsageError("--json has no effect with --print")
    for name in ("pages", "labels"):
        if name in given and sheet is None:
            raise click.UsageError(f"--{name} has no effect without --print")


def _print(board: Board, grade: int | None, seed: int, sheet: str, pages: int, labels: str) -> None:
    from keypeg.terminal.puzzle_sheet import html_sheet, text_sheet

    puzzles = _for_sheet(board, grade, seed, pages)
    if sheet.lower().endswith(".html"):
        Path(sheet).write_text(html_sheet(puzzles, labels), "utf-8")
        return
    text = "\n".join(text_sheet(puzzles))
    if sheet == OUTPUT:
        click.echo(text)
    else:
        Path(sheet).write_text(f"{text}\n", "utf-8")


def _for_sheet(board: Board, grade: int | None, seed: int, pages: int) -> list[Puzzle]:
    """The puzzles from a seed on; without a grade they get harder, as far as the board allows."""
    from keypeg.puzzles import make_puzzle
    from keypeg.rules.errors import AgainstTheRules
    from keypeg.terminal.puzzle_sheet import A_PAGE, MIXED_GRADES

    puzzles: list[Puzzle] = []
    hardest = GRADES[1]
    for number in range(pages * A_PAGE):
        wanted = grade or min(hardest, MIXED_GRADES[number % A_PAGE])
        at = (seed + number) % (MOST_SEED + 1)
        while True:
            try:
                puzzles.append(make_puzzle(board, wanted, at))
                break
            except AgainstTheRules:
                if grade is not None or wanted == GRADES[0]:
                    raise
                wanted = hardest = wanted - 1
    return puzzles


def _new_seed() -> int:
    import secrets

    return secrets.randbelow(MOST_SEED + 1)
