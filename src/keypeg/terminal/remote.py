"""A seat at a table on a server: the same Sitting, over the network through `keypeg.client`."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from keypeg import messages as wire
from keypeg.client import Client, ConnectionLost, Player
from keypeg.draw import new_id
from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.store.events import Computer, Person, Rematched, Settings
from keypeg.store.paths import data_folder
from keypeg.table import Seen, commands
from keypeg.terminal.saved_seats import FILE, SavedSeat, SavedSeats

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from keypeg.client import Connection
    from keypeg.table import Command


class RemoteSitting:
    """A connected seat; it sees what the server has sent."""

    way_back = "'keypeg play --join' with the same link continues from here."

    def __init__(self, connection: Connection, table: wire.TableOut, seat: Seat) -> None:
        self.id, self.seats = table.id, (seat,)
        self._connection = connection
        self._table = table
        self._ahead = table.now - time.time() * 1000
        """How far the server's clock is ahead of ours, in milliseconds."""
        self._watchers: dict[object, Callable[[], None]] = {}
        self._lost: ConnectionLost | None = None

    @property
    def seconds_left(self) -> float | None:
        """How long the current turn may still take, by the server's clock."""
        due = self._connection.status.due
        if due is None:
            return None
        return max(0.0, (due - time.time() * 1000 - self._ahead) / 1000)

    def seen(self, seat: Seat | None, after: int = 0) -> tuple[Seen, ...]:  # noqa: ARG002
        """What happened since entry `after`, as the one seat here sees it."""
        if self._lost is not None:
            raise self._lost
        settings = self._settings
        return tuple(
            Seen(e.seq, e.at, e.by, tuple(wire.event_in(event, settings) for event in e.events))
            for e in self._connection.entries[after:]
        )

    async def ask(self, seat: Seat, command: Command) -> None:  # noqa: ARG002 - there is one
        """Have the server carry it out; when this returns it is on disk there, and seen here."""
        if isinstance(command, commands.UseHint):
            await self._connection.player.hint(command.grade)
            return
        seq = await self._connection.do(wire.command_out(command, new_id()))
        await self._connection.wait_for(lambda: self._connection.seq >= seq)

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after everything that happens."""
        key = object()
        self._watchers[key] = callback
        return lambda: self._watchers.pop(key, None) and None

    async def listen(self) -> None:
        """Call the watchers after each update, until the connection is lost for good."""
        connection = self._connection
        while self._lost is None:
            seq = connection.seq
            try:
                await connection.wait_for(lambda seq=seq: connection.seq > seq)  # type: ignore[misc]
            except ConnectionLost as error:
                self._lost = error
            for watcher in tuple(self._watchers.values()):
                watcher()

    @property
    def _settings(self) -> Settings:
        """The table's settings, from what the server says of it."""
        table = self._table
        terms = Terms(
            Board.parse(table.board.name),
            table.games_agreed,
            table.key_pegs,
            table.scoring,
            table.turn_seconds,
        )
        one, two = (
            Person() if player.level is None else Computer(player.level)
            for player in (table.one, table.two)
        )
        return Settings(terms, one, two, self._first_maker, table.public, table.hints_allowed)

    @property
    def _first_maker(self) -> Seat:
        """Who made the first code of all; each rematch before we looked has swapped the roles."""
        entries = self._connection.entries
        began = [e for e in entries if e.seq <= self._table.status.seq]
        rematched = wire.sent_as(Rematched)
        rematches = sum(isinstance(event, rematched) for e in began for event in e.events)
        maker = self._table.games[0].maker
        return maker.other if rematches % 2 else maker


@asynccontextmanager
async def joined(url: str, name: str) -> AsyncIterator[RemoteSitting]:
    """A seat at the table of a link: the one taken from here before, or a free one."""
    server, table = read_link(url)
    seats = SavedSeats(data_folder() / FILE)
    async with Client(server) as client:
        player = await _seat(client, table, name, seats)
        async with player.connect() as connection:
            seat = player.seat or Seat.ONE
            sitting = RemoteSitting(connection, await player.look(), seat)
            listening = asyncio.create_task(sitting.listen())
            try:
                yield sitting
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)


async def _seat(client: Client, table: str, name: str, seats: SavedSeats) -> Player:
    for saved in seats.all(client.url):
        if saved.table == table:
            ((seat, token),) = saved.tokens.items()
            return Player(client, table, seat, token)
    looked = await client.watch(table).look()
    players = {Seat.ONE: looked.one, Seat.TWO: looked.two}
    free = [seat for seat, player in players.items() if not player.taken]
    if not free:
        raise KeypegError("both seats of this table are taken")
    player = await client.take_seat(table, free[0], name)
    seats.keep(SavedSeat(client.url, table, {free[0]: player.token or ""}))
    return player


def read_link(url: str) -> tuple[str, str]:
    """The server and the table of a link such as http://host:8000/table/ID."""
    refusal = CannotRead("a table is joined by its link, such as http://host:8000/table/ID")
    try:
        parts = urlsplit(url)
        addressed = parts.hostname and parts.port != 0
    except ValueError:  # an IPv6 address without its bracket, or a port out of range
        raise refusal from None
    table = parts.path.rstrip("/").rpartition("/")[2]
    if parts.scheme not in ("http", "https") or not addressed or not table:
        raise refusal
    return f"{parts.scheme}://{parts.netloc}", table
