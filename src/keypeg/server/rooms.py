"""Who watches a table: one room for each table with open sockets.

When the table moves on, what happened is encoded once for each kind of reader and put into
every socket or its outbox. Nothing waits for a slow reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from keypeg.messages import PresenceOut, Present, Snapshot
from keypeg.rules.series import Seat
from keypeg.server.encoding import UpdateEncoder, as_text, table_out
from keypeg.table.clock import ABSENCE
from keypeg.table.state import fold
from keypeg.table.view import as_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.table.clock import Clock
    from keypeg.table.state import State
    from keypeg.table.table import Table
    from keypeg.table.view import Seen


class Occupant(Protocol):
    """One socket, as a room knows it."""

    seat: Seat | None
    known: int
    """The last entry that it was already sent. The room may get to that entry later."""

    def tell(self, text: str) -> None:
        """Send a message, or queue it."""

    def replace(self) -> None:
        """Make room for a newer socket of the same seat."""

    def dismiss(self) -> None:
        """Close: there is no such table any more."""


class Attendance(Protocol):
    """Whoever keeps a list of connected players."""

    def arrived(self, table_id: str, seat: Seat) -> None:
        """A player has connected."""

    def left(self, table_id: str, seat: Seat) -> None:
        """A player's last connection is gone."""


class Room:
    """The sockets at one table: at most one for each seat, and any number of spectators."""

    def __init__(self, table: Table, clock: Clock, attendance: Attendance | None = None) -> None:
        self.table = table
        self._attendance = attendance
        self.guests = 0
        """How many sockets are here or about to enter."""
        self._clock = clock
        self._players: dict[Seat, Occupant] = {}
        self._spectators: set[Occupant] = set()
        self._seq, self._state = table.seq, table.state
        """Up to where everybody here has been sent what happened."""
        self._snapshot: tuple[int, str] = (-1, "")
        self._told_here = self._here()
        self._unwatch: Callable[[], None] = table.watch(self._moved, self._removed)

    def enter(self, occupant: Occupant) -> None:
        """Let somebody in; the newest socket of a seat takes the place of the older one."""
        if self.table.removed:
            occupant.dismiss()
            return
        if occupant.seat is None:
            self._spectators.add(occupant)
            occupant.tell(self.presence())
            return
        older = self._players.get(occupant.seat)
        self._players[occupant.seat] = occupant
        self.table.presence.arrive(occupant.seat)
        if self._attendance is not None:
            self._attendance.arrived(self.table.id, occupant.seat)
        if older is not None:
            self.table.presence.leave(occupant.seat, self._clock.now())
            older.replace()
        self.tell_presence()

    def leave(self, occupant: Occupant) -> None:
        """Let somebody out; a socket that was replaced has left already."""
        self._spectators.discard(occupant)
        if occupant.seat is not None and self._players.get(occupant.seat) is occupant:
            del self._players[occupant.seat]
            self.table.presence.leave(occupant.seat, self._clock.now())
            if self._attendance is not None:
                self._attendance.left(self.table.id, occupant.seat)
            self.tell_presence()

    def give_up(self, seat: Seat) -> None:
        """A newer socket of this seat is open elsewhere."""
        if seat in self._players:
            self._players[seat].replace()

    def tell_presence(self) -> None:
        """Tell everybody who is here."""
        self._told_here = self._here()
        self._tell_all(self.presence())

    def tell_of_changes(self) -> None:
        """The same, if it has changed since they were last told."""
        if self._here() != self._told_here:
            self.tell_presence()

    def _here(self) -> list[bool]:
        return [self.table.presence.present(seat, self._clock.now()) for seat in Seat]

    def close(self) -> None:
        """Stop watching the table."""
        self._unwatch()

    def snapshot(self) -> str:
        """Everything so far, as spectators see it; made once for each state of the table."""
        seq, text = self._snapshot
        if seq != self.table.seq:
            text = as_text(Snapshot(table_out(self.table, None, self._clock.utc())))
            self._snapshot = (self.table.seq, text)
        return text

    def presence(self) -> str:
        """Who is here, as a message."""
        now, utc = self._clock.now(), self._clock.utc()

        def of(seat: Seat) -> PresenceOut:
            here = self.table.presence.present(seat, now) or not _person(self.table, seat)
            away = round(1000 * self.table.presence.away(seat, now))
            since = None if here else utc - away
            return PresenceOut(
                here=here,
                away_since=since,
                claimable_at=None if since is None else since + round(1000 * ABSENCE),
            )

        return as_text(Present(utc, of(Seat.ONE), of(Seat.TWO)))

    def _moved(self, seq: int) -> None:
        """The table has moved on to `seq`: tell everybody what happened since they last heard."""
        heard, state = self._seq, self._state
        self._seq, self._state = max(heard, seq), self.table.state
        for number in range(heard + 1, seq + 1):
            # Most often there is one entry, and the state after it is known. Of several, what
            # everybody saw of the earlier ones tells where the table was.
            seen = self.table.seen(None, number)
            state = self._state if number == seq else fold(state, as_entry(seen))
            self._tell_of(seen, state)

    def _tell_of(self, seen: Seen, state: State) -> None:
        """Tell each kind of reader of one entry, with what they may do after it."""
        update = UpdateEncoder(self._clock.utc(), state, self.table.due(state))
        if self._spectators:
            text = update.text(seen, None)
            for spectator in tuple(self._spectators):
                _tell(spectator, seen.seq, text)
        for seat, player in tuple(self._players.items()):
            _tell(player, seen.seq, update.text(self.table.seen(seat, seen.seq), seat))

    def _removed(self) -> None:
        for occupant in (*self._players.values(), *self._spectators):
            occupant.dismiss()

    def _tell_all(self, text: str) -> None:
        for occupant in (*self._players.values(), *self._spectators):
            occupant.tell(text)


def _tell(occupant: Occupant, seq: int, text: str) -> None:
    if occupant.known < seq:
        occupant.tell(text)


def _person(table: Table, seat: Seat) -> bool:
    return table.state.settings.level(seat) is None
