"""Who is at a table without a socket: for a while after a request, its sender counts as there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keypeg.table.presence import VISIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from keypeg.rules.series import Seat
    from keypeg.server.rooms import Room
    from keypeg.table.clock import Clock
    from keypeg.table.table import Table


@dataclass(eq=False)
class _Visit:
    """A visit: until when it lasts, and how to end it."""

    until: float
    leave: Callable[[], None]


class Visits:
    """Visits by HTTP requests: while they keep coming, their sender is at the table."""

    def __init__(self, clock: Clock, rooms: Mapping[str, Room]) -> None:
        self._clock, self._rooms = clock, rooms
        self._visits: dict[tuple[str, Seat | None], _Visit] = {}

    def __len__(self) -> int:
        return len(self._visits)

    def note(self, table: Table, seat: Seat | None) -> None:
        """Note a request from this seat, or from a spectator."""
        if seat is None and not table.state.settings.with_computer:
            return  # nothing depends on it
        now = self._clock.now()
        if seat is not None:
            table.presence.visit(seat, now)
            self._tell(table)
        visit = self._visits.get((table.id, seat))
        if visit is None:
            # Like a socket, it keeps the table in memory, and lets the computer think.
            visit = self._visits[table.id, seat] = _Visit(now, table.watch(lambda _: None))
            self._wake(table, seat, VISIT_SECONDS)
        visit.until = now + VISIT_SECONDS

    def _wake(self, table: Table, seat: Seat | None, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._look, table, seat)

    def _look(self, table: Table, seat: Seat | None) -> None:
        """End a visit, unless there was another request since."""
        visit = self._visits[table.id, seat]
        left = visit.until - self._clock.now()
        if left > 0 and not table.removed:
            self._wake(table, seat, left)
            return
        del self._visits[table.id, seat]
        visit.leave()
        self._tell(table)

    def _tell(self, table: Table) -> None:
        room = self._rooms.get(table.id)
        if room is not None:
            room.tell_of_changes()
