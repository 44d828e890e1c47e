"""`keypeg serve` as a process of its own, forked or started under another program."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from harness.ports import Port
from harness.servers.forked import ForkedServer, SpawnedServer
from harness.servers.settings import ROOMY

if TYPE_CHECKING:
    from pathlib import Path


class ServerProcess:
    """`keypeg serve` as a process that can be killed and started again on the same port."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self.database, self.folder = database, folder
        self.environment = environment
        self._port = Port()
        self.port = self._port.number
        self.log = folder / "server.log"
        self._process: ForkedServer | SpawnedServer | None = None
        self.prefix: tuple[str, ...] = ()
        """A program to run it under."""

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
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in ROOMY.items()}
        arguments = ["serve", "--port", str(self.port), "--database", self.database]
        told = {**limits, **self.environment, **environment}
        self.let_go()
        if self.prefix:
            self._process = SpawnedServer(self.prefix, arguments, told, self.log)
        else:
            self._process = ForkedServer(arguments, told, self.log)
        try:
            announced = self._process.announced()
            assert announced.startswith("keypeg: http"), self.log.read_text()[-2000:]
        except BaseException:
            self.let_go()
            raise

    @property
    def alive(self) -> bool:
        return self._started.program.poll() is None

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, sign: int = signal.SIGTERM) -> int:
        self._started.program.send_signal(sign)
        return self.wait()

    def wait(self) -> int:
        code = self._started.ends()
        self._started.close()
        return code

    def __enter__(self) -> ServerProcess:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Kill it if it runs, and keep nothing of it open."""
        if self._process is not None:
            self._process.kill()
