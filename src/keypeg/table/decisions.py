"""From a command to what it brings about: pure, but for the secrets that are drawn and sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from keypeg.draw import conceal, draw_code
from keypeg.rules.audit import audit
from keypeg.rules.code import check_code
from keypeg.rules.commitment import seal
from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    Resigned,
    SecretSet,
)
from keypeg.rules.game import Game, Phase
from keypeg.rules.referee import expiry, right_answer, ruling, verdict
from keypeg.rules.series import authorise, play_on
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
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    CreditTime,
    Expire,
    Guess,
    NextGame,
    OfferTime,
    Open,
    OwnCommand,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
)
from keypeg.table.errors import HintsOff, LogFull, NotReady, SeatHeld
from keypeg.table.names import read_name

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.series import Seat, Series
    from keypeg.store.events import Grade
    from keypeg.table.state import State

MOST_OFFERED: Final = 60 * 60
MOST_OFFERS: Final = 10
"""Offers of more time in one turn: each is an entry, and a log should end some day."""
MOST_HINTS: Final = 10
"""Hints before one row."""
MOST_ENTRIES: Final = 20_000
"""A log this long takes no more of what could go on for ever.

That is a series of the most games and rows there may be, or some five hundred ordinary ones. A
series that has begun is played to its end all the same.
"""
_HASH_DIGITS: Final = 64

Events = tuple[LogEvent, ...]


def opening(command: Open) -> tuple[TableEvent, ...]:
    """What opening a table brings about."""
    opened = Opened(command.settings)
    if command.seat is None:
        return (opened,)
    if command.settings.level(command.seat) is not None:
        raise SeatHeld("the computer has this seat")
    taken = TakeSeat(command.name, command.token_hash or "")
    return opened, SeatTaken(command.seat, *_introduction(taken))


def decide(state: State, seat: Seat | None, command: Command | OwnCommand) -> Events:
    """What `command` from `seat` brings about; refuses what is not allowed. None is the table."""
    if isinstance(command, Expire | CreditTime):
        return _of_itself(state, seat, command)
    if seat is None:
        raise NotYourTurn("a spectator has nothing to say in the game")
    if isinstance(command, TakeSeat):
        return (_take_seat(state, seat, command),)
    if not state.ready:
        raise NotReady("the game begins when both seats are taken")
    return _at_the_board(state, seat, command)


def _of_itself(state: State, seat: Seat | None, command: OwnCommand) -> Events:
    if seat is not None:
        raise NotYourTurn("only the clock of the table does this")
    if isinstance(command, CreditTime):
        return (TimeCredited(command.milliseconds),)
    game = _game(state.series)
    if game.outcome is not None:
        return _follow(state.series, Closed())
    drawn = conceal(draw_code(game.board))
    return _follow(state.series, expiry(game, drawn, seal(game.board, game.id, drawn)))


def _at_the_board(
    state: State,
    seat: Seat,
    command: SetSecret
    | Guess
    | Answer
    | Challenge
    | NextGame
    | Rematch
    | Resign
    | ClaimAbsent
    | OfferTime
    | UseHint,
) -> Events:
    series = state.series
    if state.seq >= MOST_ENTRIES:
        _check_end_in_sight(series, seat, command)
    match command:
        case SetSecret(code):
            return _set_secret(series, seat, code)
        case Guess(code):
            return _play(series, seat, Guessed(code))
        case Answer(keys):
            return _play(series, seat, Answered(keys))
        case Challenge():
            authorise(series, seat, Challenged(upheld=False))
            return _follow(series, verdict(_game(series)))
        case NextGame():
            return _next_game(state, seat)
        case Rematch():
            return _rematch(state, seat)
        case Resign():
            return _play(series, seat, Resigned(series.role(seat)))
        case ClaimAbsent():
            return _claim(state, seat)
        case OfferTime(seconds):
            return (_offer_time(state, seat, seconds),)
        case UseHint(grade):
            return (_use_hint(state, seat, grade),)
        case _:
            assert_never(command)


def _check_end_in_sight(series: Series, seat: Seat, command: Command) -> None:
    """Refuse what would lengthen a full log for ever: the series can come to its end without it.

    A wrong answer is among that: it makes a game void, which is then played again.
    """
    match command:
        case Rematch() | OfferTime() | UseHint():
            what = "play this series to its end"
        case Answer(keys) if seat is series.maker and _is_wrong(series, keys):
            what = "give the right answer, there is no room for a replay"
        case _:
            return
    raise LogFull(
        f"{MOST_ENTRIES:,} things have happened at this table, as many as it keeps: {what}, "
        "and open a new table for more"
    )


def _is_wrong(series: Series, keys: KeyPegs) -> bool:
    game = series.game
    return game is not None and game.phase is Phase.ANSWER and keys != right_answer(game)


def _play(series: Series, seat: Seat, event: Event) -> Events:
    authorise(series, seat, event)
    return _follow(series, event)


def _follow(series: Series, event: Event) -> Events:
    """An event and all that the referee adds to it."""
    events: list[Event] = []
    following: Event | None = event
    while following is not None:
        series = play_on(series, following)
        events.append(following)
        following = ruling(series.game) if series.game is not None else None
    return tuple(events)


def _set_secret(series: Series, seat: Seat, code: Code) -> Events:
    authorise(series, seat, SecretSet())
    game = _game(series)
    check_code(code, game.board)
    secret = conceal(code)
    return _follow(series, SecretSet(secret, seal(game.board, game.id, secret)))


def _next_game(state: State, seat: Seat) -> Events:
    series = state.series
    if not (series.challengeable and state.settings.level(seat.other) is not None):
        authorise(series, seat, Closed())
    elif series.game is not None and series.game.revealed and audit(series.game):
        raise NotYourTurn("the computer has a wrong answer to challenge first")
    return _follow(series, Closed())


def _rematch(state: State, seat: Seat) -> Events:
    if not state.series.over:
        raise NotYourTurn("a rematch is offered when the series is over")
    if state.rematch is seat:
        raise NotYourTurn("your offer of a rematch stands; the opponent is to answer it")
    agreed = state.rematch is seat.other or state.settings.level(seat.other) is not None
    offered = RematchOffered(seat)
    return (offered, Rematched()) if agreed else (offered,)


def _claim(state: State, seat: Seat) -> Events:
    if state.waits_for is not seat.other:
        raise NotYourTurn("only an opponent whom the game waits for can be claimed absent")
    series = state.series
    if series.challengeable and series.number == series.terms.games:
        # Nothing is left to leave: all that an absent breaker still holds up is the result.
        return _follow(series, Closed())
    return _follow(series, Abandoned(series.role(seat.other)))


def _offer_time(state: State, seat: Seat, seconds: int) -> TimeOffered:
    if type(seconds) is not int or not 1 <= seconds <= MOST_OFFERED:
        raise CannotRead(f"more time is 1 to {MOST_OFFERED} whole seconds")
    if state.turn is None:
        raise AgainstTheRules("no clock runs; nobody needs more time")
    if state.series.turn is not seat.other:
        raise NotYourTurn("more time is for the opponent, on the opponent's turn")
    if state.turn.offers >= MOST_OFFERS:
        raise AgainstTheRules(f"more time can be given {MOST_OFFERS} times in a turn")
    return TimeOffered(seconds)


def _use_hint(state: State, seat: Seat, grade: Grade | None) -> HintUsed:
    if not state.settings.hints_allowed:
        raise HintsOff("this table is played without hints")
    game = _game(state.series)
    if state.series.turn is not seat or game.phase is not Phase.GUESS:
        raise NotYourTurn("a hint is for the breaker, on the breaker's turn")
    if state.row_hints >= MOST_HINTS:
        raise AgainstTheRules(f"{MOST_HINTS} hints were asked for this row; play it")
    return HintUsed(len(game.rows) + 1, grade)


def _take_seat(state: State, seat: Seat, command: TakeSeat) -> SeatTaken:
    if state.taken(seat):
        by_whom = "the computer" if state.sitter(seat) is None else "somebody"
        raise SeatHeld(f"{by_whom} has this seat")
    name, token_hash = _introduction(command)
    if state.seat_of(token_hash) is not None:
        raise SeatHeld("you sit on the other side already")
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
