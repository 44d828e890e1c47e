"""How many entries a second are on disk and acknowledged: python -m bench.appends [ADDRESS]

Every table waits for its last entry before it writes the next, as players do. `log` appends
entries to the store; `table` plays guesses through whole tables, rules and redaction included.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

from bench import percentile
from keypeg.rules.board import Board
from keypeg.rules.events import Answered, Guessed
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.store.events import Opened
from keypeg.store.log import Card, Entry, Stage
from keypeg.store.sql import SqlLog
from keypeg.table import Open, Settings, Tables
from keypeg.table.commands import Guess, SetSecret, TakeSeat

KEY = bytes(32)
ROWS = 60
SETTINGS = Settings(Terms(Board(4, 6, rows=ROWS)))
GUESS = (Guessed((1, 2, 3, 4)), Answered(KeyPegs(1, 1)))
Step = Callable[[int], Awaitable[object]]


async def appender(log: SqlLog, name: str) -> Step:
    card = Card(public=False, stage=Stage.PLAYING)
    await log.append(name, Entry(1, 1, None, "open", (Opened(SETTINGS),)), card)

    async def step(number: int) -> None:
        await log.append(name, Entry(number + 1, 1, Seat.ONE, f"c{number}", GUESS), None)

    return step


async def player(log: SqlLog, name: str) -> Step:
    tables = Tables(log)
    tokens = [hashlib.sha256(f"{name}{seat}".encode()).hexdigest() for seat in Seat]
    table = await tables.open(Open(SETTINGS, Seat.ONE, "Ada", tokens[0]))
    now = tables.clock.now
    await table.handle(Seat.TWO, "sit", TakeSeat("Bob", tokens[1]), now())
    await table.handle(Seat.ONE, "secret", SetSecret((1, 2, 3, 4)), now())

    async def step(number: int) -> None:
        await table.handle(Seat.TWO, f"g{number}", Guess((5, 5, 6, 6)), now())

    return step


async def measure(steps: list[Step]) -> tuple[float, float, float]:
    """Entries a second, and the median and 99th percentile of waiting for one, in seconds."""
    waits: list[float] = []

    async def go_on(step: Step) -> None:
        for number in range(1, ROWS):
            asked = time.perf_counter()
            await step(number)
            waits.append(time.perf_counter() - asked)

    began = time.perf_counter()
    await asyncio.gather(*map(go_on, steps))
    rate = len(waits) / (time.perf_counter() - began)
    return rate, percentile(waits, 0.5), percentile(waits, 0.99)


async def main(address: str) -> None:
    log = await SqlLog.open(address, KEY)
    for what, make in (("log", appender), ("table", player)):
        for count in (1, 20, 200, 1000):
            steps = [await make(log, f"{what}-{count}-{number}") for number in range(count)]
            rate, median, late = await measure(steps)
            print(
                f"{what:5} {count:5} at once  {rate:8,.0f}/s"
                f"  p50 {1000 * median:6.1f} ms  p99 {1000 * late:6.1f} ms"
            )
    await log.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{folder}/keypeg.db"))
