"""The records of finished series as text: made off the event loop, one at a time, and kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from keypeg.rules.notation import format_record

if TYPE_CHECKING:
    from keypeg.table.table import Table

MOST_CHARACTERS_KEPT: Final = 16_000_000
"""Some twenty records of the longest series, or thousands of ordinary ones."""


class RecordTexts:
    """What was asked for last is kept, as far as there is room. A finished series never changes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], str] = OrderedDict()
        self._characters = 0
        self._lock = asyncio.Lock()

    async def of(self, table: Table, number: int) -> str:
        """The record of a finished series, as a spectator may see it."""
        name = (table.id, number)
        if name not in self._kept:
            # One after another: however many are asked for, there is one thread for all.
            async with self._lock:
                if name not in self._kept:
                    self._keep(name, await asyncio.to_thread(_text, table, number))
        self._kept.move_to_end(name)
        return self._kept[name]

    def _keep(self, name: tuple[str, int], text: str) -> None:
        self._kept[name] = text
        self._characters += len(text)
        while self._characters > MOST_CHARACTERS_KEPT and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._characters -= len(dropped)


def _text(table: Table, number: int) -> str:
    return format_record(table.record(None, number))
