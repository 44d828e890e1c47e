"""When what is read now may have arrived.

Players' moves are judged by when they reached this process. While the event loop is held up, they
wait in the system's buffers, and nobody notes when they arrived. So whatever is read after such a
pause counts as received at its beginning: nobody loses a turn because the server is busy.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

INTERVAL_SECONDS: Final = 0.05
PAUSE_SECONDS: Final = 0.125
"""The event loop was held up if it has not looked at its sockets for this long."""


class ArrivalClock:
    """Notes when the event loop last read from all its sockets. Runs from `start` to `stop`."""

    def __init__(self) -> None:
        self._read_until = time.monotonic()
        self._next: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin, on the running loop."""
        self._check()

    def stop(self) -> None:
        """Stop."""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def earliest(self) -> float:
        """The earliest time at which what is read now can have arrived, on the monotonic clock."""
        now = time.monotonic()
        return now if now - self._read_until < PAUSE_SECONDS else self._read_until

    def _check(self) -> None:
        # The loop reads its sockets once between two of these calls.
        loop = asyncio.get_running_loop()
        self._next = loop.call_soon(self._look, time.monotonic())

    def _look(self, began: float) -> None:
        self._next = asyncio.get_running_loop().call_soon(self._looked, began)

    def _looked(self, began: float) -> None:
        self._read_until = began
        self._next = asyncio.get_running_loop().call_later(INTERVAL_SECONDS, self._check)
