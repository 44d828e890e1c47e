"""`play`, `tables`, `assist` and `watch`: play, find tables, get help, and watch strategies."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from keypeg.commands.options import (
    WholeNumber,
    board_option,
    complete_strategies,
    json_option,
    level_option,
    next_line,
    option,
    plot_option,
    tell,
)
from keypeg.rules.errors import counted
from keypeg.rules.terms import KeyPegMode, Scoring

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from enum import Enum
    from pathlib import Path

    from keypeg.rules.board import Board
    from keypeg.terminal.choices import SeriesChoices
    from keypeg.terminal.sitting import Sitting

    Seating = AbstractAsyncContextManager[Sitting]


def _choice(kind: type[Enum]) -> click.Choice[str]:
    return click.Choice([member.value for member in kind])


@click.command()
@board_option
@option(
    "--role",
    type=click.Choice(["breaker", "maker", "both"]),
    default="breaker",
    show_default=True,
    help="What you are in the first game; both: two people at this terminal.",
)
@level_option
@option("--games", default=2, show_default=True, help="How many games; an even number.")
@option(
    "--key-pegs",
    type=_choice(KeyPegMode),
    default="referee",
    show_default=True,
    help="Who places the key pegs, and whether mistakes are possible.",
)
@option("--scoring", type=_choice(Scoring), default="rows", show_default=True)
@option("--turn-seconds", type=int, help="Time limit a turn.  [default: none]")
@option(
    "--hints/--no-hints",
    default=None,
    help="Whether hints are allowed.  [default: only against the computer]",
)
@option("--name", "names", multiple=True, help="Your name; twice for two people.")
@option("--resume", is_flag=True, help="Continue the series that was paused last.")
@option("--database", help="Where games are saved: sqlite:///path, or memory to save nothing.")
@option("--join", metavar="URL", help="Take a seat at a server's table, by its link.")
@option("--open", "open_at", metavar="SERVER", help="Open a table on a server; invite others.")
@option("--public", is_flag=True, help="With --open: 'keypeg tables' lists the table.")
@option("--watch", metavar="URL", help="Watch a server's table, by its link.")
@option("--plain", is_flag=True, help="Plain prompts instead of the full screen.")
@json_option
@click.pass_context
def play(
    context: click.Context,
    /,
    resume: bool,
    database: str | None,
    join: str | None,
    open_at: str | None,
    public: bool,
    watch: str | None,
    plain: bool,
    as_json: bool,
    **wish: Any,
) -> None:
    """Play whole series against the computer, or two people at one terminal.

    In a pipe, on a terminal that cannot draw, or with --plain the game uses plain prompts. With
    --json every line of output is a JSON object. A game on the full screen or at a prompt is
    saved and can be resumed; a game in a pipe is saved only with --database.

    \b
    keypeg play
    keypeg play --role maker --level strong --board advanced
    keypeg play --role both --name Ada --name Bob --key-pegs by-hand
    keypeg play --plain --turn-seconds 180
    keypeg play --resume
    keypeg play --join http://localhost:8000/table/ID --name Ada
    keypeg play --open http://localhost:8000 --name Ada --board advanced
    keypeg play --watch http://localhost:8000/table/ID
    """
    _refuse_without_effect(context)
    choices = _choices(**wish)
    saved = sys.stdin.isatty() and not as_json
    address = database or (_default_database() if saved or resume else "memory")
    seating = _seating(address, choices, resume, join, open_at, public, watch)
    if as_json or plain or not _full_screen():
        _play_plainly(seating, as_json)
        return
    from keypeg.terminal.screen.app import play_on_screen

    chosen = resume or join or open_at or watch or _given(context) & wish.keys()
    farewell = play_on_screen(address, seating if chosen else None)
    if farewell:
        click.echo(farewell)


def _seating(
    address: str,
    choices: SeriesChoices,
    resume: bool,
    join: str | None,
    open_at: str | None,
    public: bool,
    watch: str | None,
) -> Seating:
    """A seat to take: at a server's table, a paused one, or a new one; or a table to watch."""
    from keypeg.terminal.local_tables import seated

    if join is None and open_at is None and watch is None:
        return seated(address, None if resume else choices)
    from keypeg.terminal import remote

    if join is not None:
        return remote.joined(join, *choices.called[:1])
    if watch is not None:
        return remote.watched(watch)
    return remote.opened(open_at or "", choices, public=public)


_NEW_SERIES: Final = frozenset(
    ("board", "role", "level", "games", "key_pegs", "scoring", "turn_seconds", "hints")
)
"""The options that describe a new series."""
_WITHOUT_EFFECT: Final = {
    "resume": _NEW_SERIES | {"names", "join", "open_at", "watch", "public"},
    "join": _NEW_SERIES | {"database", "open_at", "watch", "public"},
    "watch": _NEW_SERIES | {"names", "database", "open_at", "public"},
    "open_at": frozenset({"level", "database"}),
}
"""Options, each with those that do nothing beside it."""


def _given(context: click.Context) -> set[str]:
    """The options that were given, by the names of their parameters."""
    source = context.get_parameter_source
    return {name for name in context.params if source(name) is ParameterSource.COMMANDLINE}


def _refuse_without_effect(context: click.Context) -> None:
    """Refuse options that would be ignored beside others."""
    given, option = _given(context), {one.name: one.opts[0] for one in context.command.params}
    for main, without in _WITHOUT_EFFECT.items():
        for other in sorted(given & without) if main in given else ():
            raise click.UsageError(f"{option[other]} has no effect with {option[main]}")
    both, names = context.params["role"] == "both", context.params["names"]
    if both and "open_at" in given:
        raise click.UsageError("with --open the other player sits elsewhere; use another --role")
    if both and "level" in given:
        raise click.UsageError("--level has no effect with --role both")
    if "public" in given and "open_at" not in given:
        raise click.UsageError("--public has no effect without --open")
    _refuse_names(names, 2 if both else 1)


def _refuse_names(names: tuple[str, ...], most: int) -> None:
    if len(names) > most:
        people = counted(most, "person", "people")
        raise click.UsageError(f"--name was given {len(names)} times, for {people} here")


@click.command()
@click.argument("server", required=False)
@option("--mine", is_flag=True, help="Your own open tables, those first where it is your turn.")
@json_option
def tables(server: str | None, mine: bool, as_json: bool) -> None:
    """List the public tables of a server: whom you can join, and what you can watch.

    With --mine, your own open tables, races and duels, of all servers or of SERVER.

    \b
    keypeg tables http://localhost:8000
    keypeg tables --mine
    """
    import asyncio

    from keypeg.terminal import listing, my_matches, my_tables
    from keypeg.terminal.match_sources import saved_matches, saved_tokens
    from keypeg.terminal.remote import public_tables, read_server, saved_seats

    if mine:
        own = asyncio.run(my_tables.my_tables(saved_seats(), server))
        matches = asyncio.run(my_matches.my_matches(saved_matches(), saved_tokens(), server))
        data = [*my_tables.as_data(own), *my_matches.as_data(matches)]
        lines = [*my_tables.as_lines(own)] if own or not matches else []
        tell(data, [*lines, *my_matches.as_lines(matches)], as_json)
        return
    if server is None:
        raise click.UsageError("name a server, or use --mine for your own tables")
    found = asyncio.run(public_tables(server))
    url = read_server(server)
    tell(listing.as_data(url, found), listing.as_lines(url, found), as_json)


@click.command()
@click.argument("side", type=click.Choice(["breaker", "maker", "referee"]), default="breaker")
@board_option
@level_option
@option("--games", default=2, show_default=True, help="Games of a refereed series.")
@option("--name", "names", multiple=True, help="A player of a refereed series; twice.")
@json_option
@click.pass_context
def assist(
    context: click.Context,
    /,
    side: str,
    board: Board,
    level: str,
    games: int,
    names: tuple[str, ...],
    as_json: bool,
) -> None:
    """Help beside a real board, at a plain prompt.

    \b
    breaker  enter your rows and their answers; see how many codes are left, the next guess and
             why; undo, ignore or correct a row; see which answers contradict each other, and
             what they should have been
    maker    the program stores your secret and gives the right key pegs
    referee  both, for a whole series, with the score sheet

    \b
    keypeg assist
    keypeg assist maker --board advanced
    keypeg assist referee --name Ada --name Bob
    """
    _refuse_for_side(context, side, names)
    from getpass import getpass

    from keypeg.terminal.assist import Teller, assist_breaker, assist_maker
    from keypeg.terminal.keyboard import hide_last_line

    talking = sys.stdin.isatty() and not as_json
    ask, ask_secretly = (input, getpass) if talking else (next_line, next_line)
    teller = Teller(click.echo, as_json=as_json)
    if side == "breaker":
        assist_breaker(board, level, ask, teller)
    elif side == "maker":
        assist_maker(board, ask, ask_secretly, teller, hide_last_line if talking else None)
    else:
        _referee(board, games, names, as_json)


_FOR_SIDES: Final = {"level": "breaker", "games": "referee", "names": "referee"}
"""Options of `assist` that only one side has."""


def _refuse_for_side(context: click.Context, side: str, names: tuple[str, ...]) -> None:
    for name, only in _FOR_SIDES.items():
        if name in _given(context) and side != only:
            option = "--name" if name == "names" else f"--{name}"
            raise click.UsageError(f"{option} has no effect with 'assist {side}'")
    _refuse_names(names, 2)


def _referee(board: Board, games: int, names: tuple[str, ...], as_json: bool) -> None:
    from keypeg.terminal.choices import Part, SeriesChoices
    from keypeg.terminal.local_tables import seated

    both = SeriesChoices(board, Part.BOTH, games=games, called=names, hints=True)
    saved = sys.stdin.isatty() and not as_json
    address = _default_database() if saved else "memory"
    _play_plainly(seated(address, both), as_json)


@click.command()
@board_option
@option(
    "--strategies",
    default="minimax,entropy,learned,book",
    show_default=True,
    help="One-step rules, levels, 'book' for the shipped one, or a book's file; with commas.",
    shell_complete=complete_strategies,
)
@option(
    "--sample",
    type=WholeNumber(1, 1_000_000),
    help="Play only against this many secrets, drawn at random.",
)
@option("--seed", default=0, show_default=True, help="Seed of all random choices.")
@plot_option
@json_option
def watch(
    board: Board, strategies: str, sample: int | None, seed: int, plot: Path | None, as_json: bool
) -> None:
    """Watch strategies play against every secret, and compare them.

    Rules: minimax, expected-size, entropy, parts, learned. Levels: beginner, casual, careful,
    strong, perfect; these play game by game, so a --sample of the secrets may be enough. With the
    same --seed, all strategies play against the same sample.

    \b
    keypeg watch --strategies minimax,entropy,book
    keypeg watch --board 4x8 --strategies beginner,careful,strong --sample 100
    keypeg watch --plot guesses.png
    """
    from keypeg.solver.tournament import standing_of
    from keypeg.terminal import standings
    from keypeg.terminal.progress_bars import progress_bar

    found = []
    for name in filter(None, map(str.strip, strategies.split(","))):
        with progress_bar(name) as progress:
            found.append(standing_of(board, name, sample, seed=seed, progress=progress))
    if not found:
        raise click.UsageError("name at least one strategy")
    if plot is not None:
        from keypeg.terminal.pictures import draw_standings

        draw_standings(board, standings.ranked(found), plot)
    tell(standings.as_data(board, found), standings.as_lines(board, found), as_json)


def _choices(
    board: Board,
    role: str,
    level: str,
    games: int,
    key_pegs: str,
    scoring: str,
    turn_seconds: int | None,
    hints: bool | None,
    names: tuple[str, ...],
) -> SeriesChoices:
    from keypeg.terminal.choices import Part, SeriesChoices

    chosen = SeriesChoices(
        board=board,
        part=Part(role),
        level=level,
        games=games,
        key_pegs=KeyPegMode(key_pegs),
        scoring=Scoring(scoring),
        turn_seconds=turn_seconds,
        hints=hints,
        called=names,
    )
    _ = chosen.settings  # raises if refused, before anything is drawn or opened
    return chosen


def _full_screen() -> bool:
    """Whether there is a terminal that can be drawn on."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _default_database() -> str:
    from keypeg.store.paths import default_database

    return default_database()


def _play_plainly(seating: Seating, as_json: bool) -> None:
    from keypeg.terminal.keyboard import Keyboard
    from keypeg.terminal.narration import JsonNarrator, Narrator
    from keypeg.terminal.plain import converse

    narrator = JsonNarrator(click.echo) if as_json else Narrator(click.echo)
    converse(seating, Keyboard(talking=sys.stdin.isatty() and not as_json), narrator)
