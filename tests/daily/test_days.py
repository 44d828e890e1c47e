from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.daily.days import DAY, FIRST_DAY, DayPhase, begins, day_at, number_of, parse_day, phase
from keypeg.rules.errors import CannotRead

days = st.dates(FIRST_DAY, date(2999, 12, 31))


@given(days)
def test_a_day_lasts_from_midnight_to_midnight_in_utc(day: date) -> None:
    assert day_at(begins(day)) == day == day_at(begins(day + DAY) - 1)
    assert day_at(begins(day) - 1) == day - DAY
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert begins(day) == midnight.timestamp() * 1000


def test_a_day_begins_at_the_same_moment_everywhere() -> None:
    """Nobody's time zone matters: 23:30 in New York is the next day's code."""
    new_york = timedelta(hours=-5)
    evening = datetime(2026, 11, 18, 23, 30, tzinfo=UTC) - new_york
    assert day_at(int(evening.timestamp() * 1000)) == date(2026, 11, 19)


def test_days_are_numbered_from_the_first() -> None:
    assert number_of(FIRST_DAY) == 1
    assert number_of(date(2026, 12, 31)) == 365
    assert number_of(date(2027, 1, 1)) == 366


def test_a_day_closes_a_day_after_it_and_is_then_over() -> None:
    day = date(2026, 11, 18)
    seen = [phase(day, day + timedelta(days=at)) for at in (-1, 0, 1, 2, 300)]
    assert seen == [
        DayPhase.AHEAD,
        DayPhase.RUNNING,
        DayPhase.CLOSING,
        DayPhase.OVER,
        DayPhase.OVER,
    ]


@given(days)
def test_a_written_day_is_read(day: date) -> None:
    assert parse_day(str(day)) == day


@pytest.mark.parametrize(
    "text", ["", "today", "2026-2-3", "20260203", "2026-02-30", "2026-W01-1", "٢٠٢٦-٠١-٠١"]
)
def test_what_is_not_a_day_is_refused(text: str) -> None:
    with pytest.raises(CannotRead, match="is not a day; use year-month-day"):
        parse_day(text)


def test_times_far_away_are_days_too() -> None:
    assert day_at(0) == date(1970, 1, 1)
    assert day_at(10**14).year == 5138
