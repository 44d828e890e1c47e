"""Servers that start quickly, each forked from a process that has served already."""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from harness.descriptors import readable
from harness.forked import ForkServer, Program
from harness.programs import SECONDS, StillRunning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@functools.cache
def fork_server(preload: str) -> ForkServer:
    """The process to fork from; one for each set of libraries in LD_PRELOAD."""
    server = ForkServer("harness.servers.fork_server", {"LD_PRELOAD": preload})
    atexit.register(server.close)
    return server


class ForkedServer:
    """A server that was forked: its first line, and how it ends."""

    program: Program | subprocess.Popen[bytes]

    def __init__(self, arguments: list[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        self._output, writes = os.pipe()
        try:
            with log.open("ab") as errors:
                self.program = self._start(arguments, {**os.environ, **environment}, writes, errors)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(writes)

    def _start(
        self, arguments: list[str], environment: dict[str, str], writes: int, errors: IO[bytes]
    ) -> Program | subprocess.Popen[bytes]:
        forks = fork_server(environment.get("LD_PRELOAD", ""))
        with Path(os.devnull).open("rb") as nothing:
            streams = [nothing.fileno(), writes, errors.fileno()]
            return forks.start(arguments, streams, Path.cwd(), environment)

    def announced(self) -> str:
        """The first line that it writes; empty if it ends before."""
        line, limit = b"", time.monotonic() + SECONDS
        while not line.endswith(b"\n"):
            if not readable(self._output, limit - time.monotonic()):
                raise StillRunning(f"a server announces nothing; its log: {self._last_words()}")
            byte = os.read(self._output, 1)
            if not byte:
                break
            line += byte
        return line.decode()

    def ends(self) -> int:
        """Its exit status, as subprocess gives it, once it has ended."""
        limit = time.monotonic() + SECONDS
        while (code := self.program.poll()) is None:
            if time.monotonic() > limit:
                raise StillRunning(f"a server does not end; its log: {self._last_words()}")
            time.sleep(0.005)
        return code

    def _last_words(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]

    def kill(self) -> None:
        """Kill it if it runs, wait for its end, and release it; to call this twice is harmless."""
        try:
            self.program.kill()
            self.ends()
        finally:
            self.close()

    def close(self) -> None:
        """Read no more of its output."""
        if self._output >= 0:
            os.close(self._output)
            self._output = -1


class SpawnedServer(ForkedServer):
    """A server in an interpreter of its own, run under another program."""

    def __init__(
        self,
        prefix: Sequence[str],
        arguments: list[str],
        environment: Mapping[str, str],
        log: Path,
        module: str = "harness.servers.program",
    ) -> None:
        self._prefix, self._module = prefix, module
        super().__init__(arguments, environment, log)

    def _start(
        self, arguments: list[str], environment: dict[str, str], writes: int, errors: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        command = [*self._prefix, sys.executable, "-m", self._module, *arguments]
        return subprocess.Popen(command, env=environment, stdout=writes, stderr=errors)
