"""A clock that tests set, forwards and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from keypeg.table.clock import Alarm


class SetClock:
    """The wall clock stands where it is set; the other one stands still."""

    def __init__(self, time: str) -> None:
        self.set(time)

    def set(self, time: str) -> None:
        """Set the wall clock, to a time as in 2026-11-18 23:59."""
        moment = datetime.fromisoformat(time).replace(tzinfo=UTC)
        self._utc = int(moment.timestamp() * 1000)

    def now(self) -> float:
        return 1000.0

    def utc(self) -> int:
        return self._utc

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        del when  # it never comes
        return asyncio.get_running_loop().call_later(3600, callback)
