"""One match in this process: command -> rules -> log -> watchers, and never in another order.

What a command causes is on disk before anybody hears of it: first whoever asked, then those who
watch. While clocks run, the match goes on by itself.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from keypeg.matches.commands import Credit, Expire, Join, Rename
from keypeg.matches.computers import Computers
from keypeg.matches.errors import MatchReused
from keypeg.matches.log_writer import LogWriter
from keypeg.matches.repeats import same
from keypeg.matches.seen import Seen
from keypeg.matches.state import SPECTATORS
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError
from keypeg.rules.match.view import view
from keypeg.store.errors import StoreError, Unavailable
from keypeg.table.clock import GRACE
from keypeg.table.commands import COMMAND_ID
from keypeg.table.computer_seat import RETRY_SECONDS
from keypeg.table.handler import DEFERENCE, ROUNDS
from keypeg.table.outages import TWO_HEARTBEATS
from keypeg.table.tasks import Tasks
from keypeg.table.watchers import Watcher, Watchers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from keypeg.matches.commands import AnyCommand, Command
    from keypeg.matches.log_writer import Notify
    from keypeg.matches.state import State
    from keypeg.matches.steady_clock import SteadyClock
    from keypeg.rules.match.state import Turn
    from keypeg.store.matches import MatchStore
    from keypeg.table.clock import Alarm
    from keypeg.table.computer import Player
    from keypeg.table.outages import Outage, Outages

JOIN: Final = "join"
"""The command id with which every player takes a place."""
VISIT_SECONDS: Final = 30.0
"""How long whoever has asked something counts as being there."""
_T = TypeVar("_T")


class LiveMatch:
    """A match in this process. Made by `matches.Matches`, put away by `close`."""

    def __init__(
        self,
        state: State,
        store: MatchStore,
        clock: SteadyClock,
        player: Player,
        outages: Outages,
        notify: Notify | None,
        *,
        computer_seconds: float,
        shared: bool,
    ) -> None:
        self.account = ""
        """The network address that is charged for the thinking of the computer."""
        self.here: dict[int, int] = {}
        """How many sockets of each player are open."""
        self.writer = LogWriter(state, store, clock, outages, notify)
        self._clock, self._shared = clock, shared
        self._watchers = Watchers()
        self._tasks = Tasks(state.match.id)
        self._computers = Computers(player, computer_seconds)
        self._visited = float("-inf")
        self._alarm: Alarm | None = None
        self._stopped = False

    @property
    def id(self) -> str:
        """The name of the match."""
        return self.state.match.id

    @property
    def state(self) -> State:
        """Everything that the log amounts to, secrets included."""
        return self.writer.state

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return self.state.seq

    @property
    def removed(self) -> bool:
        """Whether the database does not have this match any more."""
        return self.writer.removed

    @property
    def running(self) -> bool:
        """Whether a clock is running."""
        return self.state.match.due is not None and not self._stopped

    @property
    def present(self) -> frozenset[int]:
        """The players of whom a socket is open.

        Where a socket may be open at another process, nobody is said to be away.
        """
        if self._shared:
            return frozenset(player.number for player in self.state.match.players)
        return frozenset(number for number, sockets in self.here.items() if sockets > 0)

    @property
    def attended(self) -> bool:
        """Whether anybody watches, or has lately asked something."""
        return bool(self._watchers) or self._clock.now() < self._visited

    @property
    def busy(self) -> bool:
        """Whether anybody watches, or something will happen here without anybody's asking."""
        waiting = self._alarm is not None or self.writer.busy
        return waiting or bool(self._tasks) or bool(self._watchers)

    def seen(self, reader: int | None) -> Seen:
        """The match as the player with this number sees it, or a spectator."""
        state = self.state
        return Seen(
            view(state.match, reader),
            state.seq_for(reader),
            self._clock.utc(),
            state.created,
            state.people,
            self.present,
        )

    def watch(
        self, moved: Callable[[int], None], removed: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Call `moved` whenever the match has moved on; calling the result ends this."""
        stop = self._watchers.add(Watcher(moved, removed))
        self._computers.ponder(self)
        return stop

    def visit(self, account: str) -> None:
        """Note that somebody has asked something."""
        self.account = self.account or account
        self._visited = self._clock.now() + VISIT_SECONDS
        self._computers.ponder(self)

    async def join(self, holder: str, name: str | None) -> int:
        """Take a place, or another name before it begins; gives the player's number."""
        number = self.state.number_of(holder)
        if number is not None:
            if self.state.people[number].name != name and not self.state.begun:
                await self._undisturbed(self._rename, number, Rename(name))
            return number
        await self._undisturbed(self._join, Join(holder, name))
        joined = self.state.number_of(holder)
        if joined is None:
            raise AgainstTheRules("you have left this match")
        return joined

    async def handle(
        self, player: int, command_id: str, command: Command, received_at: float
    ) -> int:
        """Carry out what a player asks; when this returns it is on disk.

        `received_at` is when the server got it, on the clock's `now()`. Returns how often what the
        player sees had changed then, the same for every repeat.
        """
        if not COMMAND_ID.fullmatch(command_id):
            raise CannotRead("a command id is 1 to 64 characters of ASCII, without spaces")
        received = self._clock.utc_at(received_at)
        await self._let_others_in(received)
        return await self._undisturbed(self._carry_out, player, command_id, command, received)

    async def ask_now(self, turn: Turn, command: Command, seq: int) -> None:
        """Carry this out for the computer, which may have a row to fill and one to answer."""
        id_ = f"computer-{seq}-{turn.task.value}"
        await self._undisturbed(self._carry_out, turn.player, id_, command, self._now())

    async def expire(self) -> None:
        """End the turns whose time is up."""
        moment = self._now()
        await self._let_others_in(moment)
        await self._undisturbed(self._end_turns, moment)

    async def credit(self, outage: Outage) -> None:
        """Give running clocks back the time of an outage."""
        await self._undisturbed(self._credit, outage)

    async def give_back(self) -> None:
        """The same for this process's last outage; a short one is left to the ends of turns."""
        least = 0 if self.writer.failed else TWO_HEARTBEATS
        await self._undisturbed(self._give_back, least)

    async def catch_up(self) -> None:
        """Take in what other processes wrote."""
        try:
            await self.writer.catch_up(self)
        finally:
            self._tell()

    def take_up(self) -> None:
        """Begin, after everything in the log was taken in: nobody watches yet."""
        self._watchers.told = self.seq
        self.go_on()

    def go_on(self, pause: float = 0.0) -> None:
        """Set the alarm for the next turn that ends, and let the computer think."""
        self._silence()
        due = self.state.match.due
        if due is not None and not self._stopped:
            self._alarm = self._clock.call_at(due + 1000 * (GRACE + pause), self._ring)
        self._computers.ponder(self, pause)

    def caught_up(self) -> None:
        """Go on from what other processes wrote, and leave it to them to do so first."""
        self.go_on(DEFERENCE)

    def spawn(self, work: Coroutine[object, object, _T]) -> asyncio.Task[_T]:
        """Do this beside everything else, until the match is put away."""
        return self._tasks.spawn(work)

    def arrive(self, player: int) -> None:
        """A socket of this player was opened."""
        self.here[player] = self.here.get(player, 0) + 1

    def leave(self, player: int) -> None:
        """A socket of this player was closed."""
        self.here[player] = max(0, self.here.get(player, 0) - 1)

    def remove(self) -> None:
        """The database does not have this match any more: stop, and tell those who watch."""
        self.writer.removed = True
        self._stop()
        self._watchers.dismiss()

    async def close(self) -> None:
        """Stop the clocks and the computer; what is being written is written."""
        self._watchers.clear()
        self._stop()
        with suppress(Unavailable):  # whoever was writing has already got this error
            await self.writer.finish()
        await self._tasks.cancel()

    def _now(self) -> int:
        return self._clock.utc()

    def _stop(self) -> None:
        self._stopped = True
        self._silence()
        self._computers.stop()

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _is_due(self, moment: int) -> bool:
        due = self.state.match.due
        return due is not None and moment >= due

    async def _let_others_in(self, moment: int) -> None:
        """Whatever would end a turn waits until what was received before it is handled."""
        if self._is_due(moment):
            for _ in range(ROUNDS):
                await asyncio.sleep(0)

    async def _undisturbed(self, work: Callable[..., Awaitable[_T]], *arguments: object) -> _T:
        # Whoever asked may go away; what was begun is finished nevertheless.
        task = self.spawn(self.writer.in_turn(self, work, *arguments))
        try:
            return await asyncio.shield(task)
        finally:
            # A refusal holds its traceback, which holds this frame: a reference cycle.
            task.add_done_callback(lambda _: asyncio.get_running_loop().call_soon(self._tell))
            del task

    def _tell(self) -> None:
        """Tell the watchers, but only after whoever sent the command has the reply."""
        self._watchers.tell(self.seq)

    async def _carry_out(
        self, player: int, command_id: str, command: Command, received: int
    ) -> int:
        done = self.writer.done(player, command_id)
        if done is not None:
            if not same(command, done.event):
                raise MatchReused("this command id was used for something else")
            return done.seq_for(player)
        await self._end_turns(received)
        await self._write(player, command_id, command, received)
        return self.state.seq_for(player)

    async def _join(self, command: Join) -> None:
        if self.state.number_of(command.holder) is None:
            await self._write(self.state.match.joins + 1, JOIN, command, self._now())

    async def _rename(self, player: int, command: Rename) -> None:
        if self.state.people[player].name != command.name:
            await self._write(player, f"name-{self.seq}", command, self._now())

    async def _end_turns(self, moment: int) -> None:
        """End the turns that had run out of time then. Time lost to an outage is credited first."""
        if self._is_due(moment):
            await self._give_back(0)
        if self._is_due(moment):
            # The same id in every process that sees these turns expire.
            await self._write(SPECTATORS, f"expire-{self.seq}", Expire(moment), moment)

    async def _give_back(self, least: int) -> None:
        outage = self.writer.outages.outage
        if outage is not None:
            await self._credit(outage, least)

    async def _credit(self, outage: Outage, least: int = 0) -> None:
        """Give running clocks back what they lost, if it is more than `least`."""
        credits_ = tuple(
            clock.credited(lost)
            for clock in self.state.match.clocks
            if (lost := outage.lost(clock)) > least
        )
        if credits_:
            await self._write(SPECTATORS, f"credit-{self.seq}", Credit(credits_), self._now())

    async def _write(
        self, player: int, command_id: str, command: AnyCommand, received: int
    ) -> None:
        await self.writer.write(player, command_id, command, received)
        self.go_on()

    def _ring(self) -> None:
        self._silence()
        self.spawn(self._flag())

    async def _flag(self) -> None:
        try:
            await self.expire()
        except StoreError:
            retry = self._now() + 1000 * RETRY_SECONDS
            self._alarm = None if self._stopped else self._clock.call_at(retry, self._ring)
        except KeypegError:
            pass  # somebody moved in time after all
        else:
            if self._alarm is None:
                self.go_on()
