"""The open tables at servers where this machine has a seat: whose turn it is there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from keypeg.client import Client, Refused
from keypeg.client.http import Player
from keypeg.rules.errors import KeypegError
from keypeg.store.log import Stage
from keypeg.terminal.remote import link_to, read_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.messages import TurnOut
    from keypeg.rules.series import Seat
    from keypeg.terminal.saved_seats import SavedSeat, SavedSeats

MOST_ASKED: Final = 50
"""Of the saved seats, the latest."""
GONE: Final = "no-such-table"


class MyTable(NamedTuple):
    """A table with a seat of ours, and what its server said, or why it said nothing."""

    link: str
    seat: Seat
    turn: TurnOut | None
    error: str | None = None

    @property
    def is_mine(self) -> bool:
        """Whether the table waits for us."""
        if self.turn is None:
            return False
        status = self.turn.status
        return status.waits_for is self.seat or status.rematch is self.seat.other


async def my_tables(saved: SavedSeats, server: str | None = None) -> list[MyTable]:
    """The tables that are not over, those first that wait for us, then the latest changed.

    Seats of tables that a server no longer has are removed from the file.
    """
    url = None if server is None else read_server(server)
    seats = [one for one in saved.at_servers() if url in (None, one.address)][:MOST_ASKED]
    tables: list[MyTable] = []
    away: dict[str, str] = {}
    for one in seats:
        table = await _look(one, saved, away)
        tables += [] if table is None else [table]
    return sorted(tables, key=lambda one: (not one.is_mine, -(one.turn.since if one.turn else 0)))


async def _look(saved: SavedSeat, seats: SavedSeats, away: dict[str, str]) -> MyTable | None:
    """One table; `away` has the servers that could not be reached, which are asked only once."""
    ((seat, token), *_) = saved.tokens.items()
    link = link_to(saved.address, saved.table)
    if saved.address in away:
        return MyTable(link, seat, None, away[saved.address])
    try:
        async with Client(saved.address) as client:
            turn = await Player(client, saved.table, seat, token).turn()
    except Refused as refused:
        if refused.code == GONE:
            seats.drop(saved)
            return None
        return MyTable(link, seat, None, str(refused))
    except KeypegError as error:
        away[saved.address] = str(error)
        return MyTable(link, seat, None, str(error))
    over = turn.status.stage is Stage.OVER and turn.status.rematch is not seat.other
    return None if over else MyTable(link, seat, turn)


def as_lines(tables: Sequence[MyTable]) -> Iterator[str]:
    """Each table in two lines: its link, and whose turn it is."""
    if not tables:
        yield "You have no open table at a server; 'keypeg play --open SERVER' opens one."
    for table in tables:
        yield table.link
        yield f"  {table.error}" if table.turn is None else f"  {_told(table, table.turn)}"


def _told(table: MyTable, turn: TurnOut) -> str:
    names = {seat: (turn.one, turn.two)[index] for index, seat in enumerate(type(table.seat))}
    other = names[table.seat.other]
    opponent = other.name or (f"Computer ({other.level})" if other.level else "nobody yet")
    since = datetime.fromtimestamp(turn.since / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    about = f"{turn.board}, game {turn.status.number} of {turn.games_agreed}, against {opponent}"
    return f"{_whose(table, turn, opponent)}, since {since}: {about}"


def _whose(table: MyTable, turn: TurnOut, opponent: str) -> str:
    if table.is_mine:
        return "another series is offered" if turn.status.rematch else "your turn"
    if turn.status.stage is Stage.WAITING:
        return "a seat is free"
    return "either may go on" if turn.status.waits_for is None else f"{opponent}'s turn"


def as_data(tables: Sequence[MyTable]) -> list[dict[str, Any]]:
    """The same for a program."""
    return [_data(table, table.turn) for table in tables]


def _data(table: MyTable, turn: TurnOut | None) -> dict[str, Any]:
    return {
        "link": table.link,
        "kind": "table",
        "seat": table.seat.value,
        "board": turn and turn.board,
        "games": turn and turn.games_agreed,
        "game": turn and turn.status.number,
        "stage": turn and turn.status.stage.value,
        "one": turn and turn.one.name,
        "two": turn and turn.two.name,
        "mine": table.is_mine,
        "since": turn and turn.since / 1000,
        "error": table.error,
    }
