"""What each command causes: the events that are written, or the reason why it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, assert_never

from keypeg.draw import conceal, draw_code
from keypeg.matches.commands import (
    Accept,
    Another,
    Answer,
    AnyCommand,
    Challenge,
    Credit,
    Expire,
    GiveUp,
    Guess,
    Join,
    Leave,
    Open,
    Rename,
    SetSecret,
    Start,
)
from keypeg.matches.errors import NoPlace, NotDue, RowTooLate, WrongRow
from keypeg.rules.code import check_code
from keypeg.rules.commitment import seal
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import Answered, Guessed, Resigned, Role
from keypeg.rules.events import SecretSet as SecretWasSet
from keypeg.rules.keypegs import check_key_pegs
from keypeg.rules.match.events import AnswersAccepted, Begun, Followed, InGame, Joined, Left, Task
from keypeg.rules.match.options import MatchOption, authorise
from keypeg.rules.match.referee import expiry, played, verdict
from keypeg.rules.match.state import Match, game_id
from keypeg.rules.match.terms import MatchKind, MatchTerms
from keypeg.store.match_events import LoggedMatchEvent, MatchOpened, Renamed, Seated

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.matches.state import State
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.rules.match.events import MatchEvent
    from keypeg.rules.match.state import MatchClock

    Events = tuple[LoggedMatchEvent, ...]
    Draw = Callable[[Board], Code]
    Conceal = Callable[[Code], Opening]

MOST_RENAMES: Final = 20
"""How often a player can take another name, so that a log ends although nothing begins."""


def opening(command: Open, match_id: str, *, draw: Draw = draw_code) -> Events:
    """The events that open a match."""
    terms = command.terms
    if len(command.levels) >= terms.places:
        raise AgainstTheRules(
            f"of {terms.places} places one is yours: the computer can have {terms.places - 1}"
        )
    events: list[LoggedMatchEvent] = [MatchOpened(terms)]
    if terms.kind is MatchKind.RACE:
        events.append(InGame(0, _sealed(draw(terms.board), terms, game_id(match_id, 0))))
    events += [Joined(1), Seated(1, command.holder, command.name)]
    for number, level in enumerate(command.levels, 2):
        events += [Joined(number), Seated(number, None, None, level)]
    full = 1 + len(command.levels) == terms.places
    if full and terms.kind is MatchKind.DUEL:
        events.append(Begun())
    return tuple(events)


def decide(state: State, player: int, command: AnyCommand, at: int, received: int) -> Events:
    """The events that a command of a player causes, 0 being the match itself.

    `received` is when the server got it, `at` when it is written.
    """
    match = state.match
    match command:
        case Join(holder, name):
            return _join(match, holder, name)
        case Rename(name):
            return _rename(state, player, name)
        case Expire(moment):
            return _expire(match, moment, at)
        case Credit(credits_):
            return _credit(match, credits_, at)
        case _:
            _authorise(state, player, command)
            return played(match, _cause(match, player, command, at, received), at)[1]


def _rename(state: State, player: int, name: str | None) -> Events:
    if state.begun:
        raise AgainstTheRules("names can be changed until the match begins")
    if not state.match.has(player):
        raise NoPlace("you have left this match")
    if state.people[player].renames >= MOST_RENAMES:
        raise AgainstTheRules(f"in a match a name can be changed {MOST_RENAMES} times, not more")
    return (Renamed(player, name),)


def _join(match: Match, holder: str, name: str | None) -> Events:
    authorise(match, None, MatchOption.JOIN)
    number = match.joins + 1
    joined: Events = (Joined(number), Seated(number, holder, name))
    full = len(match.players) + 1 == match.terms.places
    return (*joined, Begun()) if full else joined


_OPTIONS = {
    Start: MatchOption.START,
    Leave: MatchOption.LEAVE,
    SetSecret: MatchOption.SECRET,
    Guess: MatchOption.GUESS,
    Answer: MatchOption.ANSWER,
    Challenge: MatchOption.CHALLENGE,
    Accept: MatchOption.CLOSE,
    GiveUp: MatchOption.GIVE_UP,
    Another: MatchOption.ANOTHER,
}
"""The option with which each command is allowed."""


def _authorise(state: State, player: int, command: AnyCommand) -> None:
    match = state.match
    if not match.has(player):
        raise NoPlace("only the players of this match can do this; you look on")
    row = _row(match, player, command)
    if row is not None and row.late:
        raise RowTooLate(f"the time for row {row.wanted} ran out before this came")
    authorise(match, player, _OPTIONS[type(command)])
    if row is not None and row.wanted != row.due:
        raise WrongRow(f"row {row.due} is next, not row {row.wanted}")


class _Row(NamedTuple):
    """The row that a command is meant for, the one it may be for, and whether its time is over."""

    wanted: int
    due: int
    late: bool


def _row(match: Match, player: int, command: AnyCommand) -> _Row | None:
    match command:
        case Guess(wanted):
            rows, due = match.player(player).game.rows, 1
        case Answer(wanted) if match.terms.by_hand and match.full:
            rows, due = match.opponent(player).game.rows, 0
        case _:
            return None
    late = wanted <= len(rows) and rows[wanted - 1].expired
    return _Row(wanted, len(rows) + due, late)


def _cause(match: Match, player: int, command: AnyCommand, at: int, received: int) -> MatchEvent:
    """The event that a command of a player is."""
    match command:
        case Start():
            return Begun()
        case Leave():
            return Left(player)
        case SetSecret(code):
            breaker = match.opponent(player)
            return InGame(breaker.number, _sealed(code, match.terms, breaker.game.id))
        case Guess(_, code):
            check_code(code, match.terms.board)
            clock = _clock(match, player, Task.ROW)
            return InGame(player, Guessed(code), min(max(received, clock.since), at))
        case Answer(_, keys):
            check_key_pegs(keys, match.terms.board)
            return InGame(match.opponent(player).number, Answered(keys))
        case Challenge():
            return InGame(player, verdict(match.player(player)))
        case Accept():
            return AnswersAccepted(player)
        case GiveUp():
            return InGame(player, Resigned(Role.BREAKER))
        case Another(next_):
            return Followed(next_)
        case Join() | Rename() | Expire() | Credit():
            return _never()
        case _:
            assert_never(command)


def _never() -> NoReturn:
    raise AgainstTheRules("this is not a player's move")


def _clock(match: Match, player: int, task: Task) -> MatchClock:
    return next(clock for clock in match.clocks if clock.turn[:2] == (player, task))


def _sealed(code: Code, terms: MatchTerms, game: str) -> SecretWasSet:
    check_code(code, terms.board)
    hidden = conceal(code)
    return SecretWasSet(hidden, seal(terms.board, game, hidden))


def _expire(match: Match, moment: int, at: int) -> Events:
    """What happens to all clocks that had run out, the earliest first."""

    def draw(game: str) -> tuple[Opening, str | None]:
        drawn = _sealed(draw_code(match.terms.board), match.terms, game)
        assert drawn.opening is not None  # noqa: S101 - it was just drawn
        return drawn.opening, drawn.seal

    late = [clock for clock in match.clocks if clock.due <= moment]
    if not late:
        raise NotDue("the time for this has not run out")
    events: list[MatchEvent] = []
    for turn in (clock.turn for clock in sorted(late, key=lambda clock: clock.due)):
        if any(clock.turn == turn for clock in match.clocks):
            match, more = played(match, expiry(match, turn, draw), at)
            events += more
    return tuple(events)


def _credit(match: Match, credits_: tuple[MatchEvent, ...], at: int) -> Events:
    events: list[MatchEvent] = []
    for credit in credits_:
        match, more = played(match, credit, at)
        events += more
    return tuple(events)
