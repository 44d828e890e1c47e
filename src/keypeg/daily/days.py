"""Days: their numbers, when they begin and end, and what may be done in them. Always in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Final

from keypeg.rules.errors import CannotRead, quoted

FIRST_DAY: Final = date(2026, 1, 1)
"""The day of code number 1."""
LAST_DAY: Final = date(9999, 12, 29)
"""Leaves room to count further."""
DAY: Final = timedelta(days=1)
_WRITTEN: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class DayPhase(Enum):
    """What a day is at a given time."""

    AHEAD = "ahead"
    """It has not begun: only its seal may be known."""
    RUNNING = "running"
    """Whoever begins now counts."""
    CLOSING = "closing"
    """The day after: games that were begun in time go on, and count."""
    OVER = "over"
    """Its seal is open to everybody."""


def day_at(utc: int) -> date:
    """The day at a time, which is in milliseconds since the epoch."""
    return min((datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=utc)).date(), LAST_DAY)


def begins(day: date) -> int:
    """When a day begins, in milliseconds since the epoch."""
    return (day - date(1970, 1, 1)).days * 24 * 60 * 60 * 1000


def phase(day: date, today: date) -> DayPhase:
    """What `day` is, seen from `today`."""
    if day > today:
        return DayPhase.AHEAD
    if day == today:
        return DayPhase.RUNNING
    return DayPhase.CLOSING if day + DAY == today else DayPhase.OVER


def number_of(day: date) -> int:
    """The number of a day's code; that of FIRST_DAY is 1."""
    return (day - FIRST_DAY).days + 1


def parse_day(text: str) -> date:
    """Read a day as in 2026-11-18."""
    try:
        # date.fromisoformat also reads other forms.
        day = date.fromisoformat(text) if _WRITTEN.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise CannotRead(f"{quoted(text)} is not a day; use year-month-day as in {FIRST_DAY}")
    return day
