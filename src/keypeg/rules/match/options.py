"""What a player of a match, or somebody with its link, may do now. Nothing else decides this.

An option says what may be done, not with which arguments. It reads only what the player can see:
it gives away nothing.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NoReturn

from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.game import Phase
from keypeg.rules.match.state import MOST_JOINS, MatchStage
from keypeg.rules.match.terms import LEAST_PLAYERS, MatchKind

if TYPE_CHECKING:
    from keypeg.rules.match.state import Match, Player


class MatchOption(Enum):
    """Something that may be done at a match, in the order to be shown."""

    START = "start"
    JOIN = "join"
    SECRET = "secret"  # noqa: S105 - a command, not a password
    GUESS = "guess"
    ANSWER = "answer"
    CHALLENGE = "challenge"
    CLOSE = "close"
    ANOTHER = "another"
    LEAVE = "leave"
    GIVE_UP = "give-up"


MatchOptions = frozenset[MatchOption]
_NOTHING: Final[MatchOptions] = frozenset()


def options(match: Match, number: int | None) -> MatchOptions:
    """What the player with this number may do now; None is somebody who has no place."""
    stage = match.stage
    if stage is MatchStage.WAITING:
        return _before_it_begins(match, number)
    if number is None or not match.has(number):
        return _NOTHING
    if stage is MatchStage.SETTING:
        unset = not match.opponent(number).game.secret_set
        return frozenset({MatchOption.SECRET}) if unset else _NOTHING
    if stage is MatchStage.PLAYING:
        return _while_it_is_played(match, match.player(number))
    another = stage is MatchStage.OVER and match.next is None
    return frozenset({MatchOption.ANOTHER}) if another else _NOTHING


def _before_it_begins(match: Match, number: int | None) -> MatchOptions:
    if number is None or not match.has(number):
        free = not match.full and match.joins < MOST_JOINS
        return frozenset({MatchOption.JOIN}) if free else _NOTHING
    race = match.terms.kind is MatchKind.RACE
    starts = race and number == match.opener and len(match.players) >= LEAST_PLAYERS
    found = {MatchOption.LEAVE, MatchOption.START} if starts else {MatchOption.LEAVE}
    return frozenset(found)


def _while_it_is_played(match: Match, player: Player) -> MatchOptions:
    found = set()
    if not player.done:
        found.add(MatchOption.GIVE_UP)
        if player.game.phase is Phase.GUESS and not match.filled(player):
            found.add(MatchOption.GUESS)
    if match.terms.by_hand:
        if match.opponent(player.number).game.phase is Phase.ANSWER:
            found.add(MatchOption.ANSWER)
        if player.doubtful:
            found.add(MatchOption.CHALLENGE)
            if player.done:
                found.add(MatchOption.CLOSE)
    return frozenset(found)


def authorise(match: Match, number: int | None, option: MatchOption) -> None:
    """Raise an error, with the reason, if this may not be done now."""
    if option not in options(match, number):
        _refuse(match, number, option)


def _refuse(match: Match, number: int | None, option: MatchOption) -> NoReturn:
    if option is MatchOption.JOIN:
        raise AgainstTheRules(_why_not_join(match, number))
    if number is None or not match.has(number):
        raise NotYourTurn("only the players of this match can do this; you look on")
    stage = match.stage
    wanted = _STAGES[option]
    if stage is not wanted:
        raise AgainstTheRules(_IN_STAGE[stage])
    if option is MatchOption.START and number != match.opener:
        raise NotYourTurn(f"only player {match.opener} can start this match")
    raise AgainstTheRules(_WHY_NOT[option])


def _why_not_join(match: Match, number: int | None) -> str:
    if match.has(number):
        return "you have a place in this match already"
    if match.stage is not MatchStage.WAITING:
        return _IN_STAGE[match.stage]
    if match.full:
        return f"all {match.terms.places} places in this match are taken"
    return "too many have come and gone here; open another match"


_STAGES: Final = {
    MatchOption.START: MatchStage.WAITING,
    MatchOption.LEAVE: MatchStage.WAITING,
    MatchOption.SECRET: MatchStage.SETTING,
    MatchOption.GUESS: MatchStage.PLAYING,
    MatchOption.ANSWER: MatchStage.PLAYING,
    MatchOption.CHALLENGE: MatchStage.PLAYING,
    MatchOption.CLOSE: MatchStage.PLAYING,
    MatchOption.GIVE_UP: MatchStage.PLAYING,
    MatchOption.ANOTHER: MatchStage.OVER,
}
_IN_STAGE: Final = {
    MatchStage.WAITING: "the match has not begun",
    MatchStage.SETTING: "the players set their codes now",
    MatchStage.PLAYING: "the match has begun",
    MatchStage.OVER: "the match is over",
    MatchStage.CANCELLED: "this match was cancelled",
}
_WHY_NOT: Final = {
    MatchOption.START: "a race needs two players, and a duel begins by itself",
    MatchOption.LEAVE: "you cannot leave now",
    MatchOption.SECRET: "you have set your code",
    MatchOption.GUESS: "you cannot fill a row now: it is not answered, or you are done",
    MatchOption.ANSWER: "no row waits for your answer",
    MatchOption.CHALLENGE: "there is no new answer to challenge",
    MatchOption.CLOSE: "there is nothing to close",
    MatchOption.GIVE_UP: "you are done; there is nothing to give up",
    MatchOption.ANOTHER: "there is another match already; follow its link",
}
