"""What one seat may see of a table's log.

Rule events go through the rules' own redaction. What else happens at a table is let through
here kind by kind: a new kind is refused until somebody decides who may see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from keypeg.rules.events import Closed
from keypeg.rules.series import Seat
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
from keypeg.store.log import Entry

if TYPE_CHECKING:
    from keypeg.table.state import State


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as somebody may see it. Command ids stay between a seat and the table."""

    seq: int
    at: int
    seat: Seat | None
    events: tuple[LogEvent, ...]


def as_entry(seen: Seen) -> Entry:
    """What was seen, as the fold of a table takes it."""
    return Entry(seen.seq, seen.at, seen.seat, "", seen.events)


def see(entry: Entry, before: State | None, seat: Seat | None) -> Seen:
    """The entry that follows `before`, as `seat` may see it; None is a spectator."""
    is_maker = before is not None and seat is before.series.maker
    shown: list[LogEvent] = []
    for event in entry.events:
        if isinstance(event, TableEvent):
            shown.append(visible_at_table(event))
        else:
            shown.append(visible(event, is_maker=is_maker))
        if isinstance(event, Closed | Rematched):
            is_maker = False  # roles swap here, and nothing more is shown than to a spectator
    return Seen(entry.seq, entry.at, entry.seat, tuple(shown))


def views(entry: Entry, before: State | None) -> dict[Seat | None, Seen]:
    """The entry that follows `before`, as each may see it. What looks the same is kept once."""
    public = see(entry, before, None)
    seen: dict[Seat | None, Seen] = dict.fromkeys((None, *Seat), public)
    if before is not None:
        maker = before.series.maker
        own = see(entry, before, maker)
        seen[maker] = public if own == public else own
    return seen


def visible_at_table(event: TableEvent) -> TableEvent:
    """What everybody may see of something that happened at the table."""
    match event:
        case SeatTaken(seat, name):
            return SeatTaken(seat, name)
        case Opened(settings):
            return Opened(settings)
        case HintUsed(row, grade):
            return HintUsed(row, grade)
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
