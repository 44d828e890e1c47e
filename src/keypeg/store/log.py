"""The log of every table: what an entry is, and what a store must do with one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.rules.series import Seat
    from keypeg.store.events import LogEvent

SLICE: Final = 100
"""Entries taken in at once before everything else on the event loop has its turn."""


@dataclass(frozen=True, slots=True)
class Entry:
    """All that one command brought about, written as one. `seat` None is the table itself."""

    seq: int
    at: int
    """Server time, in milliseconds of UTC."""
    seat: Seat | None
    command_id: str
    events: tuple[LogEvent, ...]


class Stage(Enum):
    """Where a table is, for those who look for one."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Card:
    """What the store must know of a table without reading its log.

    `due` is when the running turn ends, in milliseconds of UTC, or None while no clock runs.
    """

    public: bool
    stage: Stage
    due: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A public table and where it is."""

    table_id: str
    stage: Stage
    changed: int


class Log(Protocol):
    """Every table's entries, in order, without gaps."""

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Write an entry; when this returns it is on disk.

        Entry 1 creates the table and needs a card; later, None says that it is unchanged.
        Raises Moved if the table's next entry is not this one, Unavailable when nothing can be
        written now, Broken when nothing can be any more.
        """
        ...

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries that follow `after`; none for a table that does not exist."""
        ...

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of these tables that there are not, or not any more."""
        ...

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> Sequence[Listed]:
        """Public tables, the latest changed first."""
        ...

    async def running(self) -> Sequence[str]:
        """The tables whose clock runs."""
        ...

    async def heartbeat(self, at: int) -> None:
        """Note that the server was alive at this time, so that time it was down can be credited."""
        ...

    async def last_heartbeat(self) -> int | None:
        """When the server was last known to be alive."""
        ...
