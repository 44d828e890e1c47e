"""`boards` and `score`: describe boards, and score a guess."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from keypeg.commands.options import BoardType, board_option, json_option, takes_codes

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@click.command()
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


@click.command(context_settings=takes_codes)
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
