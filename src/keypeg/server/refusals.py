"""What was refused, for the operator: counted for Prometheus, and said in the log now and then."""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.server.metrics import Metrics

Limit = Literal[
    "arrivals",
    "connections",
    "entries",
    "files",
    "figures",
    "frames",
    "handshakes",
    "heads",
    "health",
    "hosts",
    "open-files",
    "origins",
    "pieces",
    "requests",
    "sockets",
    "tables",
    "tickets",
]
"""What may refuse something. docs/security.md says what each means."""
QUIET_SECONDS: Final = 10.0
"""A line at most this often for each limit, however much is refused."""
LATELY_SECONDS: Final = 60.0
MOST_REMEMBERED: Final = 20_000
"""The most addresses of which it is known when they were last refused something."""
_log = logging.getLogger("keypeg.refusals")


class Refusals:
    """Counts what each limit refuses."""

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        self._metrics, self._clock = metrics, clock
        self._unsaid: Counter[Limit] = Counter()
        self._said: dict[Limit, float] = {}
        self._latest: OrderedDict[str, float] = OrderedDict()

    def note(self, limit: Limit, network: str) -> None:
        """Something from this address was refused by this limit."""
        self._metrics.refused.labels(limit).inc()
        self._unsaid[limit] += 1
        now = self._clock()
        self._latest[network] = now
        self._latest.move_to_end(network)
        if len(self._latest) > MOST_REMEMBERED:
            self._latest.popitem(last=False)
        if now - self._said.get(limit, float("-inf")) < QUIET_SECONDS:
            return
        self._said[limit] = now
        _log.warning(
            "refusing",
            extra={"limit": limit, "count": self._unsaid.pop(limit), "address": network},
        )

    def lately(self, network: str) -> bool:
        """Whether something from this address was refused in the last minute."""
        return self._clock() - self._latest.get(network, float("-inf")) < LATELY_SECONDS
