"""A server whose memory, files, processor time and event loop can be read while it is loaded."""

from __future__ import annotations

import os
import re
import tempfile
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from harness.servers.processes import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAG = re.compile(r'keypeg_event_loop_lag_seconds_bucket\{le="([^"]+)"\} ([0-9.]+)')


class MeasuredServer(ServerProcess):
    """`keypeg serve` in an interpreter of its own, and what it uses; no load reaches its limits."""

    limits = MappingProxyType(
        {
            "requests_per_second": 100_000,
            "requests_at_once": 100_000,
            "tables_per_minute": 1_000_000,
            "tables_at_once": 100_000,
            "sockets": 50_000,
            "sockets_per_address": 50_000,
            "connections_per_address": 50_000,
            "messages_per_second": 1_000,
            "messages_at_once": 1_000,
        }
    )

    def __init__(self, database: str, folder: Path, nice: int = 0, **environment: str) -> None:
        super().__init__(database, folder, **{"KEYPEG_LOG_LEVEL": "warning", **environment})
        self.prefix = ("nice", f"-n{nice}")

    def use(self, checkout: Path) -> None:
        """Run what is there instead of this checkout."""
        self.prefix, self.module = ("env", f"PYTHONPATH={checkout.resolve()}/src"), "keypeg"

    @property
    def resident(self) -> float:
        """Its memory, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return float(found[1]) * 1024 / 1e6 if found else 0.0

    @property
    def files(self) -> int:
        """How many files it has open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def sockets(self) -> int:
        """How many of them are sockets."""
        found = 0
        for file in Path(f"/proc/{self.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                found += os.readlink(file).startswith("socket:")
        return found

    @property
    def processor_time(self) -> float:
        """Seconds of processor time that it has used."""
        stat = Path(f"/proc/{self.pid}/stat").read_text("ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self) -> str:
        """Its metrics, as text."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=60) as answer:
            return str(answer.read().decode())

    @property
    def tasks(self) -> float:
        """How many tasks its event loop has."""
        found = re.search(r"^keypeg_tasks ([0-9.]+)", self.metrics(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def lag(self) -> dict[float, float]:
        """How often its event loop was at most this late, by seconds."""
        return {float(most): float(count) for most, count in _LAG.findall(self.metrics())}


@contextmanager
def server(
    database: str | None = None,
    nice: int = 0,
    checkout: Path | None = None,
    **environment: str,
) -> Iterator[MeasuredServer]:
    """A server, by default of this checkout and on a SQLite file of its own."""
    with tempfile.TemporaryDirectory(prefix="keypeg-load-") as folder:
        address = database or f"sqlite:///{folder}/keypeg.db"
        running = MeasuredServer(address, Path(folder), nice, **environment)
        if checkout is not None:
            running.use(checkout)
        with running:
            yield running
            if running.alive:
                running.stop()


def lateness(before: dict[float, float], after: dict[float, float], share: float) -> float:
    """The bound that this share of the event loop's wake-ups kept to between two readings."""
    grown = {most: after[most] - before.get(most, 0) for most in after}
    of = max(grown.values(), default=0)
    return min((most for most, count in grown.items() if count >= share * of), default=0.0)
