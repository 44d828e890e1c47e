"""The events of a table that are not part of the game: opening it, sitting down, rematches.

A log contains these and the events of the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final

from keypeg.rules.errors import CannotRead, quoted
from keypeg.rules.events import Event
from keypeg.rules.series import Seat

if TYPE_CHECKING:
    from keypeg.rules.terms import Terms

_LEVEL: Final = re.compile(r"[a-z][a-z0-9-]{0,19}")


@dataclass(frozen=True, slots=True)
class Person:
    """A seat for a person."""


@dataclass(frozen=True, slots=True)
class Computer:
    """A seat of the computer, which plays at one of the solver's levels."""

    level: str

    def __post_init__(self) -> None:
        if type(self.level) is not str or not _LEVEL.fullmatch(self.level):
            raise CannotRead(
                f"{quoted(str(self.level))} is not a valid level; a level is a word like 'strong'"
            )


Holder = Person | Computer


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a table: the terms of its series, and who plays.

    `hints` is None for the default: hints are allowed against the computer, not between people.
    """

    terms: Terms
    one: Holder = Person()
    two: Holder = Person()
    first_maker: Seat = Seat.ONE
    public: bool = False
    hints: bool | None = None

    def holder(self, seat: Seat) -> Holder:
        """Who holds a seat: a person or the computer."""
        return self.one if seat is Seat.ONE else self.two

    def level(self, seat: Seat) -> str | None:
        """The level of the computer in this seat, or None for a person."""
        holder = self.holder(seat)
        return holder.level if isinstance(holder, Computer) else None

    @property
    def with_computer(self) -> bool:
        """Whether a seat is the computer's."""
        return isinstance(self.one, Computer) or isinstance(self.two, Computer)

    @property
    def hints_allowed(self) -> bool:
        """Whether the breaker may ask for a hint."""
        return self.with_computer if self.hints is None else self.hints


@dataclass(frozen=True, slots=True)
class Opened:
    """The table was opened, with these settings."""

    kind: ClassVar[str] = "opened"
    settings: Settings


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person took a seat. The seat belongs to whoever has the token with this hash."""

    kind: ClassVar[str] = "sat"
    seat: Seat
    name: str
    token_hash: str | None = field(default=None, repr=False)


class Grade(Enum):
    """How much a hint reveals, from the least to the most."""

    LEFT = "left"
    MAY = "may"
    CLASH = "clash"
    GOOD = "good"
    BEST = "best"


@dataclass(frozen=True, slots=True)
class HintUsed:
    """The breaker got a hint before playing `row`. In old logs, its grade is missing (None)."""

    kind: ClassVar[str] = "hint-used"
    row: int
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class TimeOffered:
    """A player gave the opponent, whose turn it is, more time."""

    kind: ClassVar[str] = "time-offered"
    seconds: int


@dataclass(frozen=True, slots=True)
class TimeCredited:
    """The turn was lengthened because the server or its database was down."""

    kind: ClassVar[str] = "time-credited"
    milliseconds: int


@dataclass(frozen=True, slots=True)
class RematchOffered:
    """A player offered to play another series."""

    kind: ClassVar[str] = "rematch-offered"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Rematched:
    """Both players offered a rematch: a new series began, with the first roles swapped."""

    kind: ClassVar[str] = "rematched"


TableEvent = Opened | SeatTaken | HintUsed | TimeOffered | TimeCredited | RematchOffered | Rematched
LogEvent = Event | TableEvent
