"""What one seat may see of a table's log.

Rule events go through the rules' own redaction. What else happens at a table is let through
here kind by kind: a new kind is refused until somebody decides who may see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from keypeg.rules.view import visible
from keypeg.store.events import (
    HintUsed,
    LogEvent,
    Opened,
    Rematched,
    RematchOffered,
    SeatTaken,
    TableEvent,
    TimeCredited,
    TimeOffered,
)
from keypeg.table.state import State, happen

if TYPE_CHECKING:
    from keypeg.rules.series import Seat
    from keypeg.store.log import Entry


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as somebody may see it. Command ids stay between a seat and the table."""

    seq: int
    at: int
    seat: Seat | None
    events: tuple[LogEvent, ...]


def see(entry: Entry, before: State | None, seat: Seat | None) -> Seen:
    """The entry that follows `before`, as `seat` may see it; None is a spectator."""
    shown: list[LogEvent] = []
    state = before
    for event in entry.events:
        if isinstance(event, TableEvent):
            shown.append(visible_at_table(event))
        else:
            is_maker = state is not None and seat is state.series.maker
            shown.append(visible(event, is_maker=is_maker))
        state = happen(state, event) if state is not None else None
    return Seen(entry.seq, entry.at, entry.seat, tuple(shown))


def visible_at_table(event: TableEvent) -> TableEvent:
    """What everybody may see of something that happened at the table."""
    match event:
        case SeatTaken(seat, name):
            return SeatTaken(seat, name)
        case Opened(settings):
            return Opened(settings)
        case HintUsed(row):
            return HintUsed(row)
        case TimeOffered(seconds):
            return TimeOffered(seconds)
        case TimeCredited(milliseconds):
            return TimeCredited(milliseconds)
        case RematchOffered(seat):
            return RematchOffered(seat)
        case Rematched():
            return Rematched()
        case _:
            assert_never(event)
