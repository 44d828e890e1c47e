"""Who is here: how many connections each seat has, and since when it has none. Never logged."""

from __future__ import annotations

from keypeg.rules.series import Seat


class Presence:
    """The comings and goings of the two seats, on a clock that only goes forward."""

    def __init__(self, now: float) -> None:
        self._connections = dict.fromkeys(Seat, 0)
        self._left = dict.fromkeys(Seat, now)
        self._elsewhere = dict.fromkeys(Seat, float("-inf"))

    def arrive(self, seat: Seat) -> None:
        """One more connection of this seat."""
        self._connections[seat] += 1

    def leave(self, seat: Seat, now: float) -> None:
        """One fewer."""
        self._connections[seat] = max(0, self._connections[seat] - 1)
        if not self._connections[seat]:
            self._left[seat] = now

    def heard(self, seat: Seat, now: float) -> None:
        """The seat was taken or did something, or its turn has come: its absence begins anew."""
        self._left[seat] = now

    def elsewhere(self, seat: Seat, until: float | None) -> None:
        """Another process has, or had, a connection of this seat until then; None: not known."""
        self._elsewhere[seat] = float("-inf") if until is None else until

    def here(self, seat: Seat) -> bool:
        """Whether the seat has a connection to this process."""
        return self._connections[seat] > 0

    def present(self, seat: Seat, now: float) -> bool:
        """Whether it has one to any process."""
        return self.here(seat) or self._elsewhere[seat] > now

    def away(self, seat: Seat, now: float) -> float:
        """For how many seconds it has had none."""
        if self.present(seat, now):
            return 0.0
        return max(0.0, now - max(self._left[seat], self._elsewhere[seat]))
