"""A server to be loaded, and the client processes that load it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.ports import Port
from harness.programs import read_line

if TYPE_CHECKING:
    from collections.abc import Iterator

JOB_SECONDS: Final = 900
"""A client that takes longer over a job has failed."""
LIMITS: Final = {
    "REQUESTS_PER_SECOND": "100000",
    "REQUESTS_AT_ONCE": "100000",
    "TABLES_PER_MINUTE": "1000000",
    "TABLES_AT_ONCE": "100000",
    "SOCKETS": "50000",
    "SOCKETS_PER_ADDRESS": "50000",
    "MESSAGES_PER_SECOND": "1000",
    "MESSAGES_AT_ONCE": "1000",
}
_LAG = re.compile(r'keypeg_event_loop_lag_seconds_bucket\{le="([^"]+)"\} ([0-9.]+)')


class Server:
    """`keypeg serve` on a database, with limits that no load runs into."""

    def __init__(self, database: str, nice: int = 0, **environment: str) -> None:
        self._database, self._nice, self._environment = database, nice, environment
        self._port = Port()
        self.port = self._port.number
        self.start()

    def start(self) -> None:
        """Start it, again on the same port."""
        limits = {f"KEYPEG_{name}": value for name, value in LIMITS.items()}
        options = ["--port", str(self.port), "--database", self._database]
        self.process = subprocess.Popen(
            ["nice", f"-n{self._nice}", sys.executable, "-m", "bench.serving", *options],
            env={**os.environ, **limits, "KEYPEG_LOG_LEVEL": "warning", **self._environment},
            stdout=subprocess.PIPE,
        )
        read_line(self.process)  # it says where it is once it serves

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def end(self, sign: int = signal.SIGTERM) -> None:
        """End it."""
        self.process.send_signal(sign)
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()

    @property
    def resident(self) -> float:
        """Its memory, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return float(found[1]) * 1024 / 1e6 if found else 0.0

    @property
    def files(self) -> int:
        """How many files it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def sockets(self) -> int:
        """How many of them are sockets."""
        found = 0
        for file in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                found += os.readlink(file).startswith("socket:")
        return found

    @property
    def processor_time(self) -> float:
        """Seconds of processor time that it has used."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self) -> str:
        """What it says of itself."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            return str(answer.read().decode())

    @property
    def tasks(self) -> float:
        """How many tasks its event loop has."""
        found = re.search(r"^keypeg_tasks ([0-9.]+)", self.metrics(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def lag(self) -> dict[float, float]:
        """How often its event loop was at most so late, by seconds."""
        return {float(most): float(count) for most, count in _LAG.findall(self.metrics())}


@contextmanager
def server(database: str | None = None, nice: int = 0, **environment: str) -> Iterator[Server]:
    """A server on a SQLite file of its own, unless told."""
    with tempfile.TemporaryDirectory(prefix="keypeg-load-") as folder:
        running = Server(database or f"sqlite:///{folder}/keypeg.db", nice, **environment)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.end()


class Crew:
    """Client processes, each from an address of its own."""

    def __init__(self, port: int, count: int) -> None:
        self._clients = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.load.client", str(port), f"127.0.0.{number + 2}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for number in range(count)
        ]

    def tell(self, *jobs: dict[str, Any]) -> None:
        """Give each a job; one for all, or one for each."""
        for number, client in enumerate(self._clients):
            assert client.stdin is not None
            client.stdin.write(json.dumps(jobs[number % len(jobs)]).encode() + b"\n")
            client.stdin.flush()

    def hear(self) -> list[dict[str, Any]]:
        """One answer from each."""
        return [json.loads(read_line(client, JOB_SECONDS)) for client in self._clients]

    def do(self, *jobs: dict[str, Any]) -> list[dict[str, Any]]:
        """Give each a job and wait for all answers."""
        self.tell(*jobs)
        return self.hear()

    def close(self) -> None:
        """End them."""
        for client in self._clients:
            client.kill()
            client.wait(20)
            for stream in (client.stdin, client.stdout):
                if stream is not None:
                    stream.close()


@contextmanager
def crew(port: int, count: int) -> Iterator[Crew]:
    """Client processes for as long as the block lasts."""
    clients = Crew(port, count)
    try:
        yield clients
    finally:
        clients.close()


@contextmanager
def both_cores_busy() -> Iterator[None]:
    """As many processes that only burn time as there are cores."""
    burning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        time.sleep(0.5)
        yield
    finally:
        for one in burning:
            one.kill()
            one.wait(20)


def percentile(times: list[float], share: float) -> float:
    """The time that this share of them did not exceed."""
    ordered = sorted(times) or [float("inf")]
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def lateness(before: dict[float, float], after: dict[float, float], share: float) -> float:
    """The bound that this share of the event loop's wake-ups kept to between two readings."""
    grown = {most: after[most] - before.get(most, 0) for most in after}
    of = max(grown.values(), default=0)
    return min((most for most, count in grown.items() if count >= share * of), default=0.0)
