"""Servers that are killed, also at named points in their writing, and started again."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from harness.programs import SECONDS
from harness.servers.processes import ServerProcess
from harness.servers.settings import KEY
from keypeg.store import failpoints

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path


class RestartableServer(ServerProcess):
    """One server after another, on one port, database and key."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        environment = {"KEYPEG_KEY": KEY, "KEYPEG_FAILPOINT": "", **environment}
        super().__init__(database, folder, **environment)
        self.starts = 0
        self._armed = False

    def start(self, **environment: str) -> None:
        """Start a server; one that is to die at a named point may do so before it serves."""
        self._armed = bool(environment.get("KEYPEG_FAILPOINT"))
        if not self._served(environment) and not self.died_at_failpoint:
            self._give_up()
        self.starts += 1

    @property
    def gave_up(self) -> bool:
        """Whether it ended by itself, and not by a signal."""
        return self.status is not None and self.status >= 0

    @property
    def died_at_failpoint(self) -> bool:
        """Whether it was killed at a named point."""
        return self._armed and self.status == -signal.SIGKILL

    async def end(self, sign: int = signal.SIGKILL) -> None:
        """End it while others in this event loop go on."""
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
                ends.callback(server.let_go)
                server.send(signal.SIGKILL)


@contextmanager
def restartable_server(
    database: str, folder: Path, **environment: str
) -> Iterator[RestartableServer]:
    """One server."""
    with restartable_servers(1, database, folder, **environment) as servers:
        yield servers[0]


def failpoint(rng: random.Random) -> dict[str, str]:
    """For half of the servers, a point at which they kill themselves."""
    if rng.random() < 0.5:
        return {}
    return {"KEYPEG_FAILPOINT": f"{rng.choice(failpoints.NAMES)}:{rng.randint(1, 40)}"}
