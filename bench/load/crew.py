"""The client processes that load a server, and processes that take the cores from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from harness.programs import read_line

if TYPE_CHECKING:
    from collections.abc import Iterator

JOB_SECONDS: Final = 900
"""A client that takes longer over a job has failed."""


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

    def send(self, *jobs: dict[str, Any]) -> None:
        """Give each client a job: the same for all, or one for each."""
        for number, client in enumerate(self._clients):
            assert client.stdin is not None
            client.stdin.write(json.dumps(jobs[number % len(jobs)]).encode() + b"\n")
            client.stdin.flush()

    def receive(self) -> list[dict[str, Any]]:
        """One answer from each."""
        return [json.loads(read_line(client, JOB_SECONDS)) for client in self._clients]

    def do(self, *jobs: dict[str, Any]) -> list[dict[str, Any]]:
        """Give each a job and wait for all answers."""
        self.send(*jobs)
        return self.receive()

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
    """Run a busy loop for each core during the block."""
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
