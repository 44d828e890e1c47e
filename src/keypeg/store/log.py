"""The log of every table: its entries, and the interface of a store."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.rules.series import Seat
    from keypeg.store.events import LogEvent

SLICE: Final = 100
"""Entries that are processed at once before the event loop runs other tasks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """All events that one command caused. `seat` is None if the table itself caused them."""

    seq: int
    at: int
    """The server's time, in milliseconds since the epoch (UTC)."""
    seat: Seat | None
    command_id: str
    events: tuple[LogEvent, ...]


class Stage(Enum):
    """The stage of a table, by which tables are listed."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Card:
    """What is stored about a table besides its log, so that the log need not be read.

    `due` is when the current turn ends, in milliseconds since the epoch. None if no clock runs.
    """

    public: bool
    stage: Stage
    due: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A public table, its stage, and when it last changed."""

    table_id: str
    stage: Stage
    changed: int


class Log(Protocol):
    """The entries of all tables. The entries of a table are in order and have no gaps."""

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Write an entry. When this returns, the entry is on disk.

        Entry 1 creates the table and needs a card. Later, None means that the card is unchanged.
        Raises Moved if this is not the table's next entry, Unavailable if nothing can be written
        now, and Broken if nothing can be written until a restart.
        """
        ...

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries after the entry `after`. Empty for a table that does not exist."""
        ...

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of the given tables that do not exist (any longer)."""
        ...

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> Sequence[Listed]:
        """Public tables, the most recently changed first."""
        ...

    async def running(self) -> Sequence[str]:
        """The tables whose clock is running."""
        ...

    async def heartbeat(self, at: int) -> None:
        """Record that the server was running at this time, so that downtime can be credited."""
        ...

    async def last_heartbeat(self) -> int | None:
        """The time of the last heartbeat, or None."""
        ...
