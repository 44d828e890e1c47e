"""Trying again what failed on the way to the server, with pauses, as long as patience lasts."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Final, TypeVar

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from keypeg.client.errors import Refused, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PAUSES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The longest pauses between attempts, in seconds; each pause is drawn at random up to these."""
PASSING: Final = (OSError, WebSocketException, Unreachable, Refused)
"""Errors after which another attempt may succeed, unless `is_final`."""
_FINAL_CLOSES: Final = (1008, 4001)
_PASSING_CODES: Final = ("unavailable", "too-fast", "busy", "failed")
_T = TypeVar("_T")


class Backoff:
    """For how many more seconds something is tried, and how long to wait between attempts."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Begin again: the server was reached."""
        self.attempts, self._ends = 0, time.monotonic() + self._seconds

    @property
    def over(self) -> bool:
        """Whether it was tried long enough."""
        return time.monotonic() >= self._ends

    async def pause(self) -> None:
        """Wait: at random, so that clients dropped together do not come back together."""
        longest = PAUSES[min(self.attempts, len(PAUSES) - 1)]
        self.attempts += 1
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - not a secret


async def retried(
    attempt: Callable[[], Awaitable[_T]], patience: Backoff, hopeless: Callable[[Exception], bool]
) -> _T:
    """What the first successful attempt gives; raises what is hopeless or outlasts patience."""
    while True:
        try:
            return await attempt()
        except PASSING as error:
            if hopeless(error) or patience.over:
                raise
        await patience.pause()


def is_final(error: Exception) -> bool:
    """Whether another attempt cannot fare better."""
    if isinstance(error, ConnectionClosed):
        return error.rcvd is not None and error.rcvd.code in _FINAL_CLOSES
    if isinstance(error, InvalidStatus):
        return error.response.status_code == 403
    return isinstance(error, Refused) and error.code not in _PASSING_CODES


def is_no_server(error: Exception) -> bool:
    """Whether there does not seem to be a server of keypeg at all."""
    unanswered = isinstance(error.__cause__, httpx.ConnectError)
    return unanswered or getattr(error, "code", None) == "failed"
