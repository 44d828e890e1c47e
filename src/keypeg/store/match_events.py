"""What happens in a match besides the game: it is opened, and players get names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from keypeg.rules.match.events import MatchEvent

if TYPE_CHECKING:
    from keypeg.rules.match.terms import MatchTerms


@dataclass(frozen=True, slots=True)
class MatchOpened:
    """The match was opened under these terms."""

    kind: ClassVar[str] = "match-opened"
    terms: MatchTerms


@dataclass(frozen=True, slots=True)
class Seated:
    """Who has just joined: the hash of a token and perhaps a name, or a level of the computer."""

    kind: ClassVar[str] = "seated"
    player: int
    holder: str | None
    name: str | None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class Renamed:
    """A player wants to be called something else."""

    kind: ClassVar[str] = "renamed"
    player: int
    name: str | None


LoggedMatchEvent = MatchOpened | Seated | Renamed | MatchEvent
