"""Carrying out commands at one table, each in its turn, and what the table does by itself.

The table's own clock and the computer ask for things in the same way as players do.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from keypeg.rules.errors import KeypegError
from keypeg.store.errors import StoreError, Unavailable
from keypeg.store.events import SeatTaken
from keypeg.table.clock import ABSENCE
from keypeg.table.commands import (
    Answer,
    ClaimAbsent,
    CreditTime,
    Expire,
    Guess,
    NextGame,
    SetSecret,
    UseHint,
)
from keypeg.table.computer_seat import RETRY_SECONDS, ComputerSeat
from keypeg.table.errors import CommandReused, Stale, TooEarly, TooLate
from keypeg.table.outages import TWO_HEARTBEATS
from keypeg.table.presence import Presence
from keypeg.table.repeats import same
from keypeg.table.tasks import Tasks
from keypeg.table.turn_clock import TurnClock
from keypeg.table.watchers import Watchers
from keypeg.table.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from keypeg.rules.series import Seat
    from keypeg.store.log import Entry, Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Command, OwnCommand
    from keypeg.table.computer import Player
    from keypeg.table.outages import Outage
    from keypeg.table.state import State
    from keypeg.table.view import Seen

DEFERENCE: Final = 2.0
"""Seconds for which the process where a move was made is the only one to think or to flag."""
ROUNDS: Final = 20
"""Turns of the event loop in which whatever has been received is read and handled."""
_TURN_BOUND: Final = (SetSecret, Guess, Answer, NextGame, UseHint)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Reply:
    """That a command was carried out, and is on disk. The same for every repeat of it."""

    entry: Seen

    @property
    def seq(self) -> int:
        """Where in the log it is."""
        return self.entry.seq


@dataclass(frozen=True, slots=True)
class Request:
    """A command as it was received; `seat` None is the table itself.

    `received_at` is on the clock's `now()`. `expected` is the seq that the asker knew of, if it
    matters.
    """

    seat: Seat | None
    id: str
    command: Command | OwnCommand
    received_at: float
    expected: int | None = None


class CommandHandler:
    """Carries out what is asked at one table, and goes on by itself while a clock runs."""

    def __init__(self, state: State, log: Log, clock: Clock, player: Player) -> None:
        self.presence = Presence(clock.now())
        self.account = ""
        """The network address that is charged for the thinking of the computer; empty at first."""
        self.charged_until = 0
        """The last entry that was charged to somebody; 0 if none was yet."""
        self.addresses: dict[Seat, str] = {}
        """Where the player of each seat was last heard from."""
        self._writer = Writer(state, log, clock)
        self._turns = TurnClock(clock)
        self._watchers = Watchers()
        self._tasks = Tasks(state.table_id)
        self._clock = clock
        self._computer = ComputerSeat(player)

    @property
    def state(self) -> State:
        """Everything that the log amounts to, secrets included."""
        return self._writer.state

    @property
    def attended(self) -> bool:
        """Whether anybody is here, or watches."""
        return bool(self._watchers)

    async def carry_out(self, request: Request, *, shielded: bool = True) -> Reply:
        """Do what is asked; when this returns it is on disk. Raises a KeypegError if not.

        It is finished even if whoever asked is cancelled. Not `shielded` costs less, and is for
        those who are cancelled only when the process ends.
        """
        if self._turns.is_due(request.received_at):
            # It would end the turn. What was received before that comes first.
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
        if shielded:
            return await self._undisturbed(self._carry_out, request)
        try:
            return await self._writer.in_turn(self, self._carry_out, request)
        finally:
            self._tell_soon()

    async def ask_now(self, seat: Seat, command: Command) -> None:
        """Carry this out for the computer, if nothing has happened meanwhile."""
        now, seq = self._clock.now(), self.state.seq
        await self.carry_out(Request(seat, f"computer-{seq}", command, now, seq))

    async def expire(self, received_at: float) -> Reply:
        """End the running turn if its time is up: a command like any other, from the clock."""
        # The same id in every process that sees this turn expire.
        return await self.carry_out(
            Request(None, f"expire-{self.state.seq}", Expire(), received_at)
        )

    async def credit(self, outage: Outage | None = None) -> None:
        """Give the player on turn back the time of an outage, by default this process's last."""
        await self._undisturbed(self._credit, outage)

    async def catch_up(self) -> None:
        """Take in what other processes wrote."""
        try:
            await self._writer.catch_up(self)
        finally:
            self._tell()

    def go_on(self, before: State | None, pause: float = 0.0) -> None:
        """Set the clock for the turn that has come, and let the computer think if it is to move."""
        self._turns.go_on(before, self.state, self._ring, pause)
        self._computer.ponder(self, pause)

    def follow(self, entry: Entry, before: State) -> None:
        """Act on an entry that another process wrote."""
        self._hear(entry, before)
        if entry.seat is None and same(Expire(), entry.events[0], before):
            # A command received here in that time may have been sent before that was known.
            ago = (self._clock.utc() - entry.at) / 1000
            self._turns.expired_at = self._clock.now() - max(0.0, ago - DEFERENCE)

    def caught_up(self) -> None:
        """Go on from what other processes wrote, and leave it to them to do so first."""
        self.go_on(None, DEFERENCE)

    def spawn(self, work: Coroutine[object, object, _T]) -> asyncio.Task[_T]:
        """Do this beside everything else, until the table is closed."""
        return self._tasks.spawn(work)

    def remove(self) -> None:
        """The log does not have this table any more: stop, and tell those who watch."""
        if self._writer.removed:
            return
        self._writer.removed = True
        self._turns.stop()
        self._computer.stop()
        self._watchers.dismiss()

    async def close(self) -> None:
        """Stop the clock and the computer; what is being written is written."""
        self._watchers.clear()
        self._turns.stop()
        self._computer.stop()
        with suppress(Unavailable):  # whoever was writing has already got this error
            await self._writer.finish()
        await self._tasks.cancel()

    async def _undisturbed(self, work: Callable[..., Awaitable[_T]], *arguments: object) -> _T:
        # Whoever asked may go away; what was begun is finished nevertheless.
        task = self.spawn(self._writer.in_turn(self, work, *arguments))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(lambda _: self._tell())
            raise
        finally:
            # A refusal holds its traceback, which holds this frame: a reference cycle.
            del task
            self._tell_soon()

    def _tell_soon(self) -> None:
        """Tell the watchers, but only after whoever sent the command has the reply."""
        asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._watchers.tell(self.state.seq)

    async def _carry_out(self, request: Request) -> Reply:
        seat, command, seq = request.seat, request.command, self.state.seq
        earlier = self._writer.history.made_by(seat, request.id)
        if earlier is not None:
            claimed = self._writer.history.claimed(earlier.seq)
            if not same(command, earlier.events[0], self.state, claimed=claimed):
                raise CommandReused("this command id was used for something else", seq)
            return Reply(earlier)
        if request.expected not in (None, seq):
            raise Stale(f"the table is at {seq}, not at {request.expected}", seq)
        self._check_time(request)
        if isinstance(command, Expire) or self._turns.is_due(request.received_at):
            await self._end_turn(request)
        entry = await self._write(seat, request.id, command)
        return Reply(self._writer.history.entry(seat, entry.seq))

    def _check_time(self, request: Request) -> None:
        """Refuse what came too early or too late, by when it came and not by when it is read."""
        command, at = request.command, request.received_at
        if at <= self._turns.expired_at and isinstance(command, _TURN_BOUND):
            raise TooLate("your time ran out while this was on its way")
        if isinstance(command, ClaimAbsent) and request.seat is not None:
            waited = self.presence.away(request.seat.other, at)
            if waited < ABSENCE:
                raise TooEarly(
                    f"the opponent must be away for {ABSENCE:.0f} seconds; it has been {waited:.0f}"
                )

    async def _end_turn(self, request: Request) -> None:
        """End a turn that has run out of time before what came after that; refuse what is late.

        Time lost to an outage is credited first, so that no turn ends because of it.
        """
        command, at = request.command, request.received_at
        if self._turns.is_due(at):
            await self._give_back(self._writer.outages.outage, 0)
        due = self._turns.is_due(at)
        if isinstance(command, Expire) and not due:
            raise TooEarly("the time for this turn has not run out")
        if due and not isinstance(command, Expire):
            await self._write(None, f"expire-{self.state.seq}", Expire())
            if isinstance(command, _TURN_BOUND):
                raise TooLate("your time had run out when this came")

    async def _credit(self, outage: Outage | None) -> None:
        """A short outage is left to the end of the turn, where nothing was refused."""
        least = 0 if self._writer.failed else TWO_HEARTBEATS
        await self._give_back(outage or self._writer.outages.outage, least)

    async def _give_back(self, outage: Outage | None, least: int) -> None:
        """Credit what the turn lost by an outage, named by when that began, if it is enough."""
        lost = 0 if outage is None else outage.lost(self.state.turn)
        if outage is None or lost <= least:
            return
        name = f"outage-{outage.until - lost}"
        if self._writer.history.made_by(None, name) is None:
            await self._write(None, name, CreditTime(lost))

    async def _write(
        self, seat: Seat | None, command_id: str, command: Command | OwnCommand
    ) -> Entry:
        before = self.state
        entry = await self._writer.write(seat, command_id, command)
        self._hear(entry, before)
        self.go_on(before)
        if isinstance(command, Expire):
            self._turns.expired_at = self._clock.now()
        return entry

    def _hear(self, entry: Entry, before: State) -> None:
        """Nobody is away who has just acted or sat down, or whose turn has just come."""
        now, waited_for = self._clock.now(), self.state.waits_for
        if entry.seat is not None:
            self.presence.heard(entry.seat, now)
        if waited_for is not None and waited_for is not before.waits_for:
            self.presence.heard(waited_for, now)
        for event in entry.events:
            if isinstance(event, SeatTaken):
                self.presence.heard(event.seat, now)

    def _ring(self) -> None:
        self._turns.silence()
        self.spawn(self._flag())

    async def _flag(self) -> None:
        try:
            await self.expire(self._clock.now())
        except StoreError:
            self._turns.set_alarm(self._clock.now() + RETRY_SECONDS, self._ring)
        except KeypegError:
            pass  # somebody moved in time after all
