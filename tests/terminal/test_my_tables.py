"""`keypeg tables --mine`: the open tables where this machine has a seat."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.forked import keypeg
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.rules.series import Seat
from keypeg.terminal.my_tables import as_data, as_lines, my_tables
from keypeg.terminal.saved_seats import FILE, SavedSeat, SavedSeats

pytestmark = pytest.mark.anyio
NOBODY = "http://127.0.0.1:1"


def saved(folder: Path, *players: Player) -> SavedSeats:
    seats = SavedSeats(folder / FILE)
    for one in players:
        assert one.seat is not None
        seats.keep(SavedSeat(one.client.url, one.table, {one.seat: one.token or ""}))
    return seats


async def test_tables_that_wait_for_me_come_first_and_finished_ones_are_left_out(
    tmp_path: Path,
) -> None:
    async with running(tmp_path / "server") as server, Client(server.url) as client:
        mine = await client.open_table(seat="one", name="Ann", first_maker="one")
        await client.take_seat(mine.table, Seat.TWO, "Bob")
        theirs = await client.open_table(seat="two", name="Ann", first_maker="one", board="5x6")
        await client.take_seat(theirs.table, Seat.ONE, "Cleo")
        alone = await client.open_table(seat="one", name="Ann")
        left = await client.open_table(seat="one", name="Ann")
        await client.take_seat(left.table, Seat.TWO, "Dan")
        async with left.connect() as connection:
            await connection.do(wire.Resign(id="1"))
            await connection.next_game()
            await connection.do(wire.Resign(id="2"))
        seats = saved(tmp_path, mine, theirs, alone, left)
        found = await my_tables(seats)
        assert [one.is_mine for one in found] == [True, False, False]
        assert found[0].link == f"{server.url}/table/{mine.table}"
        data = {one["link"].rpartition("/")[2]: one for one in as_data(found)}
        assert (data[mine.table]["mine"], data[theirs.table]["mine"]) == (True, False)
        assert (data[theirs.table]["board"], data[theirs.table]["one"]) == ("5x6", "Cleo")
        assert data[alone.table]["stage"] == "waiting"
        lines = "\n".join(as_lines(found))
        assert "  your turn, since 20" in lines
        assert ": classic, game 1 of 2, against Bob" in lines
        assert "  Cleo's turn, since " in lines
        assert "  a seat is free, since " in lines
        again = await my_tables(seats, server.url)
        assert [one.link for one in again] == [one.link for one in found]
        assert await my_tables(seats, NOBODY) == []


async def test_asking_whose_turn_it_is_is_not_being_at_the_table(tmp_path: Path) -> None:
    async with running(tmp_path / "server") as server, Client(server.url) as client:
        mine = await client.open_table(seat="one", name="Ann")
        await client.take_seat(mine.table, Seat.TWO, "Bob")
        turn = await mine.turn()
        assert (turn.seat, turn.one.name, turn.status.waits_for) == (Seat.ONE, "Ann", Seat.ONE)
        assert turn.since <= turn.now
        assert len(server.application.services.visits) == 0


async def test_a_table_that_is_gone_is_forgotten_and_a_server_away_is_said(tmp_path: Path) -> None:
    async with running(tmp_path / "server") as server, Client(server.url) as client:
        mine = await client.open_table(seat="one", name="Ann")
        seats = saved(tmp_path, mine)
        seats.keep(SavedSeat(server.url, "A" * 22, {Seat.ONE: "token"}))
        for table in ("B" * 22, "C" * 22):
            seats.keep(SavedSeat(NOBODY, table, {Seat.TWO: "token"}))
        found = await my_tables(seats)
        assert {one.error for one in found} == {None, f"{NOBODY} cannot be reached"}
        assert len(found) == 3
        assert {one.table for one in seats.at_servers()} == {mine.table, "B" * 22, "C" * 22}
        lost = next(data for data in as_data(found) if data["error"])
        assert (lost["board"], lost["since"], lost["mine"], lost["seat"]) == (
            None,
            None,
            False,
            "two",
        )


def test_without_a_server_or_mine_the_command_says_what_it_needs() -> None:
    refused = keypeg("tables")
    assert refused.returncode == 2
    assert "name a server, or use --mine for your own tables" in refused.stderr
