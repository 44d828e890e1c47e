"""Who is here: how many connections each seat has, and since when it has none. Never logged."""

from __future__ import annotations

from typing import Final

from keypeg.rules.series import Seat

VISIT_SECONDS: Final = 30.0
"""How long a seat without a connection counts as connected after a request."""


class Presence:
    """Which seats are connected, and for how long not, on a clock that only goes forward."""

    def __init__(self, now: float) -> None:
        self._connections = dict.fromkeys(Seat, 0)
        self._left = dict.fromkeys(Seat, now)
        self._elsewhere = dict.fromkeys(Seat, float("-inf"))
        self._visited = dict.fromkeys(Seat, float("-inf"))

    def arrive(self, seat: Seat) -> None:
        """Note one more connection of this seat. From now on, earlier visits do not matter."""
        self._connections[seat] += 1
        self._visited[seat] = float("-inf")

    def leave(self, seat: Seat, now: float) -> None:
        """Note one connection fewer."""
        self._connections[seat] = max(0, self._connections[seat] - 1)
        if not self._connections[seat]:
            self._left[seat] = now

    def heard(self, seat: Seat, now: float) -> None:
        """Count absence from now: the seat was taken or did something, or its turn has come."""
        self._left[seat] = now

    def visit(self, seat: Seat, now: float) -> None:
        """Note a request of this seat, which may never open a connection."""
        if not self.here(seat):
            self._visited[seat] = now + VISIT_SECONDS

    def elsewhere(self, seat: Seat, until: float | None) -> None:
        """Note until when another process has a connection of this seat; None if unknown."""
        self._elsewhere[seat] = float("-inf") if until is None else until

    def here(self, seat: Seat) -> bool:
        """Whether the seat has a connection to this process."""
        return self._connections[seat] > 0

    def present(self, seat: Seat, now: float) -> bool:
        """Whether it has one to any process, or has just asked for something."""
        return self.here(seat) or max(self._elsewhere[seat], self._visited[seat]) > now

    def away(self, seat: Seat, now: float) -> float:
        """For how many seconds it has not been present."""
        if self.present(seat, now):
            return 0.0
        last = max(self._left[seat], self._elsewhere[seat], self._visited[seat])
        return max(0.0, now - last)
