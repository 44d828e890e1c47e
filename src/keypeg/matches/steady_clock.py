"""The wall clock as matches use it: whoever sets it while the process lives moves no deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.table.clock import Alarm, Clock

JUMP: Final = 1_000
"""Milliseconds by which the wall clock may gain or lose at once before it counts as set."""
DRIFT: Final = 0.001
"""What it may gain or lose of the time that has passed."""


class SteadyClock:
    """Milliseconds of UTC that follow the wall clock, but not when it is set."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known, self._at = clock.utc(), clock.now()

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return self._clock.now()

    def utc(self) -> int:
        """Milliseconds since the epoch."""
        wall, now = self._clock.utc(), self._clock.now()
        passed = 1000 * (now - self._at)
        steady = self._known + round(passed)
        if abs(wall - steady) > JUMP + DRIFT * passed:
            return steady
        self._known, self._at = wall, now
        return wall

    def utc_at(self, moment: float) -> int:
        """What `utc()` was at this moment of `now()`."""
        utc = self.utc()
        return utc - round(1000 * (self._clock.now() - moment))

    def call_at(self, utc: float, callback: Callable[[], None]) -> Alarm:
        """Call back once `utc()` has come to `utc`."""
        now = self._clock.now()
        return self._clock.call_at(now + max(0.0, utc - self.utc()) / 1000, callback)
