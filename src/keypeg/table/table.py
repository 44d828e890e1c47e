"""One table: command -> rules -> events -> log -> watchers, and never in another order.

What a command brings about is on disk before anybody hears of it: first whoever asked, then those
who watch. `handler` carries out commands; `writer` has the log, and what it amounts to.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import CannotRead
from keypeg.rules.series import Seat
from keypeg.store.log import SLICE, Entry
from keypeg.table.commands import COMMAND_ID
from keypeg.table.decisions import decide, opening
from keypeg.table.errors import NoSuchLevel
from keypeg.table.handler import CommandHandler, Reply, Request
from keypeg.table.records import record
from keypeg.table.repeats import same
from keypeg.table.state import State, begin, fold
from keypeg.table.watchers import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from keypeg.rules.notation import Record
    from keypeg.store.log import Log
    from keypeg.table.clock import Clock
    from keypeg.table.commands import Command, Open
    from keypeg.table.computer import Player
    from keypeg.table.outages import Outages
    from keypeg.table.view import Seen

OPENING: Final = "open"
"""The command id of every table's first entry."""


class Table(CommandHandler):
    """A table in this process. Made by `open` or `rebuild`, put away by `close`.

    It is its own command handler: whatever it still has to do, such as an alarm or a write, keeps
    it in memory.
    """

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
        for _ in table._replaying(first, others):
            pass
        return table

    @classmethod
    async def load(
        cls, table_id: str, entries: Sequence[Entry], log: Log, clock: Clock, player: Player
    ) -> Table:
        """The same, but a long log holds up nobody else."""
        table = cls(begin(table_id, entries[0]), log, clock, player)
        for _ in table._replaying(entries[0], entries[1:]):
            await asyncio.sleep(0)
        return table

    def _replaying(self, first: Entry, entries: Sequence[Entry]) -> Iterator[None]:
        """Take in a whole log bit by bit, then set the clock."""
        self._writer.history.remember(first, None)
        for start in range(0, len(entries), SLICE):
            for entry in entries[start : start + SLICE]:
                self._writer.take_in(entry, fold(self.state, entry))
            yield
        self._watchers.told = self.seq
        self.go_on(None)

    @property
    def id(self) -> str:
        """The name of the table."""
        return self.state.table_id

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return self._writer.state.seq

    @property
    def deadline(self) -> float | None:
        """When the running turn ends, on the clock's `now()`; None while no clock runs."""
        return self._turns.deadline

    def due(self, state: State) -> int | None:
        """When the turn of `state` ends, in milliseconds of UTC, as the wall clock stands now."""
        return self._turns.due(state)

    @property
    def removed(self) -> bool:
        """Whether the log does not have this table any more."""
        return self._writer.removed

    @property
    def busy(self) -> bool:
        """Whether anybody watches, or something will happen here without anybody's asking."""
        waiting = self._turns.is_set or self._writer.busy
        return waiting or bool(self._tasks) or bool(self._watchers)

    def share(self, outages: Outages) -> None:
        """Be one of several tables of a process, which cannot write when the others cannot."""
        self._writer.outages = outages

    def view(self, seat: Seat | None, after: int = 0, most: int | None = None) -> tuple[Seen, ...]:
        """The entries that follow `after`, as `seat` may see them; None is a spectator."""
        return self._writer.history.view(seat, after, most)

    def seen(self, seat: Seat | None, seq: int) -> Seen:
        """One entry, as `seat` may see it."""
        return self._writer.history.entry(seat, seq)

    def shown(self, seat: Seat | None) -> State:
        """The state of the table as far as `seat` may know it."""
        return self._writer.history.state(self.id, seat)

    async def prepare(self, seat: Seat | None) -> None:
        """See to it that `shown` has little to fold; a long log holds up nobody else."""
        for _ in self._writer.history.folding(self.id, seat):
            await asyncio.sleep(0)

    def moved_since(self, seq: int) -> bool:
        """Whether anything has happened in the game, and not just around it, after entry `seq`."""
        return self._writer.history.moved_since(seq)

    def record(self, seat: Seat | None, number: int | None = None) -> Record:
        """A series of this table, by default the last, as `seat` may see it."""
        return record(self.state, self._writer.history.view(seat), number)

    def watch(
        self, moved: Callable[[int], None], removed: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Call `moved` with the table's seq whenever it has moved on.

        `removed` is called once, when the log does not have this table any more. Calling the
        result ends this.
        """
        stop = self._watchers.add(Watcher(moved, removed))
        self._computer.ponder(self)

        def leave() -> None:
            stop()
            self._computer.ponder(self)

        return leave

    async def handle(
        self,
        seat: Seat,
        command_id: str,
        command: Command,
        received_at: float,
        *,
        expected: int | None = None,
        shielded: bool = True,
    ) -> Reply:
        """Carry out what `seat` asks; when this returns it is on disk.

        `received_at` is when the server got it, on the clock's `now()`. `expected` is the seq
        that the asker knew of, if it matters; `shielded` as in `carry_out`. Raises a KeypegError
        that says why not.
        """
        if not COMMAND_ID.fullmatch(command_id):
            raise CannotRead("a command id is 1 to 64 characters of ASCII, without spaces")
        request = Request(seat, command_id, command, received_at, expected)
        return await self.carry_out(request, shielded=shielded)

    def check(self, seat: Seat, command_id: str, command: Command) -> None:
        """Raise if the command would be refused now, a repeat excepted. Writes nothing."""
        history = self._writer.history
        done = history.made_by(seat, command_id)
        again = done is not None and same(
            command, done.events[0], self.state, claimed=history.claimed(done.seq)
        )
        if done is None or not again or self.moved_since(done.seq):
            decide(self.state, seat, command)
