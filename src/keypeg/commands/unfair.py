"""`unfair`: a game against the maker who is openly unfair."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from keypeg.commands.options import board_option, json_option, next_line, typed_line

if TYPE_CHECKING:
    from keypeg.rules.board import Board


@click.command()
@click.argument("guesses", nargs=-1, metavar="[GUESS]...")
@board_option
@json_option
def unfair(guesses: tuple[str, ...], board: Board, as_json: bool) -> None:
    """Play against the openly unfair maker.

    It has no code yet, and always gives the answer that leaves the most codes. GUESS...: rows to
    begin with, each as one word. With --json, every line of output is a JSON object.

    \b
    keypeg unfair
    keypeg unfair --board advanced
    keypeg unfair 1122 3345
    """
    from keypeg.rules.code import parse_code
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.unfair import play_unfair

    talking = sys.stdin.isatty() and not as_json
    codes = [parse_code(guess, board) for guess in guesses]
    play_unfair(
        board, codes, typed_line if talking else next_line, Teller(click.echo, as_json=as_json)
    )
