from __future__ import annotations

import stat
from pathlib import Path

from keypeg.rules.series import Seat
from keypeg.terminal.saved_seats import SavedSeat, SavedSeats

HERE = SavedSeat("here", "table-1", {Seat.ONE: "secret-1"})
LATER = SavedSeat("here", "table-2", {Seat.ONE: "a", Seat.TWO: "b"})
THERE = SavedSeat("there", "table-3", {Seat.TWO: "c"})


def test_seats_are_kept_by_address_the_latest_first(tmp_path: Path) -> None:
    seats = SavedSeats(tmp_path / "folder" / "seats.json")
    for saved in (HERE, LATER, THERE):
        seats.keep(saved)
    assert seats.all("here") == (LATER, HERE)
    seats.keep(HERE)
    assert SavedSeats(tmp_path / "folder" / "seats.json").all("here") == (HERE, LATER)
    seats.drop(LATER)
    assert seats.all("here") == (HERE,)


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    SavedSeats(path).keep(HERE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["seats.json"]


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    SavedSeats(path).keep(HERE)
    path.chmod(0o644)
    assert SavedSeats(path).all("here") == (HERE,)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_text("{")
    assert SavedSeats(path).all("here") == ()


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "seats.json"
    path.write_text('[{"place":"here","table":"table-1","tokens":{"one":"secret-1"}}]')
    assert SavedSeats(path).all("here") == (HERE,)
    written = path.read_text()
    SavedSeats(path).keep(HERE)
    assert path.read_text() == written


def test_without_a_file_nothing_is_kept() -> None:
    seats = SavedSeats(None)
    seats.keep(HERE)
    assert seats.all("here") == ()
