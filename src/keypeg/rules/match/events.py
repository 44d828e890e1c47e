"""The events of a match. Every state of a match is computed from its events.

`kind` is the name of an event in logs. It never changes. What happens in the game of one player is
an event of `rules.events`, together with the number of the player who breaks that code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from keypeg.rules.events import GameEvent


class Task(Enum):
    """What a running clock waits for."""

    SECRET = "secret"  # noqa: S105 - a task, not a password
    ROW = "row"
    ANSWER = "answer"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody took a place in the match."""

    kind: ClassVar[str] = "joined"
    player: int


@dataclass(frozen=True, slots=True)
class Left:
    """A player left before the match began. If it was whoever opened it, it is cancelled."""

    kind: ClassVar[str] = "left"
    player: int


@dataclass(frozen=True, slots=True)
class Begun:
    """The match began."""

    kind: ClassVar[str] = "begun"


@dataclass(frozen=True, slots=True)
class InGame:
    """Something happened in the game of a player; 0 stands for the code of all players of a race.

    `received` is when the server got a guess, in milliseconds since the epoch.
    """

    kind: ClassVar[str] = "in-game"
    player: int
    event: GameEvent
    received: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """A player's game ended unbroken, because nothing in it could change the result any more."""

    kind: ClassVar[str] = "stopped"
    player: int


@dataclass(frozen=True, slots=True)
class AnswersAccepted:
    """A breaker let the answers given by hand stand. They can no longer be challenged."""

    kind: ClassVar[str] = "answers-accepted"
    player: int


@dataclass(frozen=True, slots=True)
class ClockCredited:
    """A running clock was given back the time of an outage, in milliseconds."""

    kind: ClassVar[str] = "clock-credited"
    player: int
    task: Task
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Followed:
    """A player asked for another match. `next` is its id."""

    kind: ClassVar[str] = "followed"
    next: str


MatchEvent = Joined | Left | Begun | InGame | Stopped | AnswersAccepted | ClockCredited | Followed
