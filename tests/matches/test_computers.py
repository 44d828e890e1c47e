"""The computer as a player of a match."""

from __future__ import annotations

from keypeg.matches.computers import wait_before
from keypeg.rules.board import PRESETS
from keypeg.rules.match.events import Task
from keypeg.rules.match.state import Match, Turn
from keypeg.rules.match.terms import MatchKind, MatchTerms, Pace


def race(pace: Pace, row_seconds: int = 180) -> Match:
    terms = MatchTerms(MatchKind.RACE, PRESETS["classic"], pace=pace, row_seconds=row_seconds)
    return Match.start(terms, "m")


def test_at_its_own_pace_the_computer_takes_its_time_for_a_row_so_that_people_can_race_it() -> None:
    row = Turn(2, Task.ROW, 1)
    assert wait_before(row, race(Pace.OWN), 8.0) == 8.0
    assert wait_before(row, race(Pace.OWN, row_seconds=5), 8.0) == 2.5
    assert wait_before(row, race(Pace.TOGETHER), 8.0) == 0.0
    assert wait_before(Turn(2, Task.SECRET, 0), race(Pace.OWN), 8.0) == 0.0
