from __future__ import annotations

from keypeg.table import Seat
from keypeg.table.presence import Presence


def test_a_seat_is_away_from_when_its_last_connection_closed() -> None:
    presence = Presence(100.0)
    assert presence.away(Seat.ONE, 130.0) == 30.0
    presence.arrive(Seat.ONE)
    presence.arrive(Seat.ONE)
    presence.leave(Seat.ONE, 140.0)
    assert presence.here(Seat.ONE)
    assert presence.away(Seat.ONE, 999.0) == 0.0
    presence.leave(Seat.ONE, 150.0)
    assert not presence.here(Seat.ONE)
    assert presence.away(Seat.ONE, 155.0) == 5.0


def test_a_connection_that_closes_twice_counts_once() -> None:
    presence = Presence(0.0)
    presence.arrive(Seat.TWO)
    presence.leave(Seat.TWO, 1.0)
    presence.leave(Seat.TWO, 2.0)
    presence.arrive(Seat.TWO)
    assert presence.here(Seat.TWO)


def test_nobody_is_away_for_less_than_no_time() -> None:
    assert Presence(10.0).away(Seat.ONE, 5.0) == 0.0
