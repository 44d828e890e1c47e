"""The places of a match that is over. Whoever is equal in what decides shares a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from keypeg.rules.match.terms import Goal, MatchKind, Pace

if TYPE_CHECKING:
    from keypeg.rules.match.state import Match, Player


class Place(NamedTuple):
    """How a player came out: the place, and what was needed to break the code, if it was."""

    player: int
    place: int
    needed: int | None
    """Rows; None if the code was not broken."""
    milliseconds: int | None
    """From the start to the guess that broke the code, in a race at one's own pace."""


def standing(match: Match) -> tuple[Place, ...]:
    """The places of all players, in the order of their numbers."""
    results = {player.number: _result(match, player) for player in match.players}
    return tuple(
        Place(
            player.number,
            1 + sum(other < results[player.number] for other in results.values()),
            len(player.game.rows) if player.broken else None,
            milliseconds(match, player),
        )
        for player in match.players
    )


def _result(match: Match, player: Player) -> tuple[bool, bool, int]:
    """What decides, the least first: wrong information, then an unbroken code, then the goal."""
    lied = match.liar is not None and match.liar.number == player.number
    if match.liar is not None:
        return lied, False, 0
    if not player.broken:
        return False, True, 0
    if match.terms.goal is Goal.TIME:
        return False, False, milliseconds(match, player) or 0
    return False, False, len(player.game.rows)


def milliseconds(match: Match, player: Player) -> int | None:
    """How long a player took to break the code, without outages.

    That is nothing where rows are filled together, nor in a duel, in which codes are set first.
    """
    own = match.terms.kind is MatchKind.RACE and match.terms.pace is Pace.OWN
    if not (own and player.broken) or match.begun is None or player.received is None:
        return None
    return max(0, player.received - match.begun - player.credited)
