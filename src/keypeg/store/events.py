"""What happens at a table besides the game itself: opening it, sitting down, time, rematches.

Together with the rules' events this is all that a log can say.
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
    """A seat for whoever takes it."""


@dataclass(frozen=True, slots=True)
class Computer:
    """A seat held by the computer, playing at a level that the solver knows by name."""

    level: str

    def __post_init__(self) -> None:
        if type(self.level) is not str or not _LEVEL.fullmatch(self.level):
            raise CannotRead(
                f"{quoted(str(self.level))} is no level; a level is a word like 'expert'"
            )


Holder = Person | Computer


@dataclass(frozen=True, slots=True)
class Settings:
    """How a table is set: what its series are played under, and by whom.

    `hints` None stands for the custom: allowed against the computer, not between people.
    """

    terms: Terms
    one: Holder = Person()
    two: Holder = Person()
    first_maker: Seat = Seat.ONE
    public: bool = False
    hints: bool | None = None

    def holder(self, seat: Seat) -> Holder:
        """Who the seat is for."""
        return self.one if seat is Seat.ONE else self.two

    def level(self, seat: Seat) -> str | None:
        """The level of the computer in this seat; None where a person sits."""
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
    """The table was set."""

    kind: ClassVar[str] = "opened"
    settings: Settings


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person sat down. Whoever knows the token with this hash holds the seat."""

    kind: ClassVar[str] = "sat"
    seat: Seat
    name: str
    token_hash: str | None = field(default=None, repr=False)


class Grade(Enum):
    """How much a hint tells, from the least that helps to the most."""

    LEFT = "left"
    MAY = "may"
    CLASH = "clash"
    GOOD = "good"
    BEST = "best"


@dataclass(frozen=True, slots=True)
class HintUsed:
    """The breaker was given a hint before playing `row`; old logs do not say of which grade."""

    kind: ClassVar[str] = "hint-used"
    row: int
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class TimeOffered:
    """A player gave the one on turn more time."""

    kind: ClassVar[str] = "time-offered"
    seconds: int


@dataclass(frozen=True, slots=True)
class TimeCredited:
    """The server was down: the player on turn gets that time back."""

    kind: ClassVar[str] = "time-credited"
    milliseconds: int


@dataclass(frozen=True, slots=True)
class RematchOffered:
    """A player would play another series."""

    kind: ClassVar[str] = "rematch-offered"
    seat: Seat


@dataclass(frozen=True, slots=True)
class Rematched:
    """Both would: another series begins, and who made first breaks first."""

    kind: ClassVar[str] = "rematched"


TableEvent = Opened | SeatTaken | HintUsed | TimeOffered | TimeCredited | RematchOffered | Rematched
LogEvent = Event | TableEvent
