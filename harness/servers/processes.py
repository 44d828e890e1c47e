"""`keypeg serve` as a process of its own, forked or started under another program."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Self

from harness.ports import Port
from harness.servers.forked import ForkedServer, SpawnedServer
from harness.servers.settings import ROOMY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class NotStarted(AssertionError):
    """A server ended before it served; the message is the end of its log."""


class ServerProcess:
    """`keypeg serve` as a process that can be killed and started again on the same port."""

    limits: Mapping[str, float] = ROOMY

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self.database, self._environment = database, environment
        self._port = Port()
        self.port = self._port.number
        self.log = folder / "server.log"
        self._process: ForkedServer | SpawnedServer | None = None
        self.prefix: tuple[str, ...] = ()
        """A program to run it under."""
        self.module = "harness.servers.program"
        """What Python runs then."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._started.program.pid

    @property
    def _started(self) -> ForkedServer | SpawnedServer:
        assert self._process is not None
        return self._process

    def start(self, **environment: str) -> None:
        """Start it, and wait until it serves."""
        if not self._served(environment):
            self._give_up()

    def _served(self, environment: Mapping[str, str]) -> bool:
        """Start it; whether it served, and did not end before that."""
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in self.limits.items()}
        settings = {**limits, **self._environment, **environment}
        arguments = ["serve", "--port", str(self.port), "--database", self.database]
        self.let_go()
        if self.prefix:
            self._process = SpawnedServer(self.prefix, arguments, settings, self.log, self.module)
        else:
            self._process = ForkedServer(arguments, settings, self.log)
        try:
            if self._process.announced():
                return True
            self._process.ends()
        except BaseException:
            self.let_go()
            raise
        return False

    def _give_up(self) -> None:
        self.let_go()
        raise NotStarted(self.log.read_text()[-2000:])

    @property
    def started(self) -> bool:
        """Whether a server was started and not let go of."""
        return self._process is not None

    @property
    def status(self) -> int | None:
        """Its exit status, if it has ended."""
        return None if self._process is None else self._process.program.poll()

    @property
    def alive(self) -> bool:
        return self.started and self.status is None

    def send(self, sign: int) -> None:
        """Send it a signal, if it was started."""
        if self._process is not None:
            self._process.program.send_signal(sign)

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, sign: int = signal.SIGTERM) -> int:
        """Its exit status, once the signal has ended it."""
        self.send(sign)
        return self.wait()

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        code = self._started.ends()
        self._started.close()
        return code

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Kill it if it runs, and keep nothing of it open."""
        if self._process is not None:
            self._process.kill()
            self._process = None
