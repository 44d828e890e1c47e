"""Servers that start in no time, and are killed as quickly: forked from one that has loaded all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.server.running import ROOMY

KEY = "5a" * 32


class NotStarted(AssertionError):
    """A server that ended before it served, and what it said."""


def alive(process: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Nurse:
    """The process that all others are forked from."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.log = folder / "server.log"
        self.ended = folder / "ended"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.server.process", "nursery"],
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
            )

    def fork(self, arguments: list[str], environment: dict[str, str]) -> tuple[int, int]:
        """The id and port of a new server, once it serves; no port if it ended before."""
        order = {"arguments": arguments, "environment": environment, "ended": str(self.ended)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        while not select.select([self._process.stdout], [], [], 0.05)[0]:
            if not alive(child):
                return child, 0
        announced = self._process.stdout.readline().decode().strip()
        return child, int(announced.rstrip("/").rpartition(":")[2])

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


class Nursery:
    """One server after another, on one port and database."""

    def __init__(self, nurse: Nurse, database: str, **environment: str) -> None:
        self._nurse, self._database, self._environment = nurse, database, environment
        self.log = nurse.log
        self.port, self.pid, self.starts = 0, 0, 0
        self._armed = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment: str) -> None:
        """Start a server; one that is to die at a named point may do so before it serves."""
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in ROOMY.items()}
        told = {"KEYPEG_KEY": KEY, "KEYPEG_FAILPOINT": "", **limits, **self._environment}
        arguments = ["serve", "--port", str(self.port), "--database", self._database]
        self.pid, port = self._nurse.fork(arguments, {**told, **environment})
        self._armed = bool(environment.get("KEYPEG_FAILPOINT"))
        if not port and not self.died_where_told:
            self.pid = 0
            raise NotStarted(self.log.read_text()[-2000:])
        self.port = port or self.port
        self.starts += 1

    @property
    def alive(self) -> bool:
        return self.pid != 0 and alive(self.pid)

    @property
    def gave_up(self) -> bool:
        """Whether it ended of itself, and not by a signal."""
        return not self.alive and self._nurse.ended.with_suffix(f".{self.pid}").exists()

    @property
    def died_where_told(self) -> bool:
        """Whether it was killed at a named point."""
        return not self.alive and self._armed and not self.gave_up

    def send(self, sign: int) -> None:
        if not self.pid:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, sign)

    async def end(self, sign: int = signal.SIGKILL) -> None:
        self.send(sign)
        while self.alive:
            await asyncio.sleep(0.005)


@contextmanager
def nurseries(
    count: int, database: str, folder: Path, **environment: str
) -> Iterator[list[Nursery]]:
    """Several servers on one database."""
    nurse = Nurse(folder, **environment)
    servers = [Nursery(nurse, database, **environment) for _ in range(count)]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.send(signal.SIGKILL)
        nurse.close()


@contextmanager
def nursery(database: str, folder: Path, **environment: str) -> Iterator[Nursery]:
    """One server."""
    with nurseries(1, database, folder, **environment) as servers:
        yield servers[0]
