"""Load for a real server: many sockets, moves at a steady rate, every acknowledgement timed.

Two seats sit at each table; the breakers guess, each at random moments, and the makers are
told of it. A move's time runs from the moment it was due, so that a server which falls behind
cannot hide it. `python -m bench.load SOCKETS RATE SECONDS` runs it alone.

The sockets here are a few lines of asyncio, since a client that costs more than the server
would measure itself.
"""

from __future__ import annotations

import asyncio
import heapq
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import httpx
from uvloop import new_event_loop

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = {
    "REQUESTS_PER_SECOND": "100000",
    "REQUESTS_AT_ONCE": "100000",
    "TABLES_PER_MINUTE": "1000000",
    "TABLES_AT_ONCE": "100000",
    "SOCKETS_PER_ADDRESS": "50000",
    "MESSAGES_PER_SECOND": "1000",
    "MESSAGES_AT_ONCE": "1000",
}
SECRET = [1, 2, 3, 4]
GUESS = [5, 5, 6, 6]
MOST_MOVES = 60
"""Moves at one table on average: it has 99 rows, and they are played at random moments."""
ACK = re.compile(rb'"type":"ack","id":"m([0-9]+)"')


class Figures(NamedTuple):
    """What one run measured."""

    sockets: int
    moves_per_second: float
    p50: float
    p99: float
    p999: float
    unanswered: int
    kib_per_socket: float
    cpu_per_move: float
    """Seconds of processor time that the server spent; unlike the others, little disturbed by
    what else the machine does."""


class Socket(asyncio.Protocol):
    """A WebSocket client that masks with zeros and knows text frames only."""

    def __init__(self, run: Run, ticket: str, first: str | None) -> None:
        self.run, self.ticket, self.first = run, ticket, first
        self.buffer = b""
        self.open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(
            b"GET /api/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )

    def say(self, text: str) -> None:
        data = text.encode()
        size = (
            bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        )
        self.transport.write(b"\x81" + size + b"\0\0\0\0" + data)

    def data_received(self, data: bytes) -> None:
        data = self.buffer + data
        if not self.open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self.buffer = head
                return
            self.open = True
            self.say(f'{{"type":"hello","ticket":"{self.ticket}"}}')
            if self.first:
                self.say(self.first)
        at = 0
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            if size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if len(data) < start + size:
                break
            self.frame(data[at] & 15, data[start : start + size])
            at = start + size
        self.buffer = data[at:]

    def frame(self, opcode: int, payload: bytes) -> None:
        if opcode == 9:
            self.transport.write(b"\x8a" + bytes([0x80 | len(payload)]) + b"\0\0\0\0" + payload)
        elif opcode == 8:
            self.run.closed += 1
        elif payload.startswith(b'{"type":"ack"'):
            match = ACK.match(payload, 1)
            if match:
                self.run.acknowledged(int(match[1]))
        elif payload.startswith(b'{"type":"refused"'):
            self.run.refused += 1
        elif payload.startswith(b'{"type":"welcome"'):
            self.run.welcomed += 1


class Run:
    """One run of the load."""

    def __init__(self) -> None:
        self.due: dict[int, float] = {}
        self.times: list[float] = []
        self.welcomed = self.refused = self.closed = 0
        self.last = 0.0

    def acknowledged(self, move: int) -> None:
        self.last = time.perf_counter()
        self.times.append(self.last - self.due.pop(move))

    async def play(self, breakers: list[Socket], rate: float, seconds: float) -> None:
        """Let the breakers guess, `rate` times a second in all."""
        pause = len(breakers) / rate
        began = time.perf_counter()
        rng = random.Random(1)
        queue = [(began + rng.uniform(0, pause), n) for n in range(len(breakers))]
        heapq.heapify(queue)
        move = 0
        while queue[0][0] < began + seconds:
            due, breaker = queue[0]
            wait = due - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            heapq.heapreplace(queue, (due + rng.uniform(0.5, 1.5) * pause, breaker))
            move += 1
            self.due[move] = due
            breakers[breaker].say(f'{{"type":"guess","id":"m{move}","code":{GUESS}}}')
            if not move % 64:
                await asyncio.sleep(0)
        for _ in range(100):
            if not self.due:
                break
            await asyncio.sleep(0.05)


async def measure(url: str, pid: int, sockets: int, rate: float, seconds: float) -> Figures:
    """Drive a running server, for as long as the tables have rows."""
    seconds = min(seconds, MOST_MOVES * (sockets // 2) / rate)
    run, loop = Run(), asyncio.get_running_loop()
    port = int(url.rpartition(":")[2])
    breakers = []
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        tables = [await _table(http) for _ in range(sockets // 2)]
        before = _resident(pid)
        for number, (maker, breaker) in enumerate(tables):
            first = f'{{"type":"set-secret","id":"s{number}","code":{SECRET}}}'
            for ticket, opening in ((maker, first), (breaker, None)):
                ours = Socket(run, await _ticket(http, ticket), opening)
                await loop.create_connection(partial(_same, ours), "127.0.0.1", port)
                if opening is None:
                    breakers.append(ours)
        while run.welcomed < 2 * len(tables):
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    memory = (_resident(pid) - before) / len(tables) / 2
    spent = _processor_time(pid)
    began = time.perf_counter()
    await run.play(breakers, rate, seconds)
    spent = _processor_time(pid) - spent
    if run.refused or run.closed:
        sys.exit(f"{run.refused} moves were refused and {run.closed} sockets closed")
    times = sorted(run.times)
    p50, p99, p999 = (
        times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99, 0.999)
    )
    # To the last answer: what was still unanswered when the sending ended counts as slower.
    rate = len(times) / max(seconds, run.last - began)
    return Figures(sockets, rate, p50, p99, p999, len(run.due), memory, spent / len(times))


def _same(socket: Socket) -> Socket:
    return socket


async def _table(http: httpx.AsyncClient) -> tuple[tuple[str, str], tuple[str, str]]:
    # A long game on which the guess never hits, so that a move is always possible.
    one = (await http.post("/api/tables", json={"board": "4x6/99", "games": 100})).json()
    path = f"/api/tables/{one['table']}"
    two = (await http.post(f"{path}/seats", json={"seat": "two"})).json()
    return (path, one["token"]), (path, two["token"])


async def _ticket(http: httpx.AsyncClient, seat: tuple[str, str]) -> str:
    path, token = seat
    headers = {"authorization": f"Bearer {token}"}
    answer = await http.post(f"{path}/tickets", json={}, headers=headers)
    return str(answer.json()["ticket"])


def _resident(pid: int) -> float:
    """Memory of a process, in KiB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("ascii"))
    return float(found[1]) if found else 0.0


def _processor_time(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """A server on a fresh SQLite file: its address and its process."""
    with tempfile.TemporaryDirectory() as folder:
        limits = {f"KEYPEG_{name}": value for name, value in LIMITS.items()}
        database = f"sqlite:///{folder}/keypeg.db"
        command = [sys.executable, "-m", "bench.serving", "--port", "0", "--database", database]
        server = subprocess.Popen(
            command,
            env={**os.environ, **limits, "KEYPEG_LOG_LEVEL": "error"},
            stdout=subprocess.PIPE,
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().decode().partition("keypeg: ")[2].strip().rstrip("/")
            yield url, server.pid
        finally:
            server.terminate()
            server.wait()


def load(sockets: int, rate: float, seconds: float) -> Figures:
    """Start a server, drive it, and stop it."""
    with serving() as (url, pid), asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(measure(url, pid, sockets, rate, seconds))


if __name__ == "__main__":
    print(load(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
