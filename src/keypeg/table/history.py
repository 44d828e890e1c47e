"""What each may see of a table's log, kept ready, and which command made which entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.series import Seat
from keypeg.store.events import Rematched, TableEvent
from keypeg.table.view import Seen, views

if TYPE_CHECKING:
    from keypeg.rules.events import Event
    from keypeg.store.log import Entry
    from keypeg.table.state import State


class History:
    """A table's past, redacted once for each who may look at it."""

    def __init__(self) -> None:
        self._seen: dict[Seat | None, list[Seen]] = {None: [], Seat.ONE: [], Seat.TWO: []}
        self._commands: dict[tuple[Seat | None, str], int] = {}

    def remember(self, entry: Entry, before: State | None) -> None:
        """Add the entry that follows `before`."""
        for seat, seen in views(entry, before).items():
            self._seen[seat].append(seen)
        self._commands[entry.seat, entry.command_id] = entry.seq

    def view(self, seat: Seat | None, after: int = 0) -> tuple[Seen, ...]:
        """The entries that follow `after`, as `seat` may see them; None is a spectator."""
        return tuple(self._seen[seat][max(after, 0) :])

    def made_by(self, seat: Seat | None, command_id: str) -> Seen | None:
        """The entry that this command of this seat made, as the seat may see it."""
        seq = self._commands.get((seat, command_id))
        return None if seq is None else self._seen[seat][seq - 1]

    def series(self, seat: Seat | None, number: int | None = None) -> tuple[int, tuple[Event, ...]]:
        """The number and the events of a series of this table: the last one, unless told."""
        played: list[list[Event]] = [[]]
        for seen in self._seen[seat]:
            for event in seen.events:
                if isinstance(event, Rematched):
                    played.append([])
                elif not isinstance(event, TableEvent):
                    played[-1].append(event)
        chosen = len(played) if number is None else number
        if not 1 <= chosen <= len(played):
            raise AgainstTheRules(f"this table has series 1 to {len(played)}, no series {chosen}")
        return chosen, tuple(played[chosen - 1])
