"""What the players of a match agree on before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted
from keypeg.rules.terms import LONGEST_TURN, KeyPegMode, Terms

LEAST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 8
ROW_SECONDS: Final = 180
"""The time for each row, by default."""


class MatchKind(Enum):
    """What the players break."""

    RACE = "race"
    """One code, which nobody of them knows."""
    DUEL = "duel"
    """Each of two players the code of the other."""


class Pace(Enum):
    """When rows are answered."""

    OWN = "own"
    """Each at once."""
    TOGETHER = "together"
    """When everybody who is still playing has filled the row, or has run out of time."""


class Goal(Enum):
    """What decides a race."""

    ROWS = "rows"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """The agreement a match is played under."""

    kind: MatchKind
    board: Board
    pace: Pace = Pace.OWN
    goal: Goal = Goal.ROWS
    keys_shown: bool = True
    """Whether the key pegs of others are shown before the end."""
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    row_seconds: int = ROW_SECONDS
    places: int = LEAST_PLAYERS

    def __post_init__(self) -> None:
        self._check_values()
        if self.kind is MatchKind.DUEL and self.places != LEAST_PLAYERS:
            raise AgainstTheRules(f"a duel has 2 players, not {self.places}")
        if self.goal is Goal.TIME and self.kind is MatchKind.DUEL:
            raise AgainstTheRules("a duel is decided by rows; only a race can be one for time")
        if self.goal is Goal.TIME and self.pace is Pace.TOGETHER:
            raise AgainstTheRules("a race for time is played at one's own pace, not together")
        if self.by_hand and self.kind is MatchKind.RACE:
            raise AgainstTheRules("nobody of a race knows its code: the referee places key pegs")
        if self.by_hand and self.pace is Pace.TOGETHER:
            raise AgainstTheRules("key pegs are placed by hand at one's own pace only")
        if self.by_hand and not self.keys_shown:
            raise AgainstTheRules("whoever places key pegs by hand sees them; they are shown")

    def _check_values(self) -> None:
        kinds = (("kind", MatchKind), ("board", Board), ("pace", Pace), ("goal", Goal))
        for field, kind in (*kinds, ("key_pegs", KeyPegMode)):
            if not isinstance(getattr(self, field), kind):
                raise CannotRead(f"{field} must be a {kind.__name__}")
        if self.key_pegs is KeyPegMode.CHECKED:
            raise AgainstTheRules("in a match key pegs are placed by the referee or by hand")
        for field, least, most in (
            ("row_seconds", 1, LONGEST_TURN),
            ("places", LEAST_PLAYERS, MOST_PLAYERS),
        ):
            value = getattr(self, field)
            if type(value) is not int or not least <= value <= most:
                raise CannotRead(f"{field} is {least} to {most}, not {quoted(repr(value))}")

    @property
    def by_hand(self) -> bool:
        """Whether the players place each other's key pegs."""
        return self.key_pegs is KeyPegMode.BY_HAND

    @property
    def discreet(self) -> bool:
        """Whether nobody may know before the end how many rows another has used."""
        return self.pace is Pace.OWN and not self.keys_shown

    @property
    def game(self) -> Terms:
        """The terms of each player's game."""
        return Terms(self.board, key_pegs=self.key_pegs, turn_seconds=self.row_seconds)
