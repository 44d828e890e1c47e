"""`contest`: one code, many breakers, at a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from keypeg.commands.options import (
    WholeNumber,
    board_option,
    computers_option,
    json_option,
    next_line,
    option,
    tell,
    typed_line,
)

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.terminal.saved_daily import SavedDaily

MOST_CODES = 20
MOST_HOURS = 366 * 24


@click.group()
def contest() -> None:
    """One code, many breakers: each breaks it alone, then all compare."""


@contest.command()
@option("--server", metavar="URL", required=True, help="The server that keeps the contest.")
@board_option
@option(
    "--code", "codes", multiple=True, metavar="CODE", help="A code that you choose; several times."
)
@option(
    "--count",
    type=WholeNumber(1, MOST_CODES),
    help="How many codes the server draws, without --code.  [default: 1]",
)
@option("--name", help="What you want to be called.")
@computers_option
@option("--hours", type=WholeNumber(1, MOST_HOURS), help="How long it is open.  [default: no end]")
@json_option
def create(
    server: str,
    board: Board,
    codes: tuple[str, ...],
    count: int | None,
    name: str | None,
    computers: tuple[str, ...],
    hours: int | None,
    as_json: bool,
) -> None:
    """Make a contest, and print the link to send to everybody.

    With --code, you know the codes, and cannot break them yourself.

    \b
    keypeg contest create --server http://localhost:8000 --code rrbg --name Cleo
    keypeg contest create --server http://localhost:8000 --count 5 --hours 48
    keypeg contest create --server http://localhost:8000 --computers careful,perfect
    """
    from keypeg.rules.code import parse_code
    from keypeg.terminal.contest import contests_at

    if codes and count is not None:
        raise click.UsageError("--count is for codes that the server draws: leave out --code")
    wanted: dict[str, Any] = {"board": str(board), "name": name, "count": count or 1}
    wanted["codes"] = tuple(parse_code(code, board) for code in codes) or None
    wanted["computers"] = computers
    wanted["seconds"] = None if hours is None else hours * 3600
    with contests_at(server, _saved()) as contests:
        made = contests.create(**wanted)
    tell(made, [made["link"]], as_json)


@contest.command()
@click.argument("link")
@option("--name", help="What you want to be called; needed once at most.")
@option(
    "--code", "number", type=WholeNumber(1, MOST_CODES), help="Which code.  [default: the next]"
)
@json_option
def play(link: str, name: str | None, number: int | None, as_json: bool) -> None:
    """Enter the contest at LINK, and break a code at a plain prompt.

    Every row is saved: the same command continues. With --json, every line of output is a JSON
    object.

    \b
    keypeg contest play http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA --name Ann
    keypeg contest play http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA --code 2
    """
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.contest import contests_at, parse_link

    server, id_ = parse_link(link)
    ask = typed_line if sys.stdin.isatty() and not as_json else next_line
    with contests_at(server, _saved()) as contests:
        contests.play(id_, name, number, ask, Teller(click.echo, as_json=as_json))


@contest.command()
@click.argument("link")
@json_option
def watch(link: str, as_json: bool) -> None:
    """Watch the contest at LINK instead of entering it: see the codes, and who is done.

    You see the codes at once, so you cannot enter it any more. 'keypeg contest show' looks again.

    \b
    keypeg contest watch http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA
    keypeg contest watch http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA --json
    """
    from keypeg.terminal.contest import contests_at, parse_link, show_lines

    server, id_ = parse_link(link)
    with contests_at(server, _saved()) as contests:
        shown = contests.watch(id_)
    tell(shown, show_lines(shown), as_json)


@contest.command()
@click.argument("link")
@json_option
def show(link: str, as_json: bool) -> None:
    """How everybody has fared in the contest at LINK, for the codes that you are done with.

    \b
    keypeg contest show http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA
    keypeg contest show http://localhost:8000/contest/AAAAAAAAAAAAAAAAAAAAAA --json
    """
    from keypeg.terminal.contest import contests_at, parse_link, show_lines

    server, id_ = parse_link(link)
    with contests_at(server, _saved()) as contests:
        shown = contests.show(id_)
    tell(shown, show_lines(shown), as_json)


def _saved() -> SavedDaily:
    from keypeg.store.paths import data_folder
    from keypeg.terminal.saved_daily import FILE, SavedDaily

    return SavedDaily(data_folder() / FILE)
