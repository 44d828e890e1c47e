"""What follows of itself: the referee's answers, reveals, verdicts, and what expiry brings.

The referee knows the secret. Everything here is a pure function of the game.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import Answered, Challenged, GameEvent, Revealed, RowExpired, SecretSet
from keypeg.rules.game import Game, Phase, apply, wrong_rows
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import play_on
from keypeg.rules.terms import KeyPegMode

if TYPE_CHECKING:
    from keypeg.rules.commitment import Opening
    from keypeg.rules.events import Event
    from keypeg.rules.series import Series


def play(series: Series, event: Event) -> tuple[Series, tuple[Event, ...]]:
    """The series after `event` and all that the referee adds to it, and those events in order."""
    if isinstance(event, SecretSet) and event.opening is None:
        raise AgainstTheRules("the referee must know the secret")
    series = play_on(series, event)
    events, game = [event], series.game
    while game is not None and (following := ruling(game)) is not None:
        game = apply(game, following)
        events.append(following)
    return series if game is series.game else replace(series, game=game), tuple(events)


def ruling(game: Game) -> GameEvent | None:
    """What the referee does next without being asked, if anything."""
    if game.phase is Phase.ANSWER and game.terms.key_pegs is KeyPegMode.REFEREE:
        return Answered(right_answer(game))
    if game.phase is Phase.OVER and game.opening is not None and not game.revealed:
        return Revealed(game.opening)
    return None


def right_answer(game: Game) -> KeyPegs:
    """The key pegs that the row waiting for an answer should get."""
    if game.phase is not Phase.ANSWER or game.opening is None:
        raise AgainstTheRules("no row waits for an answer, or the secret is not known")
    guess = game.rows[-1].guess
    assert guess is not None  # noqa: S101 - an expired row waits for no answer
    return score(game.opening.code, guess)


def verdict(game: Game) -> Challenged:
    """How a challenge ends: upheld if any answer is wrong for the secret."""
    return Challenged(upheld=game.secret_set and bool(wrong_rows(game)))


def expiry(game: Game, drawn: Opening, seal: str | None) -> GameEvent:
    """What happens when time runs out; `drawn` is the secret that serves if none was set."""
    if game.phase is Phase.SECRET:
        return SecretSet(drawn, seal, expired=True)
    if game.phase is Phase.GUESS:
        return RowExpired()
    if game.phase is Phase.ANSWER:
        return Answered(right_answer(game), expired=True)
    raise AgainstTheRules("the game is over; no time runs any more")
