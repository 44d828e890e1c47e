"""What the server counts and times, for Prometheus. Labels are kinds, never tables or people."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

PROBE_SECONDS: Final = 0.05
_FAST: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)

_LAG: Final = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


def _tasks() -> float:
    return float(len(asyncio.all_tasks()))


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self.requests = Counter(
            "keypeg_http_requests",
            "HTTP requests answered",
            ["method", "status"],
            registry=registry,
        )
        self.sockets = Gauge("keypeg_sockets", "Open sockets", ["role"], registry=registry)
        self.closes = Counter(
            "keypeg_socket_closes", "Sockets closed by the server", ["code"], registry=registry
        )
        self.handshakes = Counter(
            "keypeg_handshakes_refused", "Sockets refused, by status", ["status"], registry=registry
        )
        self.refused = Counter(
            "keypeg_refused",
            "What was refused, by the limit that it went over",
            ["limit"],
            registry=registry,
        )
        self.connections = Gauge(
            "keypeg_connections", "Open connections, sockets included", registry=registry
        )
        commands = Counter(
            "keypeg_commands",
            "Commands, by kind and what came of them",
            ["kind", "outcome"],
            registry=registry,
        )
        self.commands = cache(commands.labels)
        """The counter of a kind and an outcome: finding it takes longer than counting."""
        self.acknowledgement = Histogram(
            "keypeg_acknowledgement_seconds",
            "From receiving a command to its durable reply",
            buckets=_FAST,
            registry=registry,
        )
        self.lag = Histogram(
            "keypeg_event_loop_lag_seconds",
            "How late the event loop woke up",
            buckets=_LAG,
            registry=registry,
        )
        tasks = Gauge("keypeg_tasks", "Tasks of the event loop", registry=registry)
        tasks.set_function(_tasks)
        self.thinking = Histogram(
            "keypeg_thinking_seconds",
            "Time spent on hints and analyses",
            ["kind"],
            buckets=_FAST,
            registry=registry,
        )

    def text(self) -> bytes:
        """All figures in Prometheus's text format."""
        return generate_latest(self._registry)

    async def probe_lag(self) -> None:
        """Measure, until cancelled, how late the event loop wakes this task up."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + PROBE_SECONDS
            await asyncio.sleep(PROBE_SECONDS)
            self.lag.observe(max(0.0, loop.time() - due))
