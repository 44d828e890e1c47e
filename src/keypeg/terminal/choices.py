"""What is chosen before a series at this terminal, and the settings of its table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.table import Computer, Person, Settings
from keypeg.terminal.wording import YOU

if TYPE_CHECKING:
    from keypeg.terminal.local_tables import Names


class Part(Enum):
    """The role of the person here in the first game, or that both players are here."""

    BREAKER = "breaker"
    MAKER = "maker"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class SeriesChoices:
    """The choices for a series; a person who plays alone has seat one."""

    board: Board = PRESETS["classic"]
    part: Part = Part.BREAKER
    level: str = "perfect"
    games: int = 2
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    scoring: Scoring = Scoring.ROWS
    turn_seconds: int | None = None
    hints: bool | None = None
    called: tuple[str, ...] = ()

    @property
    def settings(self) -> Settings:
        """The table's settings; refuses terms that no series can have."""
        terms = Terms(self.board, self.games, self.key_pegs, self.scoring, self.turn_seconds)
        other = Person() if self.part is Part.BOTH else Computer(self.level)
        first_maker = Seat.TWO if self.part is Part.BREAKER else Seat.ONE
        return Settings(terms, Person(), other, first_maker, hints=self.hints)

    @property
    def names(self) -> Names:
        """The names of the people at this terminal."""
        usual = ("Player one", "Player two") if self.part is Part.BOTH else (YOU, "")
        called = (*self.called, *usual[len(self.called) :])
        return dict(zip(Seat, called, strict=False))
