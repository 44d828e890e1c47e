"""What the players agree on before a series: the board, the number of games, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted


class KeyPegMode(Enum):
    """Who places the key pegs, and whether mistakes are possible."""

    REFEREE = "referee"
    """The referee answers every row correctly."""
    CHECKED = "checked"
    """The maker answers; a wrong answer is refused with the reason."""
    BY_HAND = "by-hand"
    """The maker answers, as on a real board, and may make mistakes; the breaker may challenge."""


class Scoring(Enum):
    """What the maker gets points for, besides 1 for an unbroken code."""

    ROWS = "rows"
    KEY_PEGS = "key-pegs"


MOST_GAMES: Final = 100
LONGEST_TURN: Final = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Terms:
    """The agreement a series is played under."""

    board: Board
    games: int = 2
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    scoring: Scoring = Scoring.ROWS
    turn_seconds: int | None = None

    def __post_init__(self) -> None:
        for field, kind in (("board", Board), ("key_pegs", KeyPegMode), ("scoring", Scoring)):
            if not isinstance(getattr(self, field), kind):
                raise CannotRead(f"{field} must be a {kind.__name__}")
        if type(self.games) is not int or not 1 <= self.games <= MOST_GAMES:
            raise CannotRead(
                f"a series has 2 to {MOST_GAMES} games, not {quoted(repr(self.games))}"
            )
        if self.games % 2:
            raise AgainstTheRules(
                f"a series has an even number of games, so that each player makes the same number "
                f"of codes; {self.games} is odd: play {self.games + 1}"
            )
        check_turn_limit(self.turn_seconds)


def check_turn_limit(seconds: int | None) -> None:
    """Raise CannotRead unless this is a turn limit in seconds, or None for no limit."""
    if seconds is not None and (type(seconds) is not int or not 1 <= seconds <= LONGEST_TURN):
        given = quoted(repr(seconds))
        raise CannotRead(f"a turn limit is 1 to {LONGEST_TURN} whole seconds, or none, not {given}")
