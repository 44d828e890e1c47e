"""A table on a server, played at or watched: the same Sitting, through `keypeg.client`."""

from __future__ import annotations

import asyncio
import re
import shlex
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from keypeg import messages as wire
from keypeg.client import Client, ConnectionLost, Player
from keypeg.draw import new_id
from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.store.events import Computer, Person, Rematched, Settings
from keypeg.store.log import Stage
from keypeg.store.paths import data_folder
from keypeg.table import Seen, commands
from keypeg.terminal.saved_seats import FILE, SavedSeat, SavedSeats

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from keypeg.client import Connection
    from keypeg.table import Command
    from keypeg.terminal.choices import SeriesChoices


JOINED: Final = ("--join", "continues from here")
MOST_LISTED: Final = 20
PATIENCE: Final = 120.0
"""For how many seconds a server that is away is tried again."""
STRANGER: Final = "Player"
"""The name at a server of somebody who gives none."""
_TABLE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""What the id of a table is made of."""


class RemoteSitting:
    """A connected seat, or a spectator, who has none; it sees what the server has sent."""

    def __init__(self, connection: Connection, table: wire.TableOut) -> None:
        seat, link = connection.seat, link_to(connection.player.client.url, table.id)
        self.id, self.seats = table.id, () if seat is None else (seat,)
        way, again = ("--watch", "shows it again") if seat is None else JOINED
        self.way_back = f"'keypeg play {way} {shlex.quote(link)}' {again}."
        self.invitation = "" if seat is None else link
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

    @property
    def away(self) -> bool:
        """Whether the server cannot be reached now, and is tried again."""
        return not self._connection.connected

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
        """Call `callback` when something happens or `away` changes."""
        key = object()
        self._watchers[key] = callback
        return lambda: self._watchers.pop(key, None) and None

    async def listen(self) -> None:
        """Call the watchers after each change, until the connection is lost for good."""
        while self._lost is None:
            told = self._moment
            try:
                await self._connection.wait_for(lambda told=told: self._moment != told)  # type: ignore[misc]
            except ConnectionLost as error:
                self._lost = error
            for watcher in tuple(self._watchers.values()):
                watcher()

    @property
    def _moment(self) -> tuple[int, bool]:
        """What watchers are told of: the last entry, and whether the server is there."""
        return self._connection.seq, self._connection.connected

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
async def joined(url: str, name: str = STRANGER) -> AsyncIterator[RemoteSitting]:
    """A seat at the table of a link: the one taken from here before, or a free one."""
    server, table = read_link(url)
    async with _sitting(server, lambda client: _seat(client, table, name)) as sitting:
        yield sitting


@asynccontextmanager
async def opened(
    server: str, choices: SeriesChoices, *, public: bool
) -> AsyncIterator[RemoteSitting]:
    """A seat at a new table on a server; the other seat is free."""

    async def sit_down(client: Client) -> Player:
        player = await client.open_table(
            board=str(choices.board),
            games=choices.games,
            key_pegs=choices.key_pegs,
            scoring=choices.scoring,
            turn_seconds=choices.turn_seconds,
            hints=choices.hints,
            first_maker=choices.settings.first_maker,
            name=choices.called[0] if choices.called else STRANGER,
            public=public,
        )
        _keep(player)
        return player

    async with _sitting(read_server(server), sit_down) as sitting:
        yield sitting


@asynccontextmanager
async def watched(url: str) -> AsyncIterator[RemoteSitting]:
    """The table of a link, as a spectator."""
    server, table = read_link(url)

    async def look_on(client: Client) -> Player:
        player = client.watch(table)
        await player.look()  # whether there is such a server, and such a table
        return player

    async with _sitting(server, look_on) as sitting:
        yield sitting


@asynccontextmanager
async def _sitting(
    server: str, sit_down: Callable[[Client], Awaitable[Player]]
) -> AsyncIterator[RemoteSitting]:
    async with Client(server) as client:
        player = await sit_down(client)
        async with player.connect(patience=PATIENCE) as connection:
            sitting = RemoteSitting(connection, await player.look())
            listening = asyncio.create_task(sitting.listen())
            try:
                yield sitting
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)


async def public_tables(server: str) -> list[wire.TableOut]:
    """The latest public tables of a server that are not over, those with a free seat first."""
    url = read_server(server)
    async with Client(url) as client:
        listed = [one for one in await client.public_tables() if one.stage is not Stage.OVER]
        listed.sort(key=lambda one: one.stage is not Stage.WAITING)
        return [await client.watch(one.id).look() for one in listed[:MOST_LISTED]]


async def _seat(client: Client, table: str, name: str) -> Player:
    for saved in saved_seats().all(client.url):
        if saved.table == table:
            ((seat, token),) = saved.tokens.items()
            return Player(client, table, seat, token)
    looked = await client.watch(table).look()
    players = {Seat.ONE: looked.one, Seat.TWO: looked.two}
    free = [seat for seat, player in players.items() if not player.taken]
    if not free:
        raise KeypegError("both seats of this table are taken; --watch shows it")
    player = await client.take_seat(table, free[0], name)
    _keep(player)
    return player


def saved_seats() -> SavedSeats:
    """The seats taken from this machine."""
    return SavedSeats(data_folder() / FILE)


def _keep(player: Player) -> None:
    seat = player.seat or Seat.ONE
    saved_seats().keep(SavedSeat(player.client.url, player.table, {seat: player.token or ""}))


def read_link(url: str) -> tuple[str, str]:
    """The server and the table of a link such as http://host:8000/table/ID."""
    server, _, table = url.partition("?")[0].rstrip("/").rpartition("/table/")
    try:
        if _TABLE.fullmatch(table):
            return read_server(server), table
    except CannotRead:
        pass  # with the words for a link
    raise CannotRead("a table is joined by its link, such as http://host:8000/table/ID")


def link_to(server: str, table: str) -> str:
    """The link to a table, which is also the invitation to it."""
    return f"{server}/table/{table}"


def read_server(url: str) -> str:
    """The address of a server, such as http://host:8000."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is not a number, or too large; brackets without an end
        valid = False
    if not valid or parts.path.strip("/"):
        raise CannotRead("a server is named by its address, such as http://host:8000")
    return f"{parts.scheme}://{parts.netloc}"
