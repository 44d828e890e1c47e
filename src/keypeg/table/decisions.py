"""From a command to what it brings about: pure, but for the secrets that are drawn and sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from keypeg.draw import conceal, draw_code
from keypeg.rules.code import check_code
from keypeg.rules.commitment import seal
from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Closed,
    LimitAccepted,
    LimitProposed,
    SecretSet,
)
from keypeg.rules.referee import expiry, play, right_answer, verdict
from keypeg.rules.series import play_on
from keypeg.store.events import (
    HintUsed,
    LogEvent,
    Opened,
    Rematched,
    RematchOffered,
    SeatTaken,
    TableEvent,
    TimeCredited,
    TimeOffered,
)
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    CreditTime,
    DeclineLimit,
    Expire,
    Guess,
    NextGame,
    OfferTime,
    Open,
    OwnCommand,
    ProposeLimit,
    Rematch,
    Resign,
    SeatedCommand,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.errors import SeatHeld
from keypeg.table.names import read_name
from keypeg.table.options import is_full
from keypeg.table.refusals import check, event_of, log_full

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.events import Event
    from keypeg.rules.game import Game
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.series import Seat, Series
    from keypeg.table.state import State

MOST_SECONDS_OFFERED: Final = 60 * 60
_HASH_DIGITS: Final = 64


class Decision(NamedTuple):
    """What a command brings about, and the series after it where the game itself goes on."""

    events: tuple[LogEvent, ...]
    series: Series | None = None


def opening(command: Open) -> tuple[TableEvent, ...]:
    """What opening a table brings about."""
    opened = Opened(command.settings)
    if command.seat is None:
        return (opened,)
    if command.settings.level(command.seat) is not None:
        raise SeatHeld("the computer has this seat")
    taken = TakeSeat(command.name, command.token_hash or "")
    return opened, SeatTaken(command.seat, *_introduction(taken))


def decide(state: State, seat: Seat | None, command: Command | OwnCommand) -> Decision:
    """What `command` from `seat` brings about; refuses what is not allowed. None is the table."""
    if isinstance(command, Expire | CreditTime):
        return _of_itself(state, seat, command)
    if seat is None:
        raise NotYourTurn("a spectator cannot play; take a seat first")
    if isinstance(command, TakeSeat):
        return Decision((_take_seat(state, seat, command),))
    check(state, seat, command)
    return _at_the_board(state, seat, command)


def _of_itself(state: State, seat: Seat | None, command: OwnCommand) -> Decision:
    if seat is not None:
        raise NotYourTurn("only the table itself can do this")
    if isinstance(command, CreditTime):
        return Decision((TimeCredited(command.milliseconds),))
    game = _game(state.series)
    if game.outcome is not None:
        return _played(state.series, Closed())
    drawn = conceal(draw_code(game.board))
    return _played(state.series, expiry(game, drawn, seal(game.board, game.id, drawn)))


def _at_the_board(state: State, seat: Seat, command: SeatedCommand) -> Decision:
    """What a command that is an option of `seat` brings about."""
    series = state.series
    match command:
        case SetSecret(code):
            return _set_secret(series, code)
        case Answer(keys):
            _check_end_in_sight(state, keys)
            return _played(series, Answered(keys))
        case Challenge():
            return _played(series, verdict(_game(series)))
        case Guess() | NextGame() | Resign():
            return _played(series, event_of(command, series, seat))
        case Rematch():
            return _rematch(state, seat)
        case ClaimAbsent():
            return _claim(series, seat)
        case OfferTime(seconds):
            return Decision((_offer_time(seconds),))
        case ProposeLimit(seconds):
            return Decision(_propose_limit(state, seat, seconds))
        case AcceptLimit() | DeclineLimit() | WithdrawLimit():
            return Decision((_checked(series, event_of(command, series, seat)),))
        case UseHint(grade):
            return Decision((HintUsed(len(_game(series).rows) + 1, grade),))
        case _:
            assert_never(command)


def _check_end_in_sight(state: State, keys: KeyPegs) -> None:
    """Refuse a wrong answer when the log is full: the game would have to be replayed."""
    if is_full(state) and keys != right_answer(_game(state.series)):
        raise log_full("give the right answer, there is no room for a replay")


def _played(series: Series, event: Event) -> Decision:
    after, events = play(series, event)
    return Decision(events, after)


def _set_secret(series: Series, code: Code) -> Decision:
    game = _game(series)
    check_code(code, game.board)
    secret = conceal(code)
    return _played(series, SecretSet(secret, seal(game.board, game.id, secret)))


def _rematch(state: State, seat: Seat) -> Decision:
    agreed = state.rematch is seat.other or state.settings.level(seat.other) is not None
    offered = RematchOffered(seat)
    return Decision((offered, Rematched()) if agreed else (offered,))


def _propose_limit(state: State, seat: Seat, seconds: int | None) -> tuple[LogEvent, ...]:
    """The computer accepts any limit at once."""
    proposed = LimitProposed(state.series.role(seat), seconds)
    _checked(state.series, proposed)
    accepts = state.settings.level(seat.other) is not None
    return (proposed, LimitAccepted(seconds)) if accepts else (proposed,)


def _checked(series: Series, event: Event) -> Event:
    """The event, if the rules allow it."""
    play_on(series, event)
    return event


def _claim(series: Series, seat: Seat) -> Decision:
    if series.challengeable and series.number == series.terms.games:
        # The last game is over; the absent breaker only delays the result.
        return _played(series, Closed())
    return _played(series, Abandoned(series.role(seat.other)))


def _offer_time(seconds: int) -> TimeOffered:
    if type(seconds) is not int or not 1 <= seconds <= MOST_SECONDS_OFFERED:
        raise CannotRead(f"extra time must be 1 to {MOST_SECONDS_OFFERED} whole seconds")
    return TimeOffered(seconds)


def _take_seat(state: State, seat: Seat, command: TakeSeat) -> SeatTaken:
    if state.taken(seat):
        by_whom = "the computer" if state.sitter(seat) is None else "somebody"
        raise SeatHeld(f"{by_whom} has this seat")
    name, token_hash = _introduction(command)
    if state.seat_of(token_hash) is not None:
        raise SeatHeld("you already have the other seat")
    return SeatTaken(seat, name, token_hash)


def _introduction(command: TakeSeat) -> tuple[str, str]:
    """A name fit to be shown, and the hash of a token."""
    name = read_name(command.name)
    token_hash = command.token_hash
    if len(token_hash) != _HASH_DIGITS or not set(token_hash) <= set("0123456789abcdef"):
        raise CannotRead("a token hash is 64 hexadecimal digits")
    return name, token_hash


def _game(series: Series) -> Game:
    if series.game is None:
        raise AgainstTheRules("the series is over")
    return series.game
