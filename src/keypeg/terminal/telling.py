"""Telling what happens at a table, each thing once, as those at this terminal may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.store.events import SeatTaken
from keypeg.table.state import begin, fold, happen
from keypeg.table.view import as_entry
from keypeg.terminal.sitting import onlooker

if TYPE_CHECKING:
    from keypeg.table import Seen, State
    from keypeg.terminal.sitting import Sitting
    from keypeg.terminal.voice import Voice


class Telling:
    """Where the story has come to."""

    def __init__(self, sitting: Sitting, voice: Voice) -> None:
        self._sitting, self._voice = sitting, voice
        self._told: State | None = None

    def catch_up(self) -> None:
        """Tell what happened since the last time."""
        after = self._told.seq if self._told else 0
        for seen in self._sitting.seen(onlooker(self._sitting), after):
            self._told = self._tell(seen)

    def _tell(self, seen: Seen) -> State:
        entry, state = as_entry(seen), self._told
        if state is None:
            return begin(self._sitting.id, entry)
        for event in seen.events:
            state = happen(state, event)
            if not (isinstance(event, SeatTaken) and event.seat in self._sitting.seats):
                self._voice.happened(state, event)
        return fold(self._told or state, entry)
