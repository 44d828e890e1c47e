"""Tables to play at in tests: a clock one can turn, and short ways to ask."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.log import Log
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Person, Reply, Seat, Settings, Table
from keypeg.table.commands import Command, TakeSeat
from keypeg.table.computer import ConsistentPlayer, Player, Rows

CLASSIC = Terms(Board(4, 6))
TIMED = Terms(Board(4, 6), turn_seconds=180)
BY_HAND = Terms(Board(4, 6), key_pegs=KeyPegMode.BY_HAND)
CHECKED = Terms(Board(4, 6), key_pegs=KeyPegMode.CHECKED)
SECRET: Code = (1, 2, 3, 4)
WRONG: Code = (5, 5, 6, 6)


@dataclass
class FakeAlarm:
    when: float
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class FakeClock:
    """A clock that stands still until it is turned."""

    time: float = 1_000.0
    wall: int = 1_700_000_000_000
    alarms: list[FakeAlarm] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def utc(self) -> int:
        return self.wall

    def call_at(self, when: float, callback: Callable[[], None]) -> FakeAlarm:
        alarm = FakeAlarm(when, callback)
        self.alarms.append(alarm)
        return alarm

    def turn(self, seconds: float) -> None:
        """Let time pass, without ringing."""
        self.time += seconds
        self.wall += round(seconds * 1000)

    def ring(self) -> None:
        """Ring what is due."""
        due = [alarm for alarm in self.alarms if alarm.when <= self.time]
        self.alarms = [alarm for alarm in self.alarms if alarm.when > self.time]
        for alarm in due:
            if not alarm.cancelled:
                alarm.callback()


class ScriptedPlayer:
    """Plays what it is told, then what fits."""

    levels = ("expert",)

    def __init__(self, *guesses: Code | None) -> None:
        self.guesses = list(guesses)
        self.asked: list[tuple[Board, Rows, str]] = []

    async def guess(self, board: Board, rows: Rows, level: str) -> Code | None:
        self.asked.append((board, rows, level))
        if self.guesses:
            return self.guesses.pop(0)
        return await ConsistentPlayer().guess(board, rows, level)


def token_hash(seat: Seat) -> str:
    return hashlib.sha256(seat.value.encode()).hexdigest()


_names = count(1)


@dataclass
class Playing:
    """A table with its log and clock, and how to ask something of it."""

    table: Table
    log: Log
    clock: FakeClock
    player: Player
    ids: count[int] = field(default_factory=lambda: count(1))

    async def ask(self, seat: Seat, *commands: Command) -> Reply:
        """Ask one thing after another, each with an id of its own."""
        for command in commands:
            reply = await self.table.handle(seat, f"id-{next(self.ids)}", command, self.clock.now())
        return reply

    async def restart(self) -> None:
        """Put the table away and rebuild it from its log."""
        await self.table.close()
        entries = await self.log.read(self.table.id)
        self.table = Table.rebuild(self.table.id, entries, self.log, self.clock, self.player)


async def sit_down(
    log: Log, settings: Settings, clock: FakeClock | None = None, player: Player | None = None
) -> Playing:
    """A new table of this log, with a person in every seat that is for one."""
    clock, player = clock or FakeClock(), player or ConsistentPlayer()
    people = [seat for seat in Seat if isinstance(settings.holder(seat), Person)]
    first = people[0] if people else None
    opening = Open(settings, first, "Ada" if first else "", first and token_hash(first))
    table = await Table.open(f"table-{next(_names)}", opening, log, clock, player)
    playing = Playing(table, log, clock, player)
    for seat in people[1:]:
        await playing.ask(seat, TakeSeat("Bob", token_hash(seat)))
    return playing


@asynccontextmanager
async def table_of(
    terms: Terms = CLASSIC,
    one: Person | Computer = Person(),  # noqa: B008 - frozen
    two: Person | Computer = Person(),  # noqa: B008 - frozen
    *,
    hints: bool | None = None,
    player: Player | None = None,
) -> AsyncIterator[Playing]:
    """A table on a log of its own."""
    log = await SqlLog.open()
    playing = await sit_down(log, Settings(terms, one, two, hints=hints), player=player)
    yield playing
    await playing.table.close()
    await log.close()
