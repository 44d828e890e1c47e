"""The referee: answers, reveals, verdicts on challenges, and what happens when time runs out.

These are pure functions of a game with its secret.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import Answered, Challenged, GameEvent, Revealed, RowExpired, SecretSet
from keypeg.rules.game import Ending, Game, Outcome, Phase, apply, wrong_rows
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import play_on
from keypeg.rules.terms import KeyPegMode

if TYPE_CHECKING:
    from keypeg.rules.commitment import Opening
    from keypeg.rules.events import Event
    from keypeg.rules.series import Series


def play(series: Series, event: Event) -> tuple[Series, tuple[Event, ...]]:
    """The series after `event` and the referee's events that follow it, and all these events."""
    if isinstance(event, SecretSet) and event.opening is None:
        raise AgainstTheRules("the referee needs the secret")
    series = play_on(series, event)
    events, game = [event], series.game
    while game is not None and (following := ruling(game)) is not None:
        game = apply(game, following)
        events.append(following)
    return series if game is series.game else replace(series, game=game), tuple(events)


def ruling(game: Game) -> GameEvent | None:
    """The next event that follows without a move of a player, or None."""
    phase = game.phase
    if phase is Phase.ANSWER and game.terms.key_pegs is KeyPegMode.REFEREE:
        return Answered(right_answer(game))
    if phase is Phase.OVER and game.opening is not None and not game.revealed:
        return verdict(game) if _is_evasive(game) else Revealed(game.opening)
    return None


def _is_evasive(game: Game) -> bool:
    """Whether the maker resigned after a wrong answer: that does not save the points for it."""
    resigned = game.outcome == Outcome(Ending.MAKER_RESIGNED)
    return resigned and game.questionable and bool(wrong_rows(game))


def right_answer(game: Game) -> KeyPegs:
    """The right answer to the row that is waiting for one."""
    if game.phase is not Phase.ANSWER or game.opening is None:
        raise AgainstTheRules("no row is waiting for an answer, or the secret is not known")
    guess = game.rows[-1].guess
    assert guess is not None  # noqa: S101 - an expired row needs no answer
    return score(game.opening.code, guess)


def verdict(game: Game) -> Challenged:
    """The result of a challenge: upheld if any answer is wrong."""
    return Challenged(upheld=game.secret_set and bool(wrong_rows(game)))


def expiry(game: Game, drawn: Opening, seal: str | None) -> GameEvent:
    """The event when time runs out. `drawn` becomes the secret if the maker has not set one."""
    if game.phase is Phase.SECRET:
        return SecretSet(drawn, seal, expired=True)
    if game.phase is Phase.GUESS:
        return RowExpired()
    if game.phase is Phase.ANSWER:
        return Answered(right_answer(game), expired=True)
    raise AgainstTheRules("the game is over; no clock is running")
