"""A log in memory, for games that are not resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.store.errors import Moved
from keypeg.store.log import Listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.store.log import Card, Entry, Stage


class MemoryLog:
    """The entries of all tables, in a dictionary."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self._cards: dict[str, Card] = {}
        self._heartbeat: int | None = None

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        """Add an entry. Raises Moved if it is not the table's next entry."""
        entries = self._entries.get(table_id, [])
        if entry.seq != len(entries) + 1:
            raise Moved(f"entry {entry.seq} does not follow entry {len(entries)}")
        self._entries.setdefault(table_id, entries).append(entry)
        if card is not None:
            self._cards[table_id] = card

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        """The entries after the entry `after`."""
        return self._entries.get(table_id, [])[after:]

    async def removed(self, names: Sequence[str]) -> set[str]:
        """Those of the given tables that do not exist."""
        return {name for name in names if name not in self._entries}

    async def listed(self, stage: Stage | None = None, limit: int = 50) -> list[Listed]:
        """Public tables, the most recently changed first."""
        public = [
            Listed(table_id, card.stage, self._entries[table_id][-1].at)
            for table_id, card in self._cards.items()
            if card.public and stage in (None, card.stage)
        ]
        return sorted(public, key=lambda listed: -listed.changed)[:limit]

    async def running(self) -> list[str]:
        """The tables whose clock is running."""
        return [table_id for table_id, card in self._cards.items() if card.due is not None]

    async def heartbeat(self, at: int) -> None:
        """Record the time."""
        self._heartbeat = at

    async def last_heartbeat(self) -> int | None:
        """The time that was last recorded."""
        return self._heartbeat

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""
