"""G16: moves against the ends of their turns, with real tables and stores and a simulated clock.

One or two processes have a table open. A move is received about when its turn ends. It is read a
little later, perhaps twice, and takes a while to be written; meanwhile every alarm rings when it is
due. Either the move or the end of the turn wins, all must see the same, and a move received in time
loses only if it was read or written after the grace.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.tables import SECRET, WRONG, ConsistentPlayer, FakeClock, sit_down
from keypeg.rules.board import Board
from keypeg.rules.terms import Terms
from keypeg.store.memory import MemoryLog
from keypeg.store.sql import SqlLog
from keypeg.table import Reply, Seat, Settings, Table
from keypeg.table.clock import GRACE
from keypeg.table.commands import Guess, SetSecret
from keypeg.table.errors import TooLate
from keypeg.table.handler import DEFERENCE

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from keypeg.store.log import Card, Entry, Log

ROWS: Final = 20
TERMS: Final = Terms(Board(4, 6, ROWS), turn_seconds=180)
AT_ONCE: Final = 64
"""Tables that race side by side, so that their entries are committed together."""
OFFSETS: Final = (-0.5, -0.25, -0.001, 0.0, 0.001, 0.25, 0.5)
WAITS: Final = (0.0, 0.0, 0.001, 0.1, 0.249, 0.251, 0.5)
WRITES: Final = (0.0, 0.0, 0.005, 0.1, 0.5)


@dataclass
class Found:
    """What came of the races."""

    begun: int = 0
    races: int = 0
    moved: int = 0
    expired: int = 0
    in_time: int = 0
    """Moves received in time that lost, having been read or written after the grace."""
    wrongs: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        return len(self.wrongs)


class Simulation(FakeClock):
    """A clock that jumps from one thing that is due to the next."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()
        self.working = 0
        """Calls to the store that take real time, during which this clock stands still."""
        self._rest = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            woken = asyncio.get_running_loop().create_future()
            heapq.heappush(self._sleepers, (self.time + seconds, next(self._order), woken))
            await woken

    async def work(self, work: Awaitable[Any]) -> Any:
        self.working += 1
        try:
            return await work
        finally:
            self.working -= 1
            self._rest.set()

    async def go_to(self, when: float) -> None:
        """Let everything happen that is due until then, each at its time."""
        await self._settle()
        while (due := self._next_due()) <= when:
            self.turn(max(0.0, due - self.time))
            while self._sleepers and self._sleepers[0][0] <= self.time:
                heapq.heappop(self._sleepers)[2].set_result(None)
            self.ring()
            await self._settle()
        self.turn(max(0.0, when - self.time))

    def _next_due(self) -> float:
        self.alarms = [alarm for alarm in self.alarms if not alarm.cancelled]
        dues = [alarm.when for alarm in self.alarms] + [each[0] for each in self._sleepers[:1]]
        return min(dues, default=float("inf"))

    async def _settle(self) -> None:
        """Wait until everything waits for this clock."""
        calm = 0
        while calm < 12:
            calm += 1
            await asyncio.sleep(0)
            while self.working:
                self._rest.clear()
                await self._rest.wait()
                calm = 0


class SlowLog:
    """The log of one process, whose writes take a while."""

    def __init__(self, log: Log, clock: Simulation) -> None:
        self._log, self._clock = log, clock
        self.before = self.after = 0.0
        self.wrote = 0

    async def append(self, table_id: str, entry: Entry, card: Card | None) -> None:
        await self._clock.sleep(self.before)
        await self._clock.work(self._log.append(table_id, entry, card))
        self.wrote = entry.seq
        await self._clock.sleep(self.after)

    async def read(self, table_id: str, after: int = 0) -> list[Entry]:
        found: list[Entry] = await self._clock.work(self._log.read(table_id, after))
        return found


class Track:
    """A table on which one race follows another, row by row."""

    def __init__(self, log: Log, rng: random.Random, found: Found) -> None:
        self._log, self._rng, self._found = log, rng, found
        self._clock = Simulation()
        self._tables: list[tuple[Table, SlowLog]] = []

    async def open(self) -> None:
        playing = await sit_down(self._log, Settings(TERMS), self._clock)
        await playing.ask(Seat.ONE, SetSecret(SECRET))
        await playing.table.close()
        entries = await self._log.read(playing.table.id)
        for _ in range(self._rng.choice((1, 2))):
            slow: Any = SlowLog(self._log, self._clock)
            table = Table.rebuild(playing.table.id, entries, slow, self._clock, ConsistentPlayer())
            self._tables.append((table, slow))

    async def close(self) -> None:
        for table, _ in self._tables:
            await table.close()

    async def race(self) -> bool:
        """Play a turn to its end; False if it was over before the move came."""
        rng, clock = self._rng, self._clock
        for _, slow in self._tables:
            slow.before, slow.after = rng.choice(WRITES), rng.choice(WRITES)
        number = rng.randrange(len(self._tables))
        table, slow = self._tables[number]
        state, ends = table.state, table.deadline or 0.0
        first = slow.wrote == state.seq or len(self._tables) == 1
        due = clock.now() + ((state.due or 0) - clock.utc()) / 1000
        offset = rng.choice(OFFSETS) if rng.random() < 0.7 else rng.uniform(-1, 1)
        wait = rng.choice(WAITS)
        # Now and then about the end as this process sees it, which may be a bit later.
        await clock.go_to((ends if rng.random() < 0.2 else due) + offset)
        received = clock.now()
        if table.seq != state.seq:
            # The turn is over: a move now would be for the next row.
            await self._catch_up()
            return False
        await clock.go_to(received + wait)
        moves = [
            asyncio.ensure_future(
                table.handle(Seat.TWO, f"move-{state.seq}", Guess(WRONG), received)
            )
            for _ in range(rng.choice((1, 1, 2)))
        ]
        await clock.go_to(max(ends, received) + GRACE + DEFERENCE)
        await self._catch_up()
        outcome = (await asyncio.gather(*moves, return_exceptions=True))[0]
        # Whoever wrote last ends the turn first, and waits for a move that it is writing itself.
        ready = received + wait + (0 if first else slow.before)
        kept = received < min(due, ends) and ready < due + GRACE - 0.0005
        self._found.in_time += received < min(due, ends) and not isinstance(outcome, Reply)
        self._judge(state.seq, outcome, kept=kept, late=received >= max(due, ends))
        return True

    async def _catch_up(self) -> None:
        # First, whatever is being written gets there.
        await self._clock.go_to(self._clock.now() + 3)
        for table, _ in self._tables:
            await table.catch_up()

    def _judge(self, seq: int, outcome: object, *, kept: bool, late: bool) -> None:
        found = self._found
        views = [
            [table.view(seat, seq) for seat in (Seat.ONE, Seat.TWO, None)]
            for table, _ in self._tables
        ]
        entries = views[0][0]
        moved = isinstance(outcome, Reply)
        won = bool(entries) and entries[0].seat is Seat.TWO
        found.races += 1
        found.moved += won
        found.expired += not won
        for wrong, what in (
            (len(entries) != 1, f"{len(entries)} entries for one turn"),
            (any(view != views[0] for view in views), "two processes see different things"),
            (moved != won, f"the move was answered {outcome!r}, the log says otherwise"),
            (not moved and not isinstance(outcome, TooLate), f"the move was answered {outcome!r}"),
            (kept and not won, "a move received and written in time lost"),
            (late and won, "a move received after the end won"),
        ):
            if wrong:
                found.wrongs.append(what)


async def race(races: int, seed: int, *, durable: bool = True) -> Found:
    """Run this many races, at many tables side by side; on SQLite, or in memory only."""
    found = Found()
    with tempfile.TemporaryDirectory(prefix="keypeg-races-") as folder:
        log: Any = MemoryLog()
        if durable:
            log = await SqlLog.open(f"sqlite:///{Path(folder)}/races.db", bytes(32))

        async def tracks(number: int) -> None:
            rng = random.Random(seed * 1_000 + number)
            while True:
                track = Track(log, rng, found)
                await track.open()
                try:
                    for _ in range(ROWS - 1):
                        if found.begun >= races:
                            return
                        found.begun += 1
                        if not await track.race():
                            found.begun -= 1
                finally:
                    await track.close()

        await asyncio.gather(*map(tracks, range(min(AT_ONCE, races))))
        await log.close()
    return found
