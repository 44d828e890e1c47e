"""Tables without a server: a clock that stands still until turned, players, and short commands."""

from __future__ import annotations

import asyncio
import hashlib
import random
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, product
from typing import TYPE_CHECKING, Final

from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.referee import right_answer
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Person, Reply, Seat, Settings, State, Table
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    DeclineLimit,
    Guess,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SeatedCommand,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.decisions import decide
from keypeg.table.options import TableOption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from keypeg.rules.code import Code
    from keypeg.store.log import Log
    from keypeg.table.computer import Player, Rows

CLASSIC = Terms(Board(4, 6))
TIMED = Terms(Board(4, 6), turn_seconds=180)
BY_HAND = Terms(Board(4, 6), key_pegs=KeyPegMode.BY_HAND)
CHECKED = Terms(Board(4, 6), key_pegs=KeyPegMode.CHECKED)
SECRET: Code = (1, 2, 3, 4)
WRONG: Code = (5, 5, 6, 6)

PLAIN: dict[TableOption, SeatedCommand] = {
    TableOption.HINT: UseHint(),
    TableOption.CHALLENGE: Challenge(),
    TableOption.NEXT_GAME: NextGame(),
    TableOption.REMATCH: Rematch(),
    TableOption.CLAIM: ClaimAbsent(),
    TableOption.OFFER_TIME: OfferTime(5),
    TableOption.DECLINE_LIMIT: DeclineLimit(),
    TableOption.WITHDRAW_LIMIT: WithdrawLimit(),
    TableOption.RESIGN: Resign(),
}


def suitable(state: State, option: TableOption, rng: random.Random) -> SeatedCommand:
    """The option as a command, with arguments that are valid whenever the option is open."""
    board, game = state.settings.terms.board, state.series.game
    match option:
        case TableOption.SET_SECRET:
            return SetSecret(draw_code(board, rng))
        case TableOption.GUESS:
            return Guess(draw_code(board, rng))
        case TableOption.ANSWER:
            waits = game is not None and game.phase is Phase.ANSWER
            return Answer(right_answer(game) if waits and game else KeyPegs(0, 0))
        case TableOption.PROPOSE_LIMIT:
            return ProposeLimit(None if state.series.next_limit == 60 else 60)
        case TableOption.ACCEPT_LIMIT:
            proposal = state.series.proposal
            return AcceptLimit(proposal.seconds if proposal else 60)
        case _:
            return PLAIN[option]


def accepted(state: State, seat: Seat | None, rng: random.Random) -> set[TableOption]:
    """The options that the table would accept from `seat` now."""
    done = set()
    for option in TableOption:
        with suppress(AgainstTheRules):
            decide(state, seat, suitable(state, option, rng))
            done.add(option)
    return done


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
        """Let time pass, without ringing alarms."""
        self.time += seconds
        self.wall += round(seconds * 1000)

    def ring(self) -> None:
        """Ring the alarms that are due."""
        due = [alarm for alarm in self.alarms if alarm.when <= self.time]
        self.alarms = [alarm for alarm in self.alarms if alarm.when > self.time]
        for alarm in due:
            if not alarm.cancelled:
                alarm.callback()


class ConsistentPlayer:
    """Plays some code that fits all answers, at any level, at once."""

    levels: tuple[str, ...] = ("beginner", "club", "expert", "perfect")
    needs_company = False
    MOST_CODES: Final = 60_000

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.SystemRandom()

    async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code | None:
        """A code that fits; on boards too big to go through, any code."""
        del level, account  # all play alike
        if not rows or board.codes > self.MOST_CODES:
            return draw_code(board, self._rng)
        return await asyncio.to_thread(self._fitting, board, rows)

    def _fitting(self, board: Board, rows: Rows) -> Code | None:
        symbols = self._rng.sample(board.symbols, len(board.symbols))
        for code in product(symbols, repeat=board.holes):
            if not board.repeats and len(set(code)) < board.holes:
                continue
            if all(score(code, guess) == keys for guess, keys in rows):
                return code
        return None


class ScriptedPlayer:
    """Plays the given guesses, then codes that fit."""

    levels = ("expert",)
    needs_company = False

    def __init__(self, *guesses: Code | None) -> None:
        self.guesses = list(guesses)
        self.asked: list[tuple[Board, Rows, str]] = []

    async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code | None:
        del account
        self.asked.append((board, rows, level))
        if self.guesses:
            return self.guesses.pop(0)
        return await ConsistentPlayer().guess(board, rows, level)


def token_hash(seat: Seat) -> str:
    return hashlib.sha256(seat.value.encode()).hexdigest()


_names = count(1)


@dataclass
class Playing:
    """A table with its log and clock, and a short way to send it commands."""

    table: Table
    log: Log
    clock: FakeClock
    player: Player
    ids: count[int] = field(default_factory=lambda: count(1))

    async def ask(self, seat: Seat, *commands: Command) -> Reply:
        """Send one command after another, each with an id of its own; the last reply."""
        for command in commands:
            reply = await self.table.handle(seat, f"id-{next(self.ids)}", command, self.clock.now())
        return reply

    async def restart(self) -> None:
        """Close the table and rebuild it from its log."""
        await self.table.close()
        entries = await self.log.read(self.table.id)
        self.table = Table.rebuild(self.table.id, entries, self.log, self.clock, self.player)


async def sit_down(
    log: Log, settings: Settings, clock: FakeClock | None = None, player: Player | None = None
) -> Playing:
    """A new table in this log, with a person in every seat that is for one."""
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
