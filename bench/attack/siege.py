"""One attack after another on one server, and what the bystanders notice of each."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from bench import percentile
from bench.load.measured import MeasuredServer
from harness.programs import read_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ATTACKER: Final = "127.0.0.99"
SOON: Final = 300


class Besieged(MeasuredServer):
    """A server with the limits that it has by default."""

    limits = MappingProxyType[str, float]({})


class Noticed(NamedTuple):
    """What the bystanders noticed while the server was attacked, and what it cost the server."""

    times: list[float]
    lost: int
    stolen: int
    sent: int
    cores: float
    """Processor time of the server for each second."""

    def late(self, share: float) -> float:
        """The seconds that this share of the moves did not exceed."""
        return percentile(self.times, share)


class Bystanders:
    """The process of those who only want to play."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.attack.bystander", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def sit(self, seconds: float) -> None:
        """Take seats at new tables."""
        self._say(str(seconds))
        assert read_line(self._process, SOON).strip() == b"seated"

    def play(self) -> None:
        """Begin to play."""
        self._say("play")

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def told(self) -> dict[str, list[float]]:
        """What they noticed, when they have finished."""
        found: dict[str, list[float]] = json.loads(read_line(self._process, SOON))
        return found

    def close(self) -> None:
        """End them."""
        _end(self._process)


@contextmanager
def bystanders(port: int) -> Iterator[Bystanders]:
    """Bystanders for as long as the block lasts."""
    playing = Bystanders(port)
    try:
        yield playing
    finally:
        playing.close()


@contextmanager
def attacker(name: str, port: int, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """An attack that has begun, ended at the latest with the block."""
    words = [sys.executable, "-m", "bench.attack.attacker", name, str(port), ATTACKER]
    process = subprocess.Popen([*words, str(seconds)], stdout=subprocess.PIPE)
    try:
        assert read_line(process, SOON).strip() == b"begun", f"{name} could not begin"
        yield process
    finally:
        _end(process)


def watch(server: MeasuredServer, playing: Bystanders, name: str | None, seconds: float) -> Noticed:
    """What is noticed of one attack; of none, if it has no name."""
    playing.sit(seconds)
    with contextlib.ExitStack() as stack:
        process = (
            None if name is None else stack.enter_context(attacker(name, server.port, seconds + 1))
        )
        began, used = time.monotonic(), server.processor_time
        playing.play()
        told = playing.told()
        cores = (server.processor_time - used) / (time.monotonic() - began)
        sent = json.loads(read_line(process, SOON))["sent"] if process else 0
    return Noticed(told["times"], told["lost"], told["stolen"], sent, cores)  # type: ignore[arg-type]


def ended(server: MeasuredServer, name: str, seconds: float) -> float:
    """How long the server takes to end by SIGTERM during this attack."""
    with attacker(name, server.port, seconds + 30):
        time.sleep(seconds)
        began = time.monotonic()
        server.stop(signal.SIGTERM)
        return time.monotonic() - began


def besieged(folder: Path, checkout: Path | None) -> Besieged:
    """A server of this checkout, or of another."""
    server = Besieged(f"sqlite:///{folder}/keypeg.db", folder)
    if checkout is not None:
        server.use(checkout)
    return server


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(20)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def load_average() -> float:
    """How many processes want a core, on average over a minute."""
    return os.getloadavg()[0]
