"""`suggest` and `check`: advice about rows already played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from keypeg.commands.exit_status import REFUSED
from keypeg.commands.options import (
    SECONDS,
    WholeNumber,
    board_option,
    json_option,
    level_option,
    option,
    rows_argument,
    takes_codes,
    tell,
)

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@click.command(context_settings=takes_codes)
@rows_argument
@board_option
@level_option
@option(
    "--seconds", default=1.0, show_default=True, type=SECONDS, help="How long a search may take."
)
@option(
    "--seed",
    default=0,
    show_default=True,
    type=WholeNumber(min=0),
    help="Seed of all random choices.",
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
    from keypeg.terminal.progress_bars import thinking

    history = parse_history(rows, board)
    with thinking():
        found = suggestion(board, history, level, seconds=seconds, seed=seed)
    tell(advice.suggestion_data(found, board), advice.suggestion_lines(found, board), as_json)


@click.command(context_settings=takes_codes)
@rows_argument
@board_option
@option("--seconds", default=60.0, show_default=True, type=SECONDS, help="How long it may take.")
@json_option
def check(rows: tuple[str, ...], board: Board, seconds: float, as_json: bool) -> int:
    """Check whether any code fits the rows; if not, say which rows contradict each other.

    The exit status is 1 if no code fits.

    \b
    keypeg check RRBB=10 RRGG=10 BBGG=40
    """
    from keypeg.solver.fitting.consistent import count
    from keypeg.solver.fitting.contradiction import contradiction, repairs
    from keypeg.solver.history import parse_history
    from keypeg.terminal import advice
    from keypeg.terminal.progress_bars import thinking

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
    return 0 if found is None else REFUSED
