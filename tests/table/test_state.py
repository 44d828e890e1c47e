from __future__ import annotations

import pytest

from harness.tables import CLASSIC, TIMED, token_hash
from keypeg.rules.events import Guessed, SecretSet
from keypeg.rules.series import Seat
from keypeg.store.errors import Unreadable
from keypeg.store.events import LogEvent, Opened, Rematched, SeatTaken, Settings
from keypeg.store.log import Entry, Stage
from keypeg.table.state import rebuild

OPENED = Opened(Settings(CLASSIC))
ONE, TWO = SeatTaken(Seat.ONE, "Ada", token_hash(Seat.ONE)), SeatTaken(Seat.TWO, "Bob", None)


def log(*entries: tuple[LogEvent, ...]) -> list[Entry]:
    return [
        Entry(seq, 1_000 * seq, None, f"c{seq}", events) for seq, events in enumerate(entries, 1)
    ]


@pytest.mark.parametrize(
    "entries",
    [
        log((ONE,)),
        log((OPENED,), (OPENED,)),
        log((OPENED,), (Rematched(),)),
        [*log((OPENED,)), Entry(3, 1, None, "c", (ONE,))],
        [Entry(2, 1, None, "c", (OPENED,))],
    ],
)
def test_a_log_that_makes_no_sense_is_refused(entries: list[Entry]) -> None:
    with pytest.raises(Unreadable):
        rebuild("t", entries)


def test_a_table_waits_plays_and_knows_whom_it_waits_for() -> None:
    assert rebuild("t", log((OPENED, ONE))).stage is Stage.WAITING
    assert rebuild("t", log((OPENED, ONE))).waits_for is None
    ready = rebuild("t", log((OPENED, ONE), (TWO,)))
    assert ready.stage is Stage.PLAYING
    assert ready.waits_for is Seat.ONE


def test_a_clock_runs_from_the_entry_that_brought_the_turn() -> None:
    timed = Opened(Settings(TIMED))
    assert rebuild("t", log((timed, ONE))).due is None
    assert rebuild("t", log((timed, ONE), (TWO,))).due == 2_000 + 180_000
    later = rebuild("t", log((timed, ONE), (TWO,), (SecretSet(),)))
    assert later.due == 3_000 + 180_000


def test_a_state_folded_from_what_one_may_see_is_that_state_without_secrets() -> None:
    seen = rebuild("t", log((OPENED, ONE), (TWO,), (SecretSet(),), (Guessed((1, 2, 3, 4)),)))
    assert seen.series.games[0].opening is None
    assert seen.two is not None
    assert seen.two.token_hash is None
    assert seen.seat_of("") is None


def test_nothing_of_a_token_is_printed() -> None:
    assert token_hash(Seat.ONE) not in repr(rebuild("t", log((OPENED, ONE))))
