"""The events of a game. Every state of a game is computed from its events.

`kind` is the name of an event in messages and in logs. It never changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from keypeg.rules.commitment import is_seal
from keypeg.rules.errors import CannotRead
from keypeg.rules.terms import check_turn_limit

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.rules.keypegs import KeyPegs


class Role(Enum):
    """The two roles in a game: who makes the code, and who breaks it."""

    MAKER = "maker"
    BREAKER = "breaker"

    @property
    def other(self) -> Role:
        """The opponent's role."""
        return Role.BREAKER if self is Role.MAKER else Role.MAKER


@dataclass(frozen=True, slots=True)
class SecretSet:
    """The maker set the secret. `opening` is None for everybody who may not see it.

    `expired`: the maker's time ran out, and the referee chose a secret at random.
    """

    kind: ClassVar[str] = "secret-set"
    opening: Opening | None = None
    seal: str | None = None
    expired: bool = False

    def __post_init__(self) -> None:
        if self.seal is not None and not is_seal(self.seal):
            raise CannotRead("a seal is 64 hexadecimal digits")


@dataclass(frozen=True, slots=True)
class Guessed:
    """The breaker filled the lowest free row."""

    kind: ClassVar[str] = "guessed"
    code: Code


@dataclass(frozen=True, slots=True)
class Answered:
    """Key pegs were placed beside the row.

    `expired`: the maker's time ran out, and the referee placed them.
    """

    kind: ClassVar[str] = "answered"
    keys: KeyPegs
    expired: bool = False


@dataclass(frozen=True, slots=True)
class RowExpired:
    """The breaker's time ran out: the row counts as played, with no pegs in it."""

    kind: ClassVar[str] = "row-expired"


@dataclass(frozen=True, slots=True)
class Challenged:
    """The breaker claimed that an answer was wrong. `upheld`: at least one was."""

    kind: ClassVar[str] = "challenged"
    upheld: bool


@dataclass(frozen=True, slots=True)
class Resigned:
    """A player gave up the game, but not the series."""

    kind: ClassVar[str] = "resigned"
    role: Role


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A player left the series: the opponent wins it."""

    kind: ClassVar[str] = "abandoned"
    role: Role


@dataclass(frozen=True, slots=True)
class Revealed:
    """The secret was shown to everybody."""

    kind: ClassVar[str] = "revealed"
    opening: Opening


@dataclass(frozen=True, slots=True)
class Closed:
    """A finished game was closed: it can no longer be challenged."""

    kind: ClassVar[str] = "closed"


@dataclass(frozen=True, slots=True)
class LimitProposed:
    """A player proposed a turn limit for the rest of the series; None is no limit."""

    kind: ClassVar[str] = "limit-proposed"
    role: Role
    seconds: int | None

    def __post_init__(self) -> None:
        check_turn_limit(self.seconds)


@dataclass(frozen=True, slots=True)
class LimitAccepted:
    """The opponent accepted the proposed turn limit. It holds from the next turn."""

    kind: ClassVar[str] = "limit-accepted"
    seconds: int | None

    def __post_init__(self) -> None:
        check_turn_limit(self.seconds)


@dataclass(frozen=True, slots=True)
class LimitDeclined:
    """The opponent declined the proposed turn limit."""

    kind: ClassVar[str] = "limit-declined"


@dataclass(frozen=True, slots=True)
class LimitWithdrawn:
    """The player who proposed a turn limit withdrew it."""

    kind: ClassVar[str] = "limit-withdrawn"


GameEvent = (
    SecretSet | Guessed | Answered | RowExpired | Challenged | Resigned | Abandoned | Revealed
)
LimitEvent = LimitProposed | LimitAccepted | LimitDeclined | LimitWithdrawn
"""What the players say about the turn limit. No move, and no part of a single game."""
Event = GameEvent | Closed | LimitEvent
