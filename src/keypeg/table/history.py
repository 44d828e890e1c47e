"""What each may see of a table's log, kept ready, and which command made which entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.events import Closed, LimitEvent
from keypeg.rules.series import Seat
from keypeg.store.events import TableEvent
from keypeg.store.log import SLICE
from keypeg.table.options import TableOption, options
from keypeg.table.state import State, begin, fold
from keypeg.table.view import Seen, as_entry, views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.store.log import Entry


class History:
    """A table's past, redacted once for each who may look at it."""

    def __init__(self) -> None:
        self._seen: dict[Seat | None, list[Seen]] = {None: [], Seat.ONE: [], Seat.TWO: []}
        self._states: dict[Seat | None, State] = {}
        self._commands: dict[tuple[Seat | None, str], int] = {}
        self._claims: set[int] = set()

    def remember(self, entry: Entry, before: State | None) -> None:
        """Add the entry that follows `before`."""
        for seat, seen in views(entry, before).items():
            self._seen[seat].append(seen)
        self._commands[entry.seat, entry.command_id] = entry.seq
        if before is not None and _closes_by_a_claim(entry, before):
            self._claims.add(entry.seq)

    def view(self, seat: Seat | None, after: int = 0, most: int | None = None) -> tuple[Seen, ...]:
        """The entries that follow `after`, as `seat` may see them; None is a spectator."""
        start = max(after, 0)
        return tuple(self._seen[seat][start : None if most is None else start + most])

    def entry(self, seat: Seat | None, seq: int) -> Seen:
        """One entry as `seat` may see it."""
        return self._seen[seat][seq - 1]

    def moved_since(self, seq: int) -> bool:
        """Whether anything has happened in the game, and not just around it, after entry `seq`."""
        events = (event for seen in self._seen[None][seq:] for event in seen.events)
        return any(not isinstance(event, TableEvent | LimitEvent) for event in events)

    def state(self, table_id: str, seat: Seat | None) -> State:
        """The table as `seat` may know it, folded from what it saw; each entry is folded once."""
        for _ in self.folding(table_id, seat):
            pass
        return self._states[seat]

    def folding(self, table_id: str, seat: Seat | None) -> Iterator[None]:
        """The same bit by bit: whoever goes through this may do something else in between."""
        seen = self._seen[seat]
        while (state := self._states.get(seat)) is None or state.seq < len(seen):
            state = state or begin(table_id, as_entry(seen[0]))
            for one in seen[state.seq : state.seq + SLICE]:
                state = fold(state, as_entry(one))
            self._states[seat] = state
            yield

    def made_by(self, seat: Seat | None, command_id: str) -> Seen | None:
        """The entry that this command of this seat made, as the seat may see it."""
        seq = self._commands.get((seat, command_id))
        return None if seq is None else self.entry(seat, seq)

    def claimed(self, seq: int) -> bool:
        """Whether entry `seq` closed a game for an absent opponent, who alone could close it."""
        return seq in self._claims


def _closes_by_a_claim(entry: Entry, before: State) -> bool:
    """Two commands close a game, with the same event; no seat is ever offered both."""
    if entry.seat is None or not isinstance(entry.events[0], Closed):
        return False
    return TableOption.NEXT_GAME not in options(before, entry.seat)
