"""What a seat may do now, as data: the one place that decides it.

`options` is a pure function of the series. `authorise` refuses by it, and everything that offers
moves to players or checks them asks it. It reads only what both players see, so a series folded
from one seat's view gives the same options as the whole one: asking gives nothing away.

An option is about what and when, not about arguments: whoever may guess may still write a code
that the board does not have. What the referee does of itself, and what time brings about, is not
an option of anybody's.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NoReturn

from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import Answered, Challenged, Closed, Guessed, Resigned, Role, SecretSet
from keypeg.rules.game import Phase
from keypeg.rules.series import play_on
from keypeg.rules.terms import KeyPegMode

if TYPE_CHECKING:
    from keypeg.rules.events import Event
    from keypeg.rules.game import Game
    from keypeg.rules.series import Seat, Series


class Option(Enum):
    """Something a seat may do; its value is the name of the command that does it."""

    SET_SECRET = "set-secret"  # noqa: S105 - a command, not a password
    GUESS = "guess"
    ANSWER = "answer"
    CHALLENGE = "challenge"
    NEXT_GAME = "next-game"
    RESIGN = "resign"


Options = frozenset[Option]

_NOTHING: Final[Options] = frozenset()
_CHALLENGE: Final = frozenset({Option.CHALLENGE})
_NEXT_GAME: Final = frozenset({Option.NEXT_GAME})
_RESIGN: Final = frozenset({Option.RESIGN})
_ON_TURN: Final = {
    Phase.SECRET: frozenset({Option.SET_SECRET, Option.RESIGN}),
    Phase.GUESS: frozenset({Option.GUESS, Option.RESIGN}),
    Phase.ANSWER: frozenset({Option.ANSWER, Option.RESIGN}),
}
"""What whoever is on turn may do, by what the game waits for."""


def options(series: Series, seat: Seat) -> Options:
    """What `seat` may do now."""
    game = series.game
    if game is None or series.awarded is not None or series.over:
        return _NOTHING
    role = series.role(seat)
    if game.outcome is not None:
        return _after_the_game(series, game, role)
    found = _ON_TURN[game.phase] if game.turn is role else _RESIGN
    return found | _CHALLENGE if role is Role.BREAKER and game.questionable else found


def _after_the_game(series: Series, game: Game, role: Role) -> Options:
    """Only the breaker has a challenge to lose, so only the breaker closes a game open to one."""
    close = _NEXT_GAME if game.settled else _NOTHING
    if not series.challengeable:
        return close
    return close | _CHALLENGE if role is Role.BREAKER else _NOTHING


def authorise(series: Series, seat: Seat, event: Event) -> None:
    """Refuse an event that `seat` may not bring about now, and say why.

    How a challenge ends is the referee's to say: ask `referee.verdict`, not the player.
    """
    option = option_of(series, event)
    if option is None:
        raise NotYourTurn("only the referee does this")
    own = not isinstance(event, Resigned) or event.role is series.role(seat)
    if not own or option not in options(series, seat):
        _refuse(series, seat, event)


def option_of(series: Series, event: Event) -> Option | None:
    """The option by which a player brings this event about; None for the referee's own."""
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
        case _:
            return None


def _refuse(series: Series, seat: Seat, event: Event) -> NoReturn:
    actor = _actor(series, event)
    if actor not in (None, series.role(seat)):
        raise NotYourTurn(f"this is for the {actor.value} to do; you are the {actor.other.value}")
    play_on(series, event)  # which says what stands in the way
    raise AgainstTheRules("this cannot be done now")


def _actor(series: Series, event: Event) -> Role | None:
    """Whose deed an event is; None where it is either player's."""
    match event:
        case Resigned(role):
            return role
        case SecretSet() | Answered():
            return Role.MAKER
        case Guessed() | Challenged():
            return Role.BREAKER
        case _:
            return Role.BREAKER if series.challengeable else None
