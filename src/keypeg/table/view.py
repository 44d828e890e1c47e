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

if TYPE_CHECKING:
    from keypeg.store.log import Entry


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as somebody may see it. Command ids stay between a seat and the table."""

    seq: int
    at: int
    seat: Seat | None
    events: tuple[LogEvent, ...]


def see(entry: Entry, maker: Seat | None) -> dict[Seat | None, Seen]:
    """An entry as each may see it, None being a spectator; `maker` made the code before it."""
    public = _seen(entry, None)
    views: dict[Seat | None, Seen] = dict.fromkeys((None, *Seat), public)
    if maker is not None:
        own = _seen(entry, maker)
        # Most entries look the same to everybody, and are kept once.
        views[maker] = public if own == public else own
    return views


def _seen(entry: Entry, maker: Seat | None) -> Seen:
    shown: list[LogEvent] = []
    for event in entry.events:
        if isinstance(event, TableEvent):
            shown.append(visible_at_table(event))
        else:
            shown.append(visible(event, is_maker=maker is not None))
        if isinstance(event, Closed | Rematched):
            maker = None  # roles swap here, and nothing more is shown than to a spectator
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
