"""What a log amounts to: a frozen state, and the fold that makes it. Pure."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, assert_never

from keypeg.rules.events import LimitEvent
from keypeg.rules.series import Points, Result, Seat, Series, play_on, turn_key
from keypeg.store.errors import Unreadable
from keypeg.store.events import (
    Computer,
    HintUsed,
    LogEvent,
    Opened,
    Rematched,
    RematchOffered,
    SeatTaken,
    Settings,
    TableEvent,
    TimeCredited,
    TimeOffered,
)
from keypeg.store.log import Card, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.store.log import Entry
    from keypeg.table.options import TableOptions


@dataclass(frozen=True, slots=True)
class Sitter:
    """A person in a seat."""

    name: str
    token_hash: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn whose time is counted: which one, since when, and what it is allowed, in ms.

    `known` is the time up to which outages are already credited: the start of the turn, or its
    last credit.
    """

    key: tuple[str, str, int]
    since: int
    allowed: int
    known: int
    offers: int = 0
    """How often the opponent gave it more."""


@dataclass(frozen=True, slots=True)
class State:
    """A table, with everything on it.

    `finished` holds the results of earlier series, and `earlier` their points together.
    """

    table_id: str
    settings: Settings
    series: Series
    seq: int = 0
    one: Sitter | None = None
    two: Sitter | None = None
    finished: tuple[Result, ...] = ()
    earlier: Points = field(default_factory=Points)
    rematch: Seat | None = None
    hints: int = 0
    row_hints: int = 0
    """How many of them since the last move."""
    turn: Turn | None = None
    options: dict[Seat, TableOptions] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What each seat may do now, kept by `table.options` once it is asked for."""

    def sitter(self, seat: Seat) -> Sitter | None:
        """The person in this seat, if one is."""
        return self.one if seat is Seat.ONE else self.two

    def taken(self, seat: Seat) -> bool:
        """Whether somebody, person or computer, has the seat."""
        return self.sitter(seat) is not None or self.settings.level(seat) is not None

    def seat_of(self, token_hash: str) -> Seat | None:
        """The seat that the token with this hash is the right to."""
        mine = None
        for seat in Seat:
            sitter = self.sitter(seat)
            held = (sitter and sitter.token_hash) or ""
            # Both are compared, and in constant time: nothing is learned from how long it took.
            if hmac.compare_digest(held.encode(), token_hash.encode()) and held:
                mine = seat
        return mine

    @property
    def ready(self) -> bool:
        """Whether both seats are taken."""
        holders = self.settings
        return (self.one is not None or isinstance(holders.one, Computer)) and (
            self.two is not None or isinstance(holders.two, Computer)
        )

    @property
    def stage(self) -> Stage:
        """Where the table is, for those who look for one."""
        if not self.ready:
            return Stage.WAITING
        return Stage.OVER if self.series.over else Stage.PLAYING

    @property
    def waits_for(self) -> Seat | None:
        """Who alone can bring the series on: whose turn it is, or who may yet challenge."""
        if not self.ready or self.series.over:
            return None
        return self.series.maker.other if self.series.challengeable else self.series.turn

    @property
    def totals(self) -> Points:
        """The points of all series played at this table."""
        return _sum(self.earlier, self.series.points)

    @property
    def due(self) -> int | None:
        """When the running turn ends, in milliseconds of UTC."""
        return None if self.turn is None else self.turn.since + self.turn.allowed

    @property
    def card(self) -> Card:
        """What the store keeps of this table beside its log."""
        return Card(self.settings.public, self.stage, self.due)


def rebuild(table_id: str, entries: Iterable[Entry]) -> State:
    """The state of a table after all its entries."""
    first, *others = entries
    return reduce(fold, others, begin(table_id, first))


def begin(table_id: str, entry: Entry) -> State:
    """The state after the entry that opened the table."""
    opened, *others = entry.events
    if not isinstance(opened, Opened) or entry.seq != 1:
        raise Unreadable("a log begins with the opening of the table")
    settings = opened.settings
    series = Series.start(settings.terms, series_id(table_id, 1), settings.first_maker)
    state = reduce(happen, others, State(table_id, settings, series, seq=1))
    return replace(state, turn=_turn(state, state.series, entry.at))


def fold(state: State, entry: Entry, series: Series | None = None) -> State:
    """The state after one more entry; `series`, if the entry's events are known to lead there."""
    if entry.seq != state.seq + 1:
        raise Unreadable(f"entry {entry.seq} does not follow entry {state.seq}")
    if series is not None:
        turn = _turn(state, series, entry.at)
        return replace(state, seq=entry.seq, series=series, row_hints=0, turn=turn)
    after = reduce(happen, entry.events, state)
    turn = _turn(after, after.series, entry.at)
    if turn is not None and any(isinstance(event, TimeCredited) for event in entry.events):
        turn = replace(turn, known=entry.at)
    return replace(after, seq=entry.seq, turn=turn)


def happen(state: State, event: LogEvent) -> State:
    """The state after one event, whose time does not matter yet."""
    if isinstance(event, TableEvent):
        return _happen_at_table(state, event)
    hints = state.row_hints if isinstance(event, LimitEvent) else 0
    return replace(state, series=play_on(state.series, event), row_hints=hints)


def _happen_at_table(state: State, event: TableEvent) -> State:
    match event:
        case SeatTaken(Seat.ONE, name, token_hash):
            return replace(state, one=Sitter(name, token_hash))
        case SeatTaken(_, name, token_hash):
            return replace(state, two=Sitter(name, token_hash))
        case HintUsed():
            return replace(state, hints=state.hints + 1, row_hints=state.row_hints + 1)
        case TimeOffered(seconds):
            return _allow(state, seconds * 1000, offers=1)
        case TimeCredited(milliseconds):
            return _allow(state, milliseconds)
        case RematchOffered(seat):
            return replace(state, rematch=seat)
        case Rematched():
            return _rematch(state)
        case Opened():
            raise Unreadable("a table is opened once")
        case _:
            assert_never(event)


def _allow(state: State, milliseconds: int, offers: int = 0) -> State:
    turn = state.turn
    if turn is None:
        return state
    allowed, offers = turn.allowed + milliseconds, turn.offers + offers
    return replace(state, turn=replace(turn, allowed=allowed, offers=offers))


def _rematch(state: State) -> State:
    result = state.series.result
    if result is None:
        raise Unreadable("a rematch begins when the series is over")
    finished = (*state.finished, result)
    name = series_id(state.table_id, len(finished) + 1)
    series = Series.start(state.settings.terms, name, state.series.first_maker.other)
    earlier = _sum(state.earlier, result.points)
    return replace(state, series=series, finished=finished, earlier=earlier, rematch=None, hints=0)


def _sum(some: Points, more: Points) -> Points:
    return some.plus(Seat.ONE, more.one).plus(Seat.TWO, more.two)


def _turn(state: State, series: Series, at: int) -> Turn | None:
    """The clock of the turn that `series` has come to, or of the pause between two games."""
    limit, game = series.terms.turn_seconds, series.game
    if limit is None or game is None or series.over or not state.ready:
        return None
    key = turn_key(game)
    if state.turn is not None and state.turn.key == key:
        return state.turn
    return Turn(key, at, limit * 1000, at)


def series_id(table_id: str, number: int) -> str:
    """The name of a table's first, second, ... series."""
    return f"{table_id}-{number}"
