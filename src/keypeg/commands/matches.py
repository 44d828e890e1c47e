"""`race` and `duel`: all break at the same time, at a server or against the computer here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from keypeg.commands.options import (
    WholeNumber,
    board_option,
    computers_option,
    json_option,
    option,
)
from keypeg.rules.match.terms import LEAST_PLAYERS, MOST_PLAYERS, ROW_SECONDS, Goal, Pace
from keypeg.rules.terms import LONGEST_TURN

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from keypeg.terminal.match_sources import MatchSource

    Options = Callable[[Callable[..., None]], Callable[..., None]]

_NEW: Final = frozenset(
    ("board", "places", "computers", "pace", "goal", "key_pegs", "hide_keys", "row_seconds")
)
"""The options that describe a new match."""
_WITHOUT_EFFECT: Final = {
    "resume": _NEW | {"name", "open_at", "join", "watch"},
    "join": _NEW | {"open_at", "watch", "database"},
    "watch": _NEW | {"name", "open_at", "database"},
    "open_at": frozenset({"database"}),
}
"""Options, each with those that do nothing beside it."""


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    """The options that races and duels share."""
    options: tuple[Options, ...] = (
        board_option,
        computers_option,
        option(
            "--pace",
            type=click.Choice([pace.value for pace in Pace]),
            default=Pace.OWN.value,
            show_default=True,
            help="Rows are answered at once, or together when all have filled them.",
        ),
        option("--hide-keys", is_flag=True, help="Show others' key pegs only at the end."),
        option(
            "--row-seconds",
            type=WholeNumber(1, LONGEST_TURN),
            default=ROW_SECONDS,
            show_default=True,
            help="The time for each row.",
        ),
        option("--name", help="What you want to be called."),
        option("--open", "open_at", metavar="SERVER", help="Open it on a server; invite others."),
        option("--join", metavar="LINK", help="Take a place, or go on playing."),
        option("--watch", metavar="LINK", help="Look on."),
        option("--resume", is_flag=True, help="Continue the latest one against the computer here."),
        option("--database", help="Where it is saved, without a server: sqlite:///path."),
        json_option,
    )
    for one in reversed(options):
        command = one(command)
    return click.pass_context(command)


@click.command()
@option(
    "--places",
    type=WholeNumber(LEAST_PLAYERS, MOST_PLAYERS),
    help="How many play, with you and the computer.  [default: one more person]",
)
@option(
    "--goal",
    type=click.Choice([goal.value for goal in Goal]),
    default=Goal.ROWS.value,
    show_default=True,
    help="What decides: fewer rows, or less time.",
)
@_shared
def race(context: click.Context, /, **chosen: Any) -> None:
    """Race: two to eight break the same code at the same time, at a plain prompt.

    You see the others' key pegs, never their pegs. Without a server you race against the computer.
    With --json, every line of output is a JSON object.

    \b
    keypeg race --computers careful,perfect
    keypeg race --open http://localhost:8000 --places 4 --name Ann
    keypeg race --open http://localhost:8000 --pace together --row-seconds 60
    keypeg race --join http://localhost:8000/match/AAAAAAAAAAAAAAAAAAAAAA --name Bob
    keypeg race --watch http://localhost:8000/match/AAAAAAAAAAAAAAAAAAAAAA
    """
    _play(context, "race", chosen)


@click.command()
@option(
    "--key-pegs",
    type=click.Choice(["referee", "by-hand"]),
    default="referee",
    show_default=True,
    help="Who places the key pegs: the referee, or you for each other.",
)
@_shared
def duel(context: click.Context, /, **chosen: Any) -> None:
    """Duel: each of two breaks the other's code at the same time, at a plain prompt.

    Fewer rows win. With --key-pegs by-hand you place the key pegs for each other, and can
    challenge them. With --json, every line of output is a JSON object.

    \b
    keypeg duel --computers strong
    keypeg duel --open http://localhost:8000 --name Ann --key-pegs by-hand
    keypeg duel --join http://localhost:8000/match/AAAAAAAAAAAAAAAAAAAAAA --name Bob
    keypeg duel --watch http://localhost:8000/match/AAAAAAAAAAAAAAAAAAAAAA
    """
    _play(context, "duel", chosen)


def _play(context: click.Context, kind: str, chosen: dict[str, Any]) -> None:
    import asyncio

    from keypeg.table.names import read_name
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.live_keyboard import LiveKeyboard
    from keypeg.terminal.match import play_matches

    _refuse_without_effect(context)
    name = None if chosen["name"] is None else read_name(chosen["name"])
    link = chosen["join"] or chosen["watch"]
    wanted = {} if link or chosen["resume"] else _wanted(kind, chosen)
    source, first = _source(kind, chosen, link)
    as_json = chosen["as_json"]
    person = LiveKeyboard(talking=sys.stdin.isatty() and not as_json)
    teller = Teller(click.echo if as_json else person.write, as_json=as_json)
    watching = chosen["watch"] is not None
    with person.editing(), asyncio.Runner() as runner:
        playing = play_matches(source, first, name, person, teller, watching=watching, **wanted)
        runner.run(playing)


def _source(
    kind: str, chosen: dict[str, Any], link: str | None
) -> tuple[AbstractAsyncContextManager[MatchSource], str | None]:
    """Where to play, and which match; None opens one."""
    from keypeg.store.paths import default_database
    from keypeg.terminal.local_matches import latest, matches_alone
    from keypeg.terminal.match_sources import matches_at, parse_match_link

    if link is not None:
        server, id_ = parse_match_link(link)
        return matches_at(server), id_
    if chosen["open_at"] is not None:
        return matches_at(chosen["open_at"]), None
    address = chosen["database"] or default_database()
    first = latest(address, kind) if chosen["resume"] else None
    return matches_alone(address), first


def _wanted(kind: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """The match to be opened, as in `messages.NewMatch`; raises if it cannot be."""
    from keypeg.rules.match.terms import MatchKind, MatchTerms
    from keypeg.rules.terms import KeyPegMode

    computers, here = chosen["computers"], chosen["open_at"] is None
    if here and not computers:
        raise click.UsageError(
            f"name a server to open a {kind} on (--open), a {kind} to join (--join) or to watch "
            "(--watch), or computer players (--computers)"
        )
    most = (1 if kind == "duel" else MOST_PLAYERS - 1, "a duel" if kind == "duel" else "a race")
    if len(computers) > most[0]:
        raise click.UsageError(
            f"--computers names {len(computers)}; {most[1]} has {most[0]} at most"
        )
    terms = MatchTerms(
        MatchKind(kind),
        chosen["board"],
        Pace(chosen["pace"]),
        Goal(chosen.get("goal", Goal.ROWS.value)),
        not chosen["hide_keys"],
        KeyPegMode(chosen.get("key_pegs", KeyPegMode.REFEREE.value)),
        chosen["row_seconds"],
        _places(kind, chosen, here=here),
    )
    return {
        "kind": terms.kind,
        "board": str(terms.board),
        "pace": terms.pace,
        "goal": terms.goal,
        "keys_shown": terms.keys_shown,
        "key_pegs": terms.key_pegs,
        "row_seconds": terms.row_seconds,
        "places": terms.places,
        "computers": computers,
    }


def _places(kind: str, chosen: dict[str, Any], *, here: bool) -> int:
    """How many play: as many as asked for, or, at a server, one more person than are here."""
    given, taken = chosen.get("places"), 1 + len(chosen["computers"])
    if kind == "duel":
        return LEAST_PLAYERS
    if given is None:
        return taken if here else min(taken + 1, MOST_PLAYERS)
    if given < taken or (here and given > taken):
        raise click.UsageError(
            f"--places {given} does not fit: you and the computer are {taken}"
            + ("; nobody else can join without a server" if given > taken else "")
        )
    return int(given)


def _refuse_without_effect(context: click.Context) -> None:
    """Refuse options that would be ignored beside others."""
    source = context.get_parameter_source
    given = {name for name in context.params if source(name) is ParameterSource.COMMANDLINE}
    options = {one.name: one.opts[0] for one in context.command.params}
    for main, without in _WITHOUT_EFFECT.items():
        for other in sorted(given & without) if main in given else ():
            raise click.UsageError(f"{options[other]} has no effect with {options[main]}")
