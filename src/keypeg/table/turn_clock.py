"""When a table's running turn ends, and the alarm that rings then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.table.clock import GRACE, deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.table.clock import Alarm, Clock
    from keypeg.table.state import State, Turn

DRIFT: Final = 1_000
"""Milliseconds by which the wall clock may differ from the log before it counts as changed."""


class TurnClock:
    """The clock of one table. Whom the alarm calls is given with each call and not kept."""

    def __init__(self, clock: Clock) -> None:
        self.deadline: float | None = None
        """When the running turn ends, on the clock's `now()`; None while no clock runs."""
        self.expired_at = float("-inf")
        """When the last turn that ran out of time was ended."""
        self._clock = clock
        self._turn: Turn | None = None
        self._alarm: Alarm | None = None
        self._stopped = False

    @property
    def is_set(self) -> bool:
        """Whether an alarm will ring."""
        return self._alarm is not None

    def is_due(self, at: float) -> bool:
        """Whether the turn has run out of time at this moment."""
        return self.deadline is not None and at >= self.deadline

    def go_on(
        self, before: State | None, after: State, ring: Callable[[], None], pause: float
    ) -> None:
        """Set the clock for the turn that has come; `before` as in `clock.deadline`."""
        self.silence()
        self._turn = after.turn
        self.deadline = deadline(before, after, self.deadline, self._clock)
        if self.deadline is not None:
            self.set_alarm(self.deadline + GRACE + pause, ring)

    def due(self, state: State) -> int | None:
        """When the turn of `state` ends, as the wall clock tells the time now.

        This is what the log says, unless the wall clock was changed since the turn began: that
        does not move the end of the turn.
        """
        if self.deadline is None or state.due is None or state.turn != self._turn:
            return state.due
        left = round(1000 * (self.deadline - self._clock.now()))
        due = self._clock.utc() + left
        return state.due if abs(due - state.due) <= DRIFT else due

    def set_alarm(self, when: float, ring: Callable[[], None]) -> None:
        """Call `ring` then, unless something happens before."""
        if not self._stopped:
            self._alarm = self._clock.call_at(when, ring)

    def silence(self) -> None:
        """Let no alarm ring."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def stop(self) -> None:
        """Let none ring any more."""
        self._stopped = True
        self.silence()
