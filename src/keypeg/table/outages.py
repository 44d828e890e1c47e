"""Whether this process can write to its log, and the last time that it could not.

An outage begins with the last heartbeat before something failed for want of the database, and ends
with the first write that succeeds. A turn is given back what it lost by it, once.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from keypeg.store.errors import Unavailable
from keypeg.table.clock import HEARTBEAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.table.clock import Clock

TWO_HEARTBEATS: Final = round(2 * 1000 * HEARTBEAT)
"""Milliseconds that may be missing between two heartbeats in good times."""
_NEVER, _NOT_YET = float("-inf"), float("inf")


class Timed(Protocol):
    """A turn, or a clock, that runs while somebody may move.

    `known` is the time up to which outages are already credited.
    """

    @property
    def since(self) -> int:
        """When it began, in milliseconds of UTC."""
        ...

    @property
    def known(self) -> int:
        """Its start, or its last credit."""
        ...


class Outage(NamedTuple):
    """From when to when nothing could be written, in milliseconds of UTC.

    `wrote` is when something last was. A turn that began well after that was begun by another
    process, which can write, so it has lost nothing.
    """

    since: int
    until: int
    wrote: int

    def lost(self, turn: Timed | None) -> int:
        """Milliseconds that a turn lost by it and has not been given back."""
        if turn is None or turn.since > self.wrote + TWO_HEARTBEATS:
            return 0
        return max(0, self.until - max(self.since, turn.known))


class Outages:
    """What a process knows of its own outages, kept on the monotonic clock while they last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heartbeat = self._wrote = clock.now()
        self._since = self._failed = self._until = self._before = _NEVER
        self._over: Outage | None = None

    @property
    def out(self) -> bool:
        """Whether an outage is going on: a write failed, and none has succeeded since."""
        return self._until == _NOT_YET

    @property
    def unsettled(self) -> bool:
        """Whether there was an outage and no heartbeat since: there may be turns to credit."""
        return self._until > self._heartbeat

    @property
    def outage(self) -> Outage | None:
        """The last one; if it is not over, until now."""
        return self._to(self._clock.now()) if self.out else self._over

    def _to(self, until: float) -> Outage:
        return Outage(*map(self._utc, (self._since, until, self._before)))

    def _utc(self, when: float) -> int:
        # Rounded down like the times of entries, so that no time is credited twice.
        return self._clock.utc() - ceil(1000 * (self._clock.now() - when))

    def wrote(self, at: float) -> None:
        """Something was written; `at` is when that was begun."""
        self._wrote = max(at, self._wrote)
        until = max(at, self._failed)
        if until < self._until:
            # Converted now, with the wall clock of this moment, as entries are.
            self._until, self._over = until, self._to(until)

    def heartbeat(self, at: float) -> None:
        """A heartbeat was written, and before it whatever turns had lost."""
        self.wrote(at)
        self._heartbeat = max(at, self._until)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Take note if what is done in this block fails for want of the database."""
        try:
            yield
        except Unavailable:
            self.failed()
            raise

    def failed(self) -> None:
        """Something just failed for want of the database."""
        self._failed = self._clock.now()
        if not self.out:
            self._since, self._before, self._until = self._heartbeat, self._wrote, _NOT_YET
