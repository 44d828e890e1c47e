"""Sitting at a table: what those at this terminal see of it, and what they ask of it.

The plain prompt and the full-screen game both use this; neither sees more of a table than the
seats played from here may see.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from keypeg.draw import new_id
from keypeg.rules.series import Seat
from keypeg.table.options import MOVES, TableOption, options
from keypeg.table.records import record
from keypeg.table.state import State, rebuild
from keypeg.table.view import as_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.game import Game
    from keypeg.rules.notation import Record
    from keypeg.table import Command, Seen, Table
    from keypeg.table.clock import Clock


class Sitting(Protocol):
    """A table, with one or both of its seats played from here, or none."""

    @property
    def id(self) -> str:
        """The id of the table."""
        ...

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats played from here."""
        ...

    @property
    def way_back(self) -> str:
        """How to continue later; empty if the table ends with this process."""
        ...

    @property
    def invitation(self) -> str:
        """The link by which somebody else takes the other seat; empty if there is none."""
        ...

    @property
    def seconds_left(self) -> float | None:
        """How long the current turn may still take; None while no clock is running."""
        ...

    @property
    def away(self) -> bool:
        """Whether the server cannot be reached now, and is tried again."""
        ...

    def seen(self, seat: Seat | None, after: int = 0) -> tuple[Seen, ...]:
        """What happened since entry `after`, as `seat` may see it."""
        ...

    async def ask(self, seat: Seat, command: Command) -> None:
        """Have a command carried out; raises KeypegError if it is refused."""
        ...

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when something happens or `away` changes, until the result is called."""
        ...


class LocalSitting:
    """A table in this process."""

    away = False
    invitation = ""

    def __init__(self, table: Table, clock: Clock, seats: tuple[Seat, ...], way_back: str) -> None:
        self.table, self.seats, self.way_back = table, seats, way_back
        self._clock = clock

    @property
    def id(self) -> str:
        """The id of the table."""
        return self.table.id

    @property
    def seconds_left(self) -> float | None:
        """How long the current turn may still take."""
        deadline = self.table.deadline
        return None if deadline is None else max(0.0, deadline - self._clock.now())

    def seen(self, seat: Seat | None, after: int = 0) -> tuple[Seen, ...]:
        """What happened since entry `after`."""
        return self.table.view(seat, after)

    async def ask(self, seat: Seat, command: Command) -> None:
        """Have a command carried out."""
        await self.table.handle(seat, new_id(), command, self._clock.now())

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after everything that happens."""
        return self.table.watch(lambda _: callback())


def state_of(sitting: Sitting, seat: Seat | None) -> State:
    """The table as `seat` sees it; None is a spectator."""
    return rebuild(sitting.id, (as_entry(seen) for seen in sitting.seen(seat)))


def onlooker(sitting: Sitting) -> Seat | None:
    """Whose view is shown: that of the only seat here, or a spectator's where both players are."""
    return sitting.seats[0] if len(sitting.seats) == 1 else None


def actor(state: State, seats: tuple[Seat, ...]) -> Seat | None:
    """Which of `seats` can continue the series: by a move, or by going on after a game."""
    return next((seat for seat in _in_turn(state, seats) if options(state, seat) & MOVES), None)


def who_may(state: State, seats: tuple[Seat, ...], option: TableOption) -> Seat | None:
    """Which of `seats` has this option; a player at this terminal is never claimed absent."""
    if option is TableOption.CLAIM and len(seats) > 1:
        return None
    return next((seat for seat in _in_turn(state, seats) if option in options(state, seat)), None)


def _in_turn(state: State, seats: tuple[Seat, ...]) -> list[Seat]:
    """Seats sorted: first whose turn it is; after a game the breaker, who may want to challenge."""
    first = state.series.turn or state.series.maker.other
    return sorted(seats, key=lambda seat: seat is not first)


def current_game(state: State) -> Game:
    """The game on the board: the one being played, or the last of a finished series."""
    return state.series.game or state.series.past[-1]


def record_of(sitting: Sitting) -> Record:
    """The last series of the table as those here may see it; it also names the computer."""
    state = state_of(sitting, onlooker(sitting))
    names = (called(state, Seat.ONE), called(state, Seat.TWO))
    return replace(record(state, sitting.seen(onlooker(sitting))), players=names)


def called(state: State, seat: Seat) -> str:
    """The name of whoever has the seat; empty if nobody has."""
    sitter, level = state.sitter(seat), state.settings.level(seat)
    if level is not None:
        return f"Computer ({level})"
    return sitter.name if sitter is not None else ""


def is_wanted(state: State, seats: tuple[Seat, ...]) -> bool:
    """Whether somebody here has something to do, or the series is over."""
    return state.series.over or actor(state, seats) is not None


async def until_wanted(sitting: Sitting) -> None:
    """Wait until somebody here has something to do, or the series is over."""
    await until(sitting, lambda state: is_wanted(state, sitting.seats))


async def until(sitting: Sitting, condition: Callable[[State], bool]) -> None:
    """Wait until a condition holds for the table as it is seen here."""
    while True:
        changed = asyncio.Event()
        stop = sitting.watch(changed.set)
        try:
            if condition(state_of(sitting, onlooker(sitting))):
                return
            await changed.wait()
        finally:
            stop()
