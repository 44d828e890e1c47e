"""Servers that are killed and started again, and start quickly: they are forked."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from harness.ports import Port
from harness.programs import SECONDS
from harness.servers.forked import ForkedServer
from harness.servers.settings import KEY, ROOMY
from keypeg.store import failpoints

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path


class NotStarted(AssertionError):
    """A server that ended before it served, and what it said."""


class RestartableServer:
    """One server after another, on one port and database."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self._database, self._environment = database, environment
        self.log = folder / "server.log"
        self._port = Port()
        self.port, self.starts = self._port.number, 0
        self._server: ForkedServer | None = None
        self._armed = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment: str) -> None:
        """Start a server; one that is to die at a named point may do so before it serves."""
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in ROOMY.items()}
        told = {"KEYPEG_KEY": KEY, "KEYPEG_FAILPOINT": "", **limits, **self._environment}
        arguments = ["serve", "--port", str(self.port), "--database", self._database]
        self.forget()
        self._server = ForkedServer(arguments, {**told, **environment}, self.log)
        self._armed = bool(environment.get("KEYPEG_FAILPOINT"))
        if not self._server.announced():
            self._server.ends()
            if not self.died_where_told:
                self.forget()
                raise NotStarted(self.log.read_text()[-2000:])
        self.starts += 1

    def forget(self) -> None:
        """Kill the last server if it runs, and have nothing more to do with it."""
        if self._server is not None:
            self._server.kill()
            self._server = None

    @property
    def started(self) -> bool:
        """Whether there was a server; one that could not be started never was."""
        return self._server is not None

    @property
    def status(self) -> int | None:
        """How the server ended, if it did."""
        return None if self._server is None else self._server.program.poll()

    @property
    def alive(self) -> bool:
        return self.started and self.status is None

    @property
    def gave_up(self) -> bool:
        """Whether it ended of itself, and not by a signal."""
        return self.status is not None and self.status >= 0

    @property
    def died_where_told(self) -> bool:
        """Whether it was killed at a named point."""
        return self._armed and self.status == -signal.SIGKILL

    def send(self, sign: int) -> None:
        if self._server is not None:
            self._server.program.send_signal(sign)

    async def end(self, sign: int = signal.SIGKILL) -> None:
        self.send(sign)
        async with asyncio.timeout(SECONDS):
            while self.alive:
                await asyncio.sleep(0.005)


@contextmanager
def restartable_servers(
    count: int, database: str, folder: Path, **environment: str
) -> Iterator[list[RestartableServer]]:
    """Several servers on one database."""
    servers = [RestartableServer(database, folder, **environment) for _ in range(count)]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        with ExitStack() as ends:
            for server in servers:
                ends.callback(server.forget)
                server.send(signal.SIGKILL)


@contextmanager
def restartable_server(
    database: str, folder: Path, **environment: str
) -> Iterator[RestartableServer]:
    """One server."""
    with restartable_servers(1, database, folder, **environment) as servers:
        yield servers[0]


def failpoint(rng: random.Random) -> dict[str, str]:
    """Half of the servers die at a place in their writing, without being told to."""
    if rng.random() < 0.5:
        return {}
    return {"KEYPEG_FAILPOINT": f"{rng.choice(failpoints.NAMES)}:{rng.randint(1, 40)}"}
