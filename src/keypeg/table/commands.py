"""What a seat may ask of a table, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.series import Seat
    from keypeg.store.events import Grade, Settings

COMMAND_ID: Final = re.compile(r"[!-~]{1,64}")


@dataclass(frozen=True, slots=True)
class Open:
    """Set up a table, and sit down at it if `seat` says where."""

    settings: Settings
    seat: Seat | None = None
    name: str = ""
    token_hash: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down. The token with this hash (SHA-256, hexadecimal) is the right to the seat."""

    name: str
    token_hash: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SetSecret:
    """Set the secret behind the shield."""

    code: Code = field(repr=False)


@dataclass(frozen=True, slots=True)
class Guess:
    """Fill the lowest free row."""

    code: Code


@dataclass(frozen=True, slots=True)
class Answer:
    """Place key pegs beside the row."""

    keys: KeyPegs


@dataclass(frozen=True, slots=True)
class Challenge:
    """Say that the maker gave wrong information."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """Be done with the finished game."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """Offer another series, or agree to one."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up."""


@dataclass(frozen=True, slots=True)
class ClaimAbsent:
    """Take the series from an opponent who left on their turn and did not come back."""


@dataclass(frozen=True, slots=True)
class OfferTime:
    """Give the opponent, whose turn it is, more time."""

    seconds: int


@dataclass(frozen=True, slots=True)
class ProposeLimit:
    """Propose a turn limit for the rest of the series; None is no limit."""

    seconds: int | None


@dataclass(frozen=True, slots=True)
class AcceptLimit:
    """Accept the turn limit that the opponent proposed: this one, and no other."""

    seconds: int | None


@dataclass(frozen=True, slots=True)
class DeclineLimit:
    """Decline the turn limit that the opponent proposed."""


@dataclass(frozen=True, slots=True)
class WithdrawLimit:
    """Withdraw one's own proposal of a turn limit."""


@dataclass(frozen=True, slots=True)
class UseHint:
    """Be given a hint; the log says that it was asked for, and of which grade."""

    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class Expire:
    """The time for the turn ran out. Only the table's own clock says so."""


@dataclass(frozen=True, slots=True)
class CreditTime:
    """Nothing could be written for this long. Only the table itself says so."""

    milliseconds: int


SeatedCommand = (
    SetSecret
    | Guess
    | Answer
    | Challenge
    | NextGame
    | Rematch
    | Resign
    | ClaimAbsent
    | OfferTime
    | ProposeLimit
    | AcceptLimit
    | DeclineLimit
    | WithdrawLimit
    | UseHint
)
"""Commands of somebody who has a seat."""
Command = TakeSeat | SeatedCommand
"""Those, and taking a seat."""
OwnCommand = Expire | CreditTime
"""Commands that only the table gives itself."""
