"""Time at a table: a clock that cannot be set back, and what a turn is allowed of it.

While the process lives, deadlines are kept on the monotonic clock, which no change of the
wall clock moves. The wall clock is written to the log and used only after a restart.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.table.state import State

GRACE: Final = 0.25
"""Seconds between a deadline and the alarm: a move received in time may still be on its way."""
ABSENCE: Final = 30.0
"""Seconds a player must be away before the opponent may claim the series."""
HEARTBEAT: Final = 1.0
"""Seconds between two notes that the server is alive, while a clock runs."""


class Alarm(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> None:
        """Let it not happen."""
        ...


class Clock(Protocol):
    """What a table knows of time."""

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        ...

    def utc(self) -> int:
        """The wall clock, in milliseconds of UTC."""
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        """Call back once `now()` has come to `when`."""
        ...


class SystemClock:
    """The machine's own."""

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return time.monotonic()

    def utc(self) -> int:
        """The wall clock, in milliseconds of UTC."""
        return time.time_ns() // 1_000_000

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        """Call back once `now()` has come to `when`."""
        return asyncio.get_running_loop().call_later(max(0.0, when - self.now()), callback)


def deadline(before: State | None, after: State, known: float | None, clock: Clock) -> float | None:
    """When the turn of `after` ends, on the monotonic clock.

    `before` is the state that this process took `after` from, `known` the deadline then;
    None when what is known comes from the log alone.
    """
    turn = after.turn
    if turn is None or after.due is None:
        return None
    if before is None:
        # A turn long past stays so: time credited later counts from where it really ended.
        return clock.now() + min(after.due - clock.utc(), turn.allowed) / 1000
    if before.turn is None or known is None or before.turn.key != turn.key:
        return clock.now() + turn.allowed / 1000
    return known + (turn.allowed - before.turn.allowed) / 1000
