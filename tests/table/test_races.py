"""G16 in short: a move against the end of its turn. `python -m bench faults races` runs more."""

from __future__ import annotations

import pytest

from harness.faults.races import race
from keypeg.table import handler, turn_clock

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("races", "durable"), [(2_000, False), (300, True)])
async def test_of_a_move_and_the_end_of_its_turn_one_wins(races: int, *, durable: bool) -> None:
    found = await race(races, 7, durable=durable)
    assert found.wrongs == []
    assert found.races >= races
    assert min(found.moved, found.expired) > races // 5


async def test_an_alarm_without_grace_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_clock, "GRACE", 0.0)
    monkeypatch.setattr(handler, "ROUNDS", 0)
    assert "a move received and written in time lost" in (await race(300, 7, durable=False)).wrongs


async def test_a_move_that_is_played_in_the_next_row_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handler, "_TURN_BOUND", ())
    assert "2 entries for one turn" in (await race(300, 7, durable=False)).wrongs
