"""What a seat may do now. Nothing else in the program decides this.

`options` is a pure function of the series. `authorise` uses it to refuse moves, and so does all
code that offers moves to players. It reads only what both players can see: it gives the same
result for one seat's view of a series as for the whole series, and reveals nothing.

An option says what may be done, not with which arguments: a player who may guess can still write
a code that is not legal on the board. What the referee does, and what happens when time runs out,
are not options.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NoReturn

from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import (
    Answered,
    Challenged,
    Closed,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Role,
    SecretSet,
)
from keypeg.rules.game import Phase
from keypeg.rules.series import play_on
from keypeg.rules.terms import KeyPegMode, Scoring

if TYPE_CHECKING:
    from keypeg.rules.events import Event
    from keypeg.rules.game import Game
    from keypeg.rules.series import Seat, Series


class Option(Enum):
    """Something a seat may do. The value is the name of the command for it."""

    SET_SECRET = "set-secret"  # noqa: S105 - a command, not a password
    GUESS = "guess"
    ANSWER = "answer"
    CHALLENGE = "challenge"
    NEXT_GAME = "next-game"
    RESIGN = "resign"
    PROPOSE_LIMIT = "propose-limit"
    ACCEPT_LIMIT = "accept-limit"
    DECLINE_LIMIT = "decline-limit"
    WITHDRAW_LIMIT = "withdraw-limit"

    __hash__ = object.__hash__
    """Compared as one object, as `Seat` is, which is faster."""


Options = frozenset[Option]

_NOTHING: Final[Options] = frozenset()
_CHALLENGE: Final = frozenset({Option.CHALLENGE})
_NEXT_GAME: Final = frozenset({Option.NEXT_GAME})
_RESIGN: Final = frozenset({Option.RESIGN})
_PROPOSE: Final = frozenset({Option.PROPOSE_LIMIT})
_WITHDRAW: Final = frozenset({Option.WITHDRAW_LIMIT})
_REPLY: Final = frozenset({Option.ACCEPT_LIMIT, Option.DECLINE_LIMIT})
_ON_TURN: Final = {
    Phase.SECRET: frozenset({Option.SET_SECRET, Option.RESIGN}),
    Phase.GUESS: frozenset({Option.GUESS, Option.RESIGN}),
    Phase.ANSWER: frozenset({Option.ANSWER, Option.RESIGN}),
}
"""What the player whose turn it is may do, in each phase."""


def options(series: Series, seat: Seat) -> Options:
    """What `seat` may do now."""
    game = series.game
    if game is None or series.awarded is not None or series.over:
        return _NOTHING
    return _in_the_game(series, game, series.role(seat)) | _about_the_limit(series, seat)


def _in_the_game(series: Series, game: Game, role: Role) -> Options:
    if game.outcome is not None:
        return _after_the_game(series, game, role)
    found = _ON_TURN[game.phase] if game.turn is role else _RESIGN
    if role is Role.BREAKER and game.terms.scoring is Scoring.KEY_PEGS:
        # The rows that are left would give the maker nothing: giving up would beat playing.
        found -= _RESIGN
    return found | _CHALLENGE if role is Role.BREAKER and game.questionable else found


def _after_the_game(series: Series, game: Game, role: Role) -> Options:
    """Closing a game gives up the right to challenge it, so only the breaker may do so."""
    close = _NEXT_GAME if game.settled else _NOTHING
    if not series.challengeable:
        return close
    return close | _CHALLENGE if role is Role.BREAKER else _NOTHING


def _about_the_limit(series: Series, seat: Seat) -> Options:
    """Only one proposal is open at a time, and each player may make one in a turn."""
    if series.last_game_over:
        return _NOTHING
    if series.proposal is not None:
        return _WITHDRAW if series.proposal.seat is seat else _REPLY
    return _NOTHING if seat in series.proposers else _PROPOSE


def authorise(series: Series, seat: Seat, event: Event) -> None:
    """Raise an error, with the reason, if `seat` may not cause this event now.

    The result of a challenge is not checked here: `referee.verdict` decides it, not the player.
    """
    option = option_of(series, event)
    if option is None:
        raise NotYourTurn("only the referee can do this")
    own = not isinstance(event, Resigned | LimitProposed) or event.role is series.role(seat)
    if not own or option not in options(series, seat):
        _refuse(series, seat, event)


def option_of(series: Series, event: Event) -> Option | None:
    """The option with which a player causes this event. None if only the referee can."""
    match event:
        case SecretSet(expired=False):
            return Option.SET_SECRET
        case Guessed():
            return Option.GUESS
        case Answered(expired=False) if series.terms.key_pegs is not KeyPegMode.REFEREE:
            return Option.ANSWER
        case Challenged():
            return Option.CHALLENGE
        case Closed():
            return Option.NEXT_GAME
        case Resigned():
            return Option.RESIGN
        case LimitProposed():
            return Option.PROPOSE_LIMIT
        case LimitAccepted():
            return Option.ACCEPT_LIMIT
        case LimitDeclined():
            return Option.DECLINE_LIMIT
        case LimitWithdrawn():
            return Option.WITHDRAW_LIMIT
        case _:
            return None


def _refuse(series: Series, seat: Seat, event: Event) -> NoReturn:
    actor = _actor(series, event)
    if actor not in (None, series.role(seat)):
        raise NotYourTurn(f"only the {actor.value} can do this; you are the {actor.other.value}")
    play_on(series, event)  # raises the error with the exact reason
    if isinstance(event, Resigned):
        raise AgainstTheRules(
            "where key pegs are scored the breaker cannot resign a game, because each row counts "
            "by its key pegs; play the rows that are left"
        )
    raise AgainstTheRules("this is not possible now")


def _actor(series: Series, event: Event) -> Role | None:
    """The role that causes this event. None if either player may."""
    match event:
        case Resigned(role) | LimitProposed(role):
            return role
        case LimitWithdrawn() if series.proposal is not None:
            return series.role(series.proposal.seat)
        case LimitAccepted() | LimitDeclined() if series.proposal is not None:
            return series.role(series.proposal.seat.other)
        case LimitAccepted() | LimitDeclined() | LimitWithdrawn():
            return None
        case SecretSet() | Answered():
            return Role.MAKER
        case Guessed() | Challenged():
            return Role.BREAKER
        case _:
            return Role.BREAKER if series.challengeable else None
