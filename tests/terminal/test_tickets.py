from __future__ import annotations

import stat
from pathlib import Path

from keypeg.rules.series import Seat
from keypeg.terminal.tickets import Ticket, Tickets

HERE = Ticket("here", "table-1", {Seat.ONE: "secret-1"})
LATER = Ticket("here", "table-2", {Seat.ONE: "a", Seat.TWO: "b"})
THERE = Ticket("there", "table-3", {Seat.TWO: "c"})


def test_tickets_are_kept_by_place_the_latest_first(tmp_path: Path) -> None:
    tickets = Tickets(tmp_path / "folder" / "seats.json")
    for ticket in (HERE, LATER, THERE):
        tickets.keep(ticket)
    assert tickets.all("here") == (LATER, HERE)
    tickets.keep(HERE)
    assert Tickets(tmp_path / "folder" / "seats.json").all("here") == (HERE, LATER)
    tickets.drop(LATER)
    assert tickets.all("here") == (HERE,)


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    Tickets(path).keep(HERE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["seats.json"]


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_text("{")
    assert Tickets(path).all("here") == ()


def test_without_a_file_nothing_is_kept() -> None:
    tickets = Tickets(None)
    tickets.keep(HERE)
    assert tickets.all("here") == ()
