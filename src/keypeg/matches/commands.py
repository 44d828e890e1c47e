"""What may be asked of a match, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.match.events import ClockCredited
    from keypeg.rules.match.terms import MatchTerms


@dataclass(frozen=True, slots=True)
class Open:
    """Set up a match, and take the first place in it; `levels` are those of the computer."""

    terms: MatchTerms
    holder: str = field(repr=False)
    name: str | None = None
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """Take a place. The token with this hash is the right to it."""

    holder: str = field(repr=False)
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """Be called something else."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Start:
    """Begin the race."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave before it begins."""


@dataclass(frozen=True, slots=True)
class SetSecret:
    """Set the code that the other player of a duel breaks."""

    code: Code = field(repr=False)


@dataclass(frozen=True, slots=True)
class Guess:
    """Fill a row, which must be the next one."""

    row: int
    code: Code


@dataclass(frozen=True, slots=True)
class Answer:
    """Place key pegs beside a row of the other player."""

    row: int
    keys: KeyPegs


@dataclass(frozen=True, slots=True)
class Challenge:
    """Say that an answer was wrong."""


@dataclass(frozen=True, slots=True)
class Accept:
    """Let the answers stand."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Play no more rows."""


@dataclass(frozen=True, slots=True)
class Another:
    """Note the match that follows this one."""

    next: str


Command = Start | Leave | SetSecret | Guess | Answer | Challenge | Accept | GiveUp | Another


@dataclass(frozen=True, slots=True)
class Expire:
    """End the turns whose time had run out at this moment: the match's own command."""

    moment: int


@dataclass(frozen=True, slots=True)
class Credit:
    """Give running clocks back what they lost by an outage: the match's own command."""

    credits: tuple[ClockCredited, ...]


OwnCommand = Expire | Credit
AnyCommand = Join | Rename | Command | OwnCommand
