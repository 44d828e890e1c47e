"""A client process: reads a job from each line of standard input, and answers each with a line.

{"seat": sockets}                  two at each table, the secret set; answers when all are in
{"play": {"rate", "seconds"}}      guesses at that rate; how long each took, in seconds
{"storm": {"seconds"}}             waits until every socket was lost and is back
{"watch": {"path", "count", "stalled"}}  spectators; {"seen": true}: what each saw and when
{"churn": {"count", "at_once"}}    connects and disconnects, players and spectators
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import heapq
import itertools
import json
import random
import re
import socket as sockets
import struct
import sys
import time
from typing import Any

import uvloop

from harness.clients.light import Http, Socket, connect, new_table, new_ticket, raise_limits

SECRET = [1, 2, 3, 4]
GUESS = [5, 5, 6, 6]
AT_ONCE = 32
_ACK = re.compile(rb'"id":"m([0-9]+)"')
_SEQ = re.compile(rb'"seq":([0-9]+)')


class Place:
    """A seat, and its current socket."""

    def __init__(self, path: str, token: str, *, maker: bool) -> None:
        self.path, self.token, self.maker = path, token, maker
        self.socket: Socket | None = None
        self.seq = 0


class Clients:
    """All that this process does."""

    def __init__(self, port: int, source: str) -> None:
        self._port, self._source = port, source
        self._http = Http(port, source, AT_ONCE)
        self._places: list[Place] = []
        self._due: dict[int, float] = {}
        self._times: list[float] = []
        self._last_ack = 0.0
        self._welcomed = self._refused = self._lost = 0
        self._last_welcome = 0.0
        self._first_ack: float | None = None
        self._back = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen: list[tuple[int, float]] = []
        self._chairs: list[list[tuple[str, str | None]]] = []
        self._rng = random.Random(source)

    async def do(self, job: dict[str, Any]) -> dict[str, Any]:
        """Do one job."""
        [(name, value)] = job.items()
        answer: dict[str, Any] = await getattr(self, f"_do_{name}")(value)
        return answer

    async def _do_seat(self, count: int) -> dict[str, Any]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def table() -> None:
            async with gate:
                one, two = await new_table(self._http)
                places = [Place(*one, maker=True), Place(*two, maker=False)]
                for place in places:
                    await self._enter(place)
                # Maker, breaker, maker, breaker: whoever plays takes every second one.
                self._places += places

        await asyncio.gather(*(table() for _ in range(count // 2)))
        await self._until(lambda: self._welcomed >= len(self._places), 120)
        return {"sockets": self._welcomed}

    async def _enter(self, place: Place) -> None:
        ticket = await new_ticket(self._http, place.path, place.token)
        seq = place.seq or None
        options = {"seq": seq, "source": self._source}
        place.socket = await connect(
            self._port, ticket, lambda _, text: self._heard(place, text), **options
        )
        place.socket.lost = lambda _: self._gone(place)

    def _heard(self, place: Place, text: bytes) -> None:
        now = time.monotonic()
        if text.startswith(b'{"type":"ack"'):
            found = _ACK.search(text)
            if found:
                if self._first_ack is None:
                    self._first_ack = now
                due = self._due.pop(int(found[1]), None)
                if due is not None:
                    self._times.append(now - due)
                    self._last_ack = now
        elif text.startswith(b'{"type":"refused"'):
            self._refused += 1
        elif text.startswith(b'{"type":"welcome"'):
            self._welcomed += 1
            self._last_welcome = now
            if self._back and not place.maker:
                self._say_guess(place, 10_000_000 + self._welcomed)
            if place.maker and not self._back:
                self._say(place, f'{{"type":"set-secret","id":"s","code":{SECRET}}}')
        elif text.startswith(b'{"type":"update"'):
            found = _SEQ.search(text)
            place.seq = int(found[1]) if found else place.seq

    def _say(self, place: Place, text: str) -> None:
        if place.socket is not None and not place.socket.transport.is_closing():
            place.socket.say(text)

    def _say_guess(self, place: Place, move: int) -> None:
        self._say(place, f'{{"type":"guess","id":"m{move}","code":{GUESS}}}')

    def _gone(self, place: Place) -> None:
        self._lost += 1
        if self._back:
            task = asyncio.get_running_loop().create_task(self._return(place))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _return(self, place: Place) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(0.2, 5))
            with contextlib.suppress(OSError, EOFError):
                await self._enter(place)
                return

    async def _do_play(self, how: dict[str, float]) -> dict[str, Any]:
        """Let the breakers guess at random moments, `rate` times a second in all.

        A move's time counts from when it was due, so that neither side can hide that it falls
        behind.
        """
        breakers, rate = self._places[1::2], how["rate"]
        self._times, self._refused, self._lost = [], 0, 0
        pause, began = len(breakers) / rate, time.monotonic()
        queue = [(began + self._rng.uniform(0, pause), n) for n in range(len(breakers))]
        heapq.heapify(queue)
        move = 0
        while queue[0][0] < began + how["seconds"]:
            due, breaker = queue[0]
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            heapq.heapreplace(queue, (due + self._rng.uniform(0.5, 1.5) * pause, breaker))
            move += 1
            self._due[move] = due
            self._say_guess(breakers[breaker], move)
            if not move % 64:
                await asyncio.sleep(0)
        await self._until(lambda: not self._due, 5)
        return {
            "times": [round(one, 5) for one in self._times],
            "seconds": self._last_ack - began,
            "unanswered": len(self._due),
            "refused": self._refused,
            "lost": self._lost,
        }

    async def _do_storm(self, how: dict[str, float]) -> dict[str, Any]:
        """Be ready to come back; then wait until everybody is back."""
        self._back, self._welcomed, self._lost, self._first_ack = True, 0, 0, None
        print(json.dumps({"waiting": len(self._places)}), flush=True)
        everybody = len(self._places)
        await self._until(lambda: self._welcomed >= everybody, how["seconds"])
        await self._until(lambda: self._first_ack is not None, 5)
        return {
            "back": self._welcomed,
            "of": everybody,
            "first_ack": self._first_ack,
            "last_welcome": self._last_welcome,
        }

    async def _do_watch(self, how: dict[str, Any]) -> dict[str, Any]:
        gate = asyncio.Semaphore(AT_ONCE)
        entered: list[Socket] = []

        def heard(_: Socket, text: bytes) -> None:
            if text.startswith(b'{"type":"update"'):
                found = _SEQ.search(text)
                if found:
                    self._seen.append((int(found[1]), time.monotonic()))
            elif text.startswith(b'{"type":"welcome"'):
                self._welcomed += 1

        async def spectator() -> None:
            async with gate:
                ticket = await new_ticket(self._http, how["path"])
                entered.append(await connect(self._port, ticket, heard, source=self._source))

        await asyncio.gather(*(spectator() for _ in range(how["count"])))
        await self._until(lambda: self._welcomed >= how["count"], 60)
        for one in entered[: how["stalled"]]:
            one.transport.pause_reading()
        self._kept = entered
        return {"sockets": self._welcomed}

    async def _do_seen(self, _: object) -> dict[str, Any]:
        return {"seen": self._seen}

    async def _do_churn(self, how: dict[str, Any]) -> dict[str, Any]:
        """Come and go as maker, breaker and spectator; some are cut off, others say goodbye."""
        left, failed = how["count"], 0
        while len(self._chairs) < how["at_once"]:
            # One each: a seat has one socket, and a second would replace the first.
            (path, one), (_, two) = await new_table(self._http)
            self._chairs.append([(path, one), (path, None), (path, two), (path, None)])

        async def come_and_go(first: int, chairs: list[tuple[str, str | None]]) -> None:
            nonlocal left, failed
            for number in itertools.count(first):
                if left <= 0:
                    return
                left -= 1
                try:
                    # Eight in a row: each chair is left in both ways.
                    await self._visit(*chairs[number % 4], cut=number % 8 in (0, 1, 6, 7))
                except (OSError, EOFError, TimeoutError):
                    failed += 1

        await asyncio.gather(*(come_and_go(*each) for each in enumerate(self._chairs)))
        self._http.close()
        self._http = Http(self._port, self._source, AT_ONCE)
        return {"failed": failed}

    async def _visit(self, path: str, token: str | None, *, cut: bool) -> None:
        welcomed = asyncio.Event()
        ticket = await new_ticket(self._http, path, token)
        source = f"127.0.0.{self._rng.randint(2, 9)}"
        one = await connect(self._port, ticket, lambda *_: welcomed.set(), source=source)
        async with asyncio.timeout(30):
            await welcomed.wait()
        if cut:
            linger = struct.pack("ii", 1, 0)
            raw = one.transport.get_extra_info("socket")
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, linger)
            one.transport.abort()
        else:
            one.transport.write(b"\x88\x82\0\0\0\0\x03\xe8")
            one.transport.close()

    async def _until(self, true: Any, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not true() and time.monotonic() < deadline:
            await asyncio.sleep(0.02)


async def main(port: int, source: str) -> None:
    clients = Clients(port, source)
    lines: asyncio.StreamReader = asyncio.StreamReader(limit=2**20)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        print(json.dumps(await clients.do(json.loads(line))), flush=True)


if __name__ == "__main__":
    raise_limits()
    # Its pauses would be measured as the server's.
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), sys.argv[2]))
