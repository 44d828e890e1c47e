"""The bystanders' process: `PORT`; plays for as many seconds as each line of standard input says.

Each breaker guesses every 120 ms with 3 s for a turn, and waits for the acknowledgement. A move's
time counts from when it was due, so that a server that stands still is not measured once only.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from typing import Any, Final

import uvloop

from harness.clients.light import Http, Socket, connect, new_ticket

PAIRS: Final = 2
PAUSE: Final = 0.12
PATIENCE: Final = 60.0
ROWS: Final = 99
SETTINGS: Final = {"board": f"4x6/{ROWS}", "games": 100, "turn_seconds": 3}


class Pair:
    """A maker and a breaker who play each other, each at an address of their own."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._addresses = [f"127.0.0.{10 + 2 * number + seat}" for seat in range(2)]
        self._sockets: list[Socket] = []
        self._answers: asyncio.Queue[bytes] = asyncio.Queue()
        self.times: list[float] = []
        self.lost = self.stolen = 0

    async def sit(self) -> None:
        """Open a table and set the secret."""
        homes = [Http(self._port, address, 1) for address in self._addresses]
        one = await homes[0].post("/api/tables", SETTINGS)
        path = f"/api/tables/{one['table']}"
        two = await homes[1].post(f"{path}/seats", {"seat": "two"})
        for home, seat, address in zip(homes, (one, two), self._addresses, strict=True):
            ticket = await new_ticket(home, path, seat["token"])
            socket = await connect(self._port, ticket, self._heard, source=address)
            self._sockets.append(socket)
            home.close()
        while not all(socket.open for socket in self._sockets):
            await asyncio.sleep(0.01)
        await self._ask(0, '"type":"set-secret","id":"s","code":[1,2,3,4]')

    def _heard(self, _socket: Socket, text: bytes) -> None:
        if text.startswith((b'{"type":"ack"', b'{"type":"refused"')):
            self._answers.put_nowait(text)
        elif b'"row-expired"' in text and _socket is self._sockets[1]:
            self.stolen += 1

    async def _ask(self, seat: int, command: str) -> bytes:
        self._sockets[seat].say("{" + command + "}")
        async with asyncio.timeout(PATIENCE):
            return await self._answers.get()

    async def play(self, seconds: float) -> None:
        """Guess until the time is over, or all rows are full."""
        began = time.monotonic()
        for row in range(ROWS - 1):
            due = began + PAUSE * row
            if due > began + seconds:
                return
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            try:
                answer = await self._ask(1, f'"type":"guess","id":"g{row}","code":[5,5,6,6]')
            except TimeoutError:
                self.lost += 1
                return
            self.lost += b'"type":"ack"' not in answer
            self.times.append(time.monotonic() - due)

    def leave(self) -> None:
        """Hang up."""
        for socket in self._sockets:
            socket.transport.close()


async def play(port: int, seconds: float) -> dict[str, Any]:
    """Play at new tables."""
    pairs = [Pair(port, number) for number in range(PAIRS)]
    for pair in pairs:
        await pair.sit()
    print("seated", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(pair.play(seconds) for pair in pairs))
    for pair in pairs:
        pair.leave()
    return {
        "times": [round(one, 5) for pair in pairs for one in pair.times],
        "lost": sum(pair.lost for pair in pairs),
        "stolen": sum(pair.stolen for pair in pairs),
    }


async def main(port: int) -> None:
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await play(port, float(line))), flush=True)


if __name__ == "__main__":
    gc.disable()  # its pauses would be measured as the server's
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
