"""What the referee of a match does by itself: answers, what ends the match, and expired turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import (
    Answered,
    Challenged,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.game import Phase, wrong_rows
from keypeg.rules.match.events import AnswersAccepted, InGame, Stopped, Task
from keypeg.rules.match.state import MOST_IDLE, MatchStage, play
from keypeg.rules.match.terms import MatchKind
from keypeg.rules.referee import right_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.commitment import Opening
    from keypeg.rules.match.events import MatchEvent
    from keypeg.rules.match.state import Match, Player, Turn

    Sealed = tuple[Opening, str | None]


def played(match: Match, event: MatchEvent, at: int) -> tuple[Match, tuple[MatchEvent, ...]]:
    """The match after `event` and what follows by itself, and all these events."""
    match, events = play(match, event, at), [event]
    while (following := ruling(match)) is not None:
        match = play(match, following, at)
        events.append(following)
    return match, tuple(events)


def ruling(match: Match) -> MatchEvent | None:
    """The next event that follows without a move of a player, or None."""
    if match.stage is not MatchStage.PLAYING:
        return None
    rules = (_answer, _gone, _evasion, _decision, _reveal)
    return next((event for rule in rules if (event := rule(match)) is not None), None)


def _answer(match: Match) -> MatchEvent | None:
    """The answer to a row that no player has to answer."""
    waiting = [player for player in match.players if player.game.phase is Phase.ANSWER]
    if match.terms.by_hand:
        for player in waiting:
            if match.opponent(player.number).absent:
                return InGame(player.number, Answered(right_answer(player.game), expired=True))
        return None
    if match.together and not all(player.done or match.filled(player) for player in match.players):
        return None
    for player in waiting:
        return InGame(player.number, Answered(right_answer(player.game)))
    return None


def _gone(match: Match) -> MatchEvent | None:
    """Whoever let rows pass, one after the other, has given up."""
    for player in match.players:
        if player.idle >= MOST_IDLE and not player.done:
            return InGame(player.number, Resigned(Role.BREAKER))
    return None


def _evasion(match: Match) -> MatchEvent | None:
    """Giving up does not save whoever gave a wrong answer."""
    if not match.terms.by_hand or match.liar is not None:
        return None
    for player in match.players:
        victim = match.opponent(player.number)
        if player.gave_up and victim.doubtful and wrong_rows(victim.game):
            return InGame(victim.number, Challenged(upheld=True))
    return None


def _decision(match: Match) -> MatchEvent | None:
    """The game of a duel in which nothing can change the result any more ends."""
    if match.terms.kind is not MatchKind.DUEL:
        return None
    for player in match.players:
        other = match.opponent(player.number)
        late = other.broken and player.complete >= len(other.game.rows)
        if not player.done and (late or match.liar is not None):
            return Stopped(player.number)
    return None


def _reveal(match: Match) -> MatchEvent | None:
    """Once everybody is done, every code is shown."""
    doubts = match.liar is None and any(player.doubtful for player in match.players)
    if doubts or not all(player.done for player in match.players):
        return None
    if match.blank is not None:
        return None if match.blank.opening is None else InGame(0, Revealed(match.blank.opening))
    for player in match.players:
        if not player.game.revealed and player.game.opening is not None:
            return InGame(player.number, Revealed(player.game.opening))
    return None


def verdict(player: Player) -> Challenged:
    """The result of a player's challenge: upheld if any answer is wrong."""
    return Challenged(upheld=bool(wrong_rows(player.game)))


def expiry(match: Match, turn: Turn, draw: Callable[[str], Sealed]) -> MatchEvent:
    """The event when time runs out. `draw` makes the code that somebody did not set."""
    match turn.task:
        case Task.SECRET:
            game = match.opponent(turn.player).game
            opening, seal = draw(game.id)
            breaker = match.opponent(turn.player).number
            return InGame(breaker, SecretSet(opening, seal, expired=True))
        case Task.ROW:
            return InGame(turn.player, RowExpired())
        case Task.ANSWER:
            breaker = match.opponent(turn.player).number
            right = right_answer(match.player(breaker).game)
            return InGame(breaker, Answered(right, expired=True))
        case Task.CLOSE:
            return AnswersAccepted(turn.player)
    raise AgainstTheRules("no such clock is running")
