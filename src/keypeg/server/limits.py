"""Token buckets, by network address: how much one client may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_REMEMBERED: Final = 20_000


class Bucket:
    """Tokens that refill at `rate` a second up to `burst`; each request takes some."""

    __slots__ = ("_burst", "_clock", "_rate", "_tokens", "_when")

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens, self._when = burst, clock()

    def take(self, cost: float = 1.0) -> bool:
        """Whether there were `cost` tokens; takes them if so."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._when) * self._rate)
        self._when = now
        if self._tokens < cost:
            return False
        self._tokens -= cost
        return True

    def charge(self, cost: float) -> None:
        """Take `cost` tokens, even those that are not there yet, up to a whole burst of them."""
        self.take(0.0)
        self._tokens = max(-self._burst, self._tokens - cost)

    def reserve(self, cost: float = 1.0) -> float:
        """Take `cost` tokens, even those that are not there yet. Returns the seconds until then.

        Whoever reserves later waits longer, so nobody is overtaken.
        """
        self.take(0.0)
        self._tokens -= cost
        return max(0.0, -self._tokens / self._rate)

    def wait(self, cost: float = 1.0) -> float:
        """Seconds until `cost` tokens will be there."""
        return max(0.0, (cost - self._tokens) / self._rate)


class Buckets:
    """A bucket for every client; who was not seen for longest is forgotten first."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, client: str) -> Bucket:
        """The bucket of one client."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = Bucket(self._rate, self._burst, self._clock)
            if len(self._buckets) > MOST_REMEMBERED:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket
