"""One table: command -> rules -> events -> log -> watchers, and never in another order.

Commands queue for one writer. What a command brings about is on disk before anybody hears of
it: first whoever asked, then those who watch.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from keypeg.rules.errors import AgainstTheRules, KeypegError
from keypeg.rules.notation import Record
from keypeg.rules.series import Seat
from keypeg.store import failpoints
from keypeg.store.errors import Moved, StoreError, Unavailable
from keypeg.store.events import Rematched, TableEvent
from keypeg.store.log import Entry
from keypeg.table import computer
from keypeg.table.clock import ABSENCE, GRACE, deadline
from keypeg.table.commands import (
    Answer,
    ClaimAbsent,
    Expire,
    Guess,
    SetSecret,
    UseHint,
)
from keypeg.table.decisions import decide, opening
from keypeg.table.errors import CommandReused, NoSuchLevel, Stale, TooEarly, TooLate
from keypeg.table.presence import Presence
from keypeg.table.repeats import same
from keypeg.table.state import State, begin, fold
from keypeg.table.view import Seen, see

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from keypeg.rules.events import Event
    from keypeg.store.log import Log
    from keypeg.table.clock import Alarm, Clock
    from keypeg.table.commands import Command, Open
    from keypeg.table.computer import Player

OPENING: Final = "open"
"""The command id of every table's first entry."""
ATTEMPTS: Final = 8
RETRY_SECONDS: Final = 1.0
_TURN_BOUND: Final = (SetSecret, Guess, Answer, UseHint)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """That a command was carried out, and is on disk. The same for every repeat of it."""

    entry: Seen

    @property
    def seq(self) -> int:
        """Where in the log it is."""
        return self.entry.seq


Watcher = "Callable[[int], None]"


class Table:
    """A table in this process. Made by `open` or `load`, put away by `close`."""

    def __init__(self, state: State, log: Log, clock: Clock, player: Player) -> None:
        self.state = state
        self.presence = Presence(clock.now())
        self._log, self._clock, self._player = log, clock, player
        self._writing = asyncio.Lock()
        self._seen: dict[Seat | None, list[Seen]] = {None: [], Seat.ONE: [], Seat.TWO: []}
        self._commands: dict[tuple[Seat | None, str], int] = {}
        self._watchers: dict[object, Callable[[int], None]] = {}
        self._deadline: float | None = None
        self._expired_at = float("-inf")
        self._alarm: Alarm | None = None
        self._tasks: set[asyncio.Task[object]] = set()
        self._thinking_at = 0

    @classmethod
    async def open(
        cls, table_id: str, command: Open, log: Log, clock: Clock, player: Player
    ) -> Table:
        """A new table, written down."""
        for seat in Seat:
            level = command.settings.level(seat)
            if level is not None and level not in player.levels:
                raise NoSuchLevel(f"the computer plays at {', '.join(player.levels)}, not {level}")
        entry = Entry(1, clock.utc(), None, OPENING, opening(command))
        state = begin(table_id, entry)
        await log.append(table_id, entry, state.card)
        table = cls(state, log, clock, player)
        table._remember(entry, None)
        table._go_on(None)
        return table

    @classmethod
    def rebuild(
        cls, table_id: str, entries: Iterable[Entry], log: Log, clock: Clock, player: Player
    ) -> Table:
        """The table that these entries, the first one first, amount to."""
        first, *others = entries
        table = cls(begin(table_id, first), log, clock, player)
        table._remember(first, None)
        for entry in others:
            table._remember(entry, table.state)
            table.state = fold(table.state, entry)
        table._go_on(None)
        return table

    @property
    def id(self) -> str:
        """The name of the table."""
        return self.state.table_id

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return self.state.seq

    @property
    def deadline(self) -> float | None:
        """When the running turn ends, on the clock's `now()`; None while no clock runs."""
        return self._deadline

    def view(self, seat: Seat | None, after: int = 0) -> tuple[Seen, ...]:
        """The entries that follow `after`, as `seat` may see them; None is a spectator."""
        return tuple(self._seen[seat][after:])

    def record(self, seat: Seat | None, number: int | None = None) -> Record:
        """A series of this table, the last unless told, as `seat` may write it down."""
        events: list[list[Event]] = [[]]
        for seen in self._seen[seat]:
            for event in seen.events:
                if isinstance(event, Rematched):
                    events.append([])
                elif not isinstance(event, TableEvent):
                    events[-1].append(event)
        number = number or len(events)
        if not 1 <= number <= len(events):
            raise AgainstTheRules(f"this table has played {len(events)} series; none is {number}")
        return self._record(number, tuple(events[number - 1]))

    def _record(self, number: int, events: tuple[Event, ...]) -> Record:
        first = self.state.settings.first_maker
        names = [sitter.name if sitter else "" for sitter in map(self.state.sitter, Seat)]
        return Record(
            self.state.settings.terms,
            events,
            f"{self.id}-{number}",
            first if number % 2 else first.other,
            (names[0], names[1]),
        )

    def watch(self, watcher: Callable[[int], None]) -> Callable[[], None]:
        """Call `watcher` with the table's seq whenever it has moved on, until told to stop."""
        key = object()
        self._watchers[key] = watcher
        return lambda: self._watchers.pop(key, None) and None

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    @property
    def busy(self) -> bool:
        """Whether something is still to happen here without anybody's asking."""
        return bool(self._tasks) or self._alarm is not None or self._writing.locked()

    async def handle(
        self,
        seat: Seat | None,
        command_id: str,
        command: Command,
        received_at: float,
        *,
        expected: int | None = None,
    ) -> Reply:
        """Carry out what `seat` asks; when this returns it is on disk.

        `received_at` is when the server got it, on the clock's `now()`. `expected` is the seq
        that the asker knew of, if it matters. Raises a KeypegError that says why not.
        """
        # Whoever asked may go away; what was begun is finished nevertheless.
        asked = self._one_by_one(seat, command_id, command, received_at, expected)
        return await asyncio.shield(self._spawn(asked))

    async def catch_up(self) -> None:
        """Take in what other processes wrote."""
        async with self._writing:
            await self._read_on()

    async def close(self) -> None:
        """Stop the clock and the computer; what is being written is written."""
        self._watchers.clear()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._thinking_at = -1
        async with self._writing:
            tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one_by_one(
        self,
        seat: Seat | None,
        command_id: str,
        command: Command,
        received_at: float,
        expected: int | None,
    ) -> Reply:
        async with self._writing:
            for _ in range(ATTEMPTS):
                try:
                    return await self._carry_out(seat, command_id, command, received_at, expected)
                except Moved:
                    await self._read_on()
            raise Unavailable("other servers keep writing to this table; try again")

    async def _carry_out(
        self,
        seat: Seat | None,
        command_id: str,
        command: Command,
        received_at: float,
        expected: int | None,
    ) -> Reply:
        earlier = self._commands.get((seat, command_id))
        if earlier is not None:
            return self._repeat(seat, earlier, command)
        if expected is not None and expected != self.seq:
            raise Stale(f"the table is at {self.seq}, not at {expected}", self.seq)
        self._check_received(seat, command, received_at)
        if await self._expire_before(command, received_at) and isinstance(command, _TURN_BOUND):
            raise TooLate("your time had run out when this came")
        events = decide(self.state, seat, command)
        await self._write(Entry(self.seq + 1, self._clock.utc(), seat, command_id, events))
        return Reply(self._seen[seat][-1])

    def _repeat(self, seat: Seat | None, seq: int, command: Command) -> Reply:
        seen = self._seen[seat][seq - 1]
        if not same(command, seen.events[0], self.state):
            raise CommandReused("this command id was used for something else", self.seq)
        return Reply(seen)

    def _check_received(self, seat: Seat | None, command: Command, received_at: float) -> None:
        """Refuse what came too early or too late, by when it came and not by when it is read."""
        if isinstance(command, _TURN_BOUND) and received_at < self._expired_at:
            raise TooLate("your time ran out while this was on its way")
        if isinstance(command, Expire) and seat is None and not self._is_due(received_at):
            raise TooEarly("the time for this turn has not run out")
        if isinstance(command, ClaimAbsent) and seat is not None:
            waited = self.presence.away(seat.other, received_at)
            if waited < ABSENCE:
                raise TooEarly(
                    f"the opponent must be away for {ABSENCE:.0f} seconds; it has been {waited:.0f}"
                )

    def _is_due(self, at: float) -> bool:
        return self._deadline is not None and at >= self._deadline

    async def _expire_before(self, command: Command, received_at: float) -> bool:
        """Let the turn end first that had ended when the command came."""
        if isinstance(command, Expire) or not self._is_due(received_at):
            return False
        events = decide(self.state, None, Expire())
        await self._write(Entry(self.seq + 1, self._clock.utc(), None, self._expiry_id(), events))
        return True

    def _expiry_id(self) -> str:
        # The same in every process that sees this turn expire.
        return f"expire-{self.seq}"

    async def _write(self, entry: Entry) -> None:
        before, after = self.state, fold(self.state, entry)
        await self._log.append(self.id, entry, None if after.card == before.card else after.card)
        self._take_in(entry, after)
        self._go_on(before)
        asyncio.get_running_loop().call_soon(self._tell, entry.seq)

    async def _read_on(self) -> None:
        entries = await self._log.read(self.id, self.seq)
        for entry in entries:
            self._take_in(entry, fold(self.state, entry))
        if entries:
            self._go_on(None)
            self._tell(self.seq)

    def _take_in(self, entry: Entry, after: State) -> None:
        self._remember(entry, self.state)
        self.state = after

    def _remember(self, entry: Entry, before: State | None) -> None:
        """Keep of an entry what each may see of it; equal views are kept once."""
        public = see(entry, before, None)
        self._seen[None].append(public)
        for seat in Seat:
            seen = see(entry, before, seat)
            self._seen[seat].append(public if seen == public else seen)
        self._commands[entry.seat, entry.command_id] = entry.seq
        if entry.command_id.startswith("expire-") and entry.seat is None:
            self._expired_at = self._clock.now()

    def _go_on(self, before: State | None) -> None:
        """Set the clock for the turn that has come, and let the computer think if it is its."""
        self._deadline = deadline(before, self.state, self._deadline, self._clock)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._deadline is not None:
            self._set_alarm(self._deadline + GRACE)
        seat = computer.to_move(self.state)
        if seat is not None and self._thinking_at != -1:
            self._thinking_at = self.seq
            self._spawn(self._play_for(seat, self.state))

    def _tell(self, seq: int) -> None:
        failpoints.reach(failpoints.AFTER_ACK)
        for watcher in tuple(self._watchers.values()):
            watcher(seq)

    def _set_alarm(self, when: float) -> None:
        self._alarm = self._clock.call_at(when, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._spawn(self._flag(self._expiry_id()))

    async def _flag(self, command_id: str) -> None:
        try:
            await self.handle(None, command_id, Expire(), self._clock.now())
        except StoreError:
            self._set_alarm(self._clock.now() + RETRY_SECONDS)
        except KeypegError:
            pass  # somebody moved in time after all

    async def _play_for(self, seat: Seat, state: State) -> None:
        """Think, then move, as often as it takes while the table waits for just this move."""
        command = await computer.move(state, seat, self._player)
        while self._thinking_at == state.seq:
            try:
                await self.handle(
                    seat, f"computer-{state.seq}", command, self._clock.now(), expected=state.seq
                )
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
            except KeypegError:
                return
            else:
                return

    def _spawn(self, work: Coroutine[object, object, _T]) -> asyncio.Task[_T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            error = task.exception()
            if not isinstance(error, KeypegError):
                _log.error("table %s: %s", self.id, type(error).__name__, exc_info=error)


_T = TypeVar("_T")
