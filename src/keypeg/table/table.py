"""One table: command -> rules -> events -> log -> watchers, and never in another order.

Commands queue for one writer. What a command brings about is on disk before anybody hears of
it: first whoever asked, then those who watch.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from keypeg.draw import draw_guess
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError
from keypeg.rules.notation import Record
from keypeg.rules.series import Seat, maker_of
from keypeg.store import failpoints
from keypeg.store.errors import Moved, StoreError, Unavailable
from keypeg.store.events import SeatTaken, TableEvent
from keypeg.store.log import SLICE, Entry
from keypeg.table import computer
from keypeg.table.clock import ABSENCE, GRACE, deadline
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
from keypeg.table.decisions import decide, opening
from keypeg.table.errors import CommandReused, NoSuchLevel, NoSuchTable, Stale, TooEarly, TooLate
from keypeg.table.history import History
from keypeg.table.outages import TWO_HEARTBEATS, Outages
from keypeg.table.presence import Presence
from keypeg.table.repeats import same
from keypeg.table.state import State, begin, fold, series_id
from keypeg.table.write_lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence

    from keypeg.store.log import Log
    from keypeg.table.clock import Alarm, Clock
    from keypeg.table.commands import Command, Open, OwnCommand
    from keypeg.table.computer import Player
    from keypeg.table.outages import Outage
    from keypeg.table.view import Seen

OPENING: Final = "open"
"""The command id of every table's first entry."""
ATTEMPTS: Final = 8
RETRY_SECONDS: Final = 1.0
DEFERENCE: Final = 2.0
"""Seconds for which the process where a move was made is the only one to think or to flag."""
_TURN_BOUND: Final = (SetSecret, Guess, Answer, NextGame, UseHint)
_COMMAND_ID: Final = re.compile(r"[!-~]{1,64}")
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """That a command was carried out, and is on disk. The same for every repeat of it."""

    entry: Seen

    @property
    def seq(self) -> int:
        """Where in the log it is."""
        return self.entry.seq


@dataclass(frozen=True, slots=True)
class _Request:
    """A command as it was received; `seat` None is the table itself."""

    seat: Seat | None
    id: str
    command: Command | OwnCommand
    received_at: float
    expected: int | None = None


class Watcher(NamedTuple):
    """Whom to call when the table has moved on, and when there is none any more."""

    moved: Callable[[int], None]
    removed: Callable[[], None] | None


class Table:
    """A table in this process. Made by `open` or `rebuild`, put away by `close`."""

    def __init__(self, state: State, log: Log, clock: Clock, player: Player) -> None:
        self.state = state
        self.presence = Presence(clock.now())
        self.outages = Outages(clock)
        """One for all tables of a process, where there are several."""
        self._log, self._clock, self._player = log, clock, player
        self._refused = False
        """Whether something came to nothing here for want of the database."""
        self._history = History()
        self._writing = WriteLock()
        self._watchers: dict[object, Watcher] = {}
        self._told = state.seq
        self._deadline: float | None = None
        self._expired_at = float("-inf")
        self._alarm: Alarm | None = None
        self._tasks: set[asyncio.Task[object]] = set()
        self._pondered: computer.Position | None = None
        self._playing: asyncio.Task[None] | None = None
        self._closed = False
        self.removed = False
        """Whether the log has no such table any more."""

    @classmethod
    async def open(
        cls, table_id: str, command: Open, log: Log, clock: Clock, player: Player
    ) -> Table:
        """A new table, written down."""
        for level in filter(None, map(command.settings.level, Seat)):
            if level not in player.levels:
                raise NoSuchLevel(f"the computer plays at {', '.join(player.levels)}, not {level}")
        entry = Entry(1, clock.utc(), None, OPENING, opening(command))
        await log.append(table_id, entry, begin(table_id, entry).card)
        return cls.rebuild(table_id, [entry], log, clock, player)

    @classmethod
    def rebuild(
        cls, table_id: str, entries: Iterable[Entry], log: Log, clock: Clock, player: Player
    ) -> Table:
        """The table that these entries, from the first on, amount to."""
        first, *others = entries
        table = cls(begin(table_id, first), log, clock, player)
        table._history.remember(first, None)
        for _ in table._replaying(others):
            pass
        return table

    @classmethod
    async def load(
        cls, table_id: str, entries: Sequence[Entry], log: Log, clock: Clock, player: Player
    ) -> Table:
        """The same, but a long log holds up nobody else."""
        table = cls(begin(table_id, entries[0]), log, clock, player)
        table._history.remember(entries[0], None)
        for _ in table._replaying(entries[1:]):
            await asyncio.sleep(0)
        return table

    def _replaying(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Take in a whole log bit by bit, then set the clock."""
        for start in range(0, len(entries), SLICE):
            for entry in entries[start : start + SLICE]:
                self._take_in(entry, fold(self.state, entry))
            yield
        self._told = self.seq
        self._go_on(None)

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

    @property
    def busy(self) -> bool:
        """Whether anybody watches, or something will happen here without anybody's asking."""
        waiting = self._alarm is not None or self._writing.locked()
        return waiting or bool(self._tasks) or bool(self._watchers)

    def view(self, seat: Seat | None, after: int = 0, most: int | None = None) -> tuple[Seen, ...]:
        """The entries that follow `after`, as `seat` may see them; None is a spectator."""
        return self._history.view(seat, after, most)

    def shown(self, seat: Seat | None) -> State:
        """The state of the table as far as `seat` may know it."""
        return self._history.state(self.id, seat)

    async def prepare(self, seat: Seat | None) -> None:
        """See to it that `shown` has little to fold; a long log holds up nobody else."""
        for _ in self._history.folding(self.id, seat):
            await asyncio.sleep(0)

    def moved_since(self, seq: int) -> bool:
        """Whether anything has happened in the game, and not just around it, after entry `seq`."""
        events = (event for seen in self.view(None, seq) for event in seen.events)
        return any(not isinstance(event, TableEvent) for event in events)

    def record(self, seat: Seat | None, number: int | None = None) -> Record:
        """A series of this table, the last unless told, as `seat` may write it down."""
        number, events = self._history.series(seat, number)
        one, two = (sitter.name if sitter else "" for sitter in map(self.state.sitter, Seat))
        settings = self.state.settings
        first_maker = maker_of(settings.first_maker, number)
        return Record(settings.terms, events, series_id(self.id, number), first_maker, (one, two))

    def watch(
        self, moved: Callable[[int], None], removed: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Call `moved` with the table's seq whenever it has moved on, until told to stop.

        `removed` is called once, when there is no such table any more.
        """
        key = object()
        self._watchers[key] = Watcher(moved, removed)

        def stop() -> None:
            self._watchers.pop(key, None)

        return stop

    async def handle(
        self,
        seat: Seat,
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
        if not _COMMAND_ID.fullmatch(command_id):
            raise CannotRead("a command id is 1 to 64 characters of ASCII, without spaces")
        return await self._ask(_Request(seat, command_id, command, received_at, expected))

    def check(self, seat: Seat, command_id: str, command: Command) -> None:
        """Refuse what the game as it stands does not allow, a repeat excepted. Writes nothing."""
        done = self._history.made_by(seat, command_id)
        again = done is not None and same(command, done.events[0], self.state)
        if done is None or not again or self.moved_since(done.seq):
            decide(self.state, seat, command)

    async def expire(self, received_at: float) -> Reply:
        """End the running turn if its time is up: a command like any other, from the clock."""
        # The same id in every process that sees this turn expire.
        return await self._ask(_Request(None, f"expire-{self.seq}", Expire(), received_at))

    async def credit(self, outage: Outage | None = None) -> None:
        """Give the player on turn back the time of an outage, the last of this process unless told.

        A short one is left to the end of the turn, where nothing was refused.
        """

        async def give_back() -> None:
            await self._give_back(
                outage or self.outages.outage, 0 if self._refused else TWO_HEARTBEATS
            )

        await self._undisturbed(give_back)

    async def catch_up(self) -> None:
        """Take in what other processes wrote."""
        try:
            async with self._writing:
                await self._read_on()
        finally:
            self._tell()

    def remove(self) -> None:
        """The log has no such table any more: stop, and tell those who watch."""
        if self.removed:
            return
        self.removed = self._closed = True
        self._silence()
        self._ponder(None, 0.0)
        watchers = tuple(self._watchers.values())
        self._watchers.clear()
        for watcher in watchers:
            if watcher.removed is not None:
                watcher.removed()

    async def close(self) -> None:
        """Stop the clock and the computer; what is being written is written."""
        self._closed = True
        self._watchers.clear()
        self._silence()
        with suppress(Unavailable):  # or somebody could not write
            async with self._writing:
                pass
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, request: _Request) -> Reply:
        return await self._undisturbed(lambda: self._carry_out(request))

    async def _undisturbed(self, work: Callable[[], Awaitable[_T]]) -> _T:
        # Whoever asked may go away; what was begun is finished nevertheless.
        task = self._spawn(self._in_turn(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(lambda _: self._tell())
            raise
        finally:
            # It knows the error that knows this frame: a circle for every refusal.
            del task
            # The asker, who runs on from here, is answered before the watchers are told.
            asyncio.get_running_loop().call_soon(self._tell)

    async def _in_turn(self, work: Callable[[], Awaitable[_T]]) -> _T:
        async with self._writing:
            if self.removed:
                raise NoSuchTable("this table has been removed")
            for _ in range(ATTEMPTS):
                try:
                    return await work()
                except Moved:
                    if not await self._read_on():
                        self.remove()
                        raise NoSuchTable("this table has been removed") from None
                except (AgainstTheRules, Stale):
                    # Another process may have moved on: only the whole log refuses a command.
                    if not await self._read_on():
                        raise
        raise Unavailable("other servers keep writing to this table; try again")

    async def _carry_out(self, request: _Request) -> Reply:
        seat, command = request.seat, request.command
        earlier = self._history.made_by(seat, request.id)
        if earlier is not None:
            if not same(command, earlier.events[0], self.state):
                raise CommandReused("this command id was used for something else", self.seq)
            return Reply(earlier)
        if request.expected not in (None, self.seq):
            raise Stale(f"the table is at {self.seq}, not at {request.expected}", self.seq)
        await self._check_time(request)
        entry = await self._write(seat, request.id, command)
        return Reply(self.view(seat, entry.seq - 1)[0])

    async def _check_time(self, request: _Request) -> None:
        """Refuse what came too early or too late, by when it came and not by when it is read."""
        command, at = request.command, request.received_at
        if isinstance(command, _TURN_BOUND) and at <= self._expired_at:
            raise TooLate("your time ran out while this was on its way")
        if isinstance(command, ClaimAbsent) and request.seat is not None:
            self._check_absence(request.seat.other, at)
        due = self._due(at)
        if due:
            # No turn ends by time in which nobody could have moved.
            await self._give_back(self.outages.outage, 0)
            due = self._due(at)
        if isinstance(command, Expire) and not due:
            raise TooEarly("the time for this turn has not run out")
        if due and not isinstance(command, Expire):
            await self._write(None, f"expire-{self.seq}", Expire())
            if isinstance(command, _TURN_BOUND):
                raise TooLate("your time had run out when this came")

    def _due(self, at: float) -> bool:
        return self._deadline is not None and at >= self._deadline

    async def _give_back(self, outage: Outage | None, least: int) -> None:
        """Credit what the turn lost by an outage, named by when that began, if it is enough."""
        lost = 0 if outage is None else outage.lost(self.state.turn)
        if outage is None or lost <= least:
            return
        name = f"outage-{outage.until - lost}"
        if self._history.made_by(None, name) is None:
            await self._write(None, name, CreditTime(lost))

    def _check_absence(self, seat: Seat, at: float) -> None:
        waited = self.presence.away(seat, at)
        if waited < ABSENCE:
            raise TooEarly(
                f"the opponent must be away for {ABSENCE:.0f} seconds; it has been {waited:.0f}"
            )

    async def _write(
        self, seat: Seat | None, command_id: str, command: Command | OwnCommand
    ) -> Entry:
        before, events, at = self.state, decide(self.state, seat, command), self._clock.now()
        entry = Entry(self.seq + 1, self._clock.utc(), seat, command_id, events)
        after = fold(before, entry)
        with self._watching():
            card = None if after.card == before.card else after.card
            await self._log.append(self.id, entry, card)
        self.outages.wrote(at)
        self._refused = False
        self._take_in(entry, after)
        self._hear(entry, before)
        self._go_on(before)
        if isinstance(command, Expire):
            self._expired_at = self._clock.now()
        return entry

    @contextmanager
    def _watching(self) -> Iterator[None]:
        try:
            with self.outages.watching():
                yield
        except Unavailable:
            self._refused = True
            raise

    def _hear(self, entry: Entry, before: State) -> None:
        """Nobody is away who has just acted or sat down, or whose turn has just come."""
        heard = {event.seat for event in entry.events if isinstance(event, SeatTaken)}
        heard |= {entry.seat} if entry.seat is not None else set()
        waited_for = self.state.waits_for
        if waited_for is not None and waited_for is not before.waits_for:
            heard.add(waited_for)
        for seat in heard:
            self.presence.heard(seat, self._clock.now())

    async def _read_on(self) -> bool:
        """Take in what follows in the log; whether there was anything."""
        with self._watching():
            entries = await self._log.read(self.id, self.seq)
        try:
            for number, entry in enumerate(entries, 1):
                self._follow(entry)
                if not number % SLICE:
                    await asyncio.sleep(0)
        finally:
            # Also when called off half way: the clock is that of the turn that was come to.
            if entries:
                self._go_on(None, DEFERENCE)
        return bool(entries)

    def _follow(self, entry: Entry) -> None:
        """Take in an entry that another process wrote."""
        before = self.state
        self._take_in(entry, fold(before, entry))
        self._hear(entry, before)
        if entry.seat is None and same(Expire(), entry.events[0], before):
            # Who asked here within that time may not have known of it.
            ago = (self._clock.utc() - entry.at) / 1000
            self._expired_at = self._clock.now() - max(0.0, ago - DEFERENCE)

    def _take_in(self, entry: Entry, after: State) -> None:
        self._history.remember(entry, self.state)
        self.state = after

    def _tell(self) -> None:
        """Wake the watchers, if there is something they have not been told."""
        if self._told == self.seq:
            return
        failpoints.reach(failpoints.AFTER_ACK)
        self._told = self.seq
        for watcher in tuple(self._watchers.values()):
            watcher.moved(self.seq)

    def _go_on(self, before: State | None, pause: float = 0.0) -> None:
        """Set the clock for the turn that has come, and let the computer think if it is its."""
        self._silence()
        self._deadline = deadline(before, self.state, self._deadline, self._clock)
        if self._deadline is not None:
            self._set_alarm(self._deadline + GRACE + pause)
        self._ponder(computer.position(self.state), pause)

    def _ponder(self, position: computer.Position | None, pause: float) -> None:
        """Let the computer think about what the table waits for, and about nothing else."""
        if position == self._pondered:
            return
        self._pondered = position
        if self._playing is not None:
            self._playing.cancel()
        self._playing = None
        if position is not None and not self._closed:
            self._playing = self._spawn(self._play_for(position, self.state, pause))

    def _set_alarm(self, when: float) -> None:
        if not self._closed:
            self._alarm = self._clock.call_at(when, self._ring)

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _ring(self) -> None:
        self._alarm = None
        self._spawn(self._flag())

    async def _flag(self) -> None:
        try:
            await self.expire(self._clock.now())
        except StoreError:
            self._set_alarm(self._clock.now() + RETRY_SECONDS)
        except KeypegError:
            pass  # somebody moved in time after all

    async def _play_for(self, position: computer.Position, state: State, pause: float) -> None:
        """Think, then move; called off when the table comes to wait for something else."""
        await asyncio.sleep(pause)
        command = await self._think(position, state)
        while self._pondered == position:
            try:
                now, seq = self._clock.now(), self.seq
                await self.handle(position.seat, f"computer-{seq}", command, now, expected=seq)
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
            except Stale:
                continue
            except KeypegError:
                return

    async def _think(self, position: computer.Position, state: State) -> Command:
        try:
            return await computer.move(state, position.seat, self._player)
        except Exception as error:  # noqa: BLE001 - the game goes on, whatever befalls the solver
            why = {"table": self.id, "reason": type(error).__name__}
            _log.warning("the computer cannot think", extra=why)
            return Guess(draw_guess(position.game.board, position.game.answered))

    def _spawn(self, work: Coroutine[object, object, _T]) -> asyncio.Task[_T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, KeypegError):
            _log.error("a table failed", exc_info=error, extra={"table": self.id})
