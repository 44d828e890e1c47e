"""Looking at a table: what a GET, a hello or a stale command costs the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from bench import Row, bench, best_of
from keypeg.messages import Snapshot
from keypeg.rules.board import Board
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.server.encoding import as_text, table_out
from keypeg.store.events import Opened, Person, SeatTaken, Settings
from keypeg.store.log import Entry, Log
from keypeg.table.clock import SystemClock
from keypeg.table.commands import Command, Guess, NextGame, Rematch, SetSecret
from keypeg.table.computer import THE_PLAYER
from keypeg.table.decisions import decide
from keypeg.table.state import State, begin, fold
from keypeg.table.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG: Final = 2_000
SHORT: Final = 4
SECONDS: Final = 0.001
SETTINGS: Final = Settings(Terms(Board(4, 6)), Person(), Person())
SECRET: Final = (1, 2, 3, 4)


def next_command(state: State) -> tuple[Seat, Command]:
    """Series after series, each code broken at once."""
    series, game = state.series, state.series.game
    if series.over or game is None:
        return state.rematch.other if state.rematch else Seat.ONE, Rematch()
    if not game.secret_set:
        return series.maker, SetSecret(SECRET)
    return series.maker.other, Guess(SECRET) if game.outcome is None else NextGame()


def log_of(length: int) -> list[Entry]:
    """A log of `length` entries."""
    sat = tuple(SeatTaken(seat, "Ada", f"{number:064}") for number, seat in enumerate(Seat))
    entries = [Entry(1, 0, None, "open", (Opened(SETTINGS), *sat))]
    state = begin("table", entries[0])
    while len(entries) < length:
        seat, command = next_command(state)
        entry = Entry(state.seq + 1, 0, seat, f"c{state.seq}", decide(state, seat, command).events)
        entries.append(entry)
        state = fold(state, entry)
    return entries


@bench
def looks() -> Iterator[Row]:
    """The whole table as text, with a short past and with a long one."""
    clock = SystemClock()
    for length in (SHORT, LONG):
        # Nothing is written here, so no log is needed.
        table = Table.rebuild("table", log_of(length), cast("Log", None), clock, THE_PLAYER)

        def look(table: Table = table) -> str:
            return as_text(Snapshot(table_out(table, Seat.ONE, 0)))

        yield Row(f"a look at a table of {length:,} entries", best_of(50, look), SECONDS)
