"""Where daily codes are played from a terminal: alone on this machine, or at a server."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from keypeg.client import Client
from keypeg.daily.days import parse_day
from keypeg.daily.game import Daily
from keypeg.messages.attempts import AttemptGuess
from keypeg.messages.daily import DailyAnswer, DailyDays, DailyOut, daily_out
from keypeg.table.clock import SystemClock
from keypeg.table.tokens import hashed
from keypeg.terminal.remote import read_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.table.clock import Clock
    from keypeg.terminal.saved_daily import SavedDaily


class DailySource(Protocol):
    """A machine or a server that has daily codes."""

    name: str
    """What the token and the results are saved under."""
    link: str | None
    """Where the code is played in a browser."""

    async def today(self) -> str:
        """The date of the code that counts now."""
        ...

    async def look(self, date: str, board: Board) -> DailyOut:
        """A day's code as its player sees it."""
        ...

    async def guess(self, date: str, board: Board, id_: str, code: Code) -> DailyOut:
        """Guess; when this returns, the row is stored. The same id is answered once."""
        ...


class LocalDaily:
    """The codes of this machine's own key."""

    link: str | None = None

    def __init__(self, name: str, daily: Daily, token: str) -> None:
        self.name, self._daily, self._holder = name, daily, hashed(token)

    async def today(self) -> str:
        """Today in UTC, by this machine's clock."""
        return str(self._daily.today())

    async def look(self, date: str, board: Board) -> DailyOut:
        """A day's code as its player sees it."""
        seen = await self._daily.look(parse_day(date), board, self._holder)
        return daily_out(seen, self._daily.now())

    async def guess(self, date: str, board: Board, id_: str, code: Code) -> DailyOut:
        """Guess; when this returns, the row is on disk."""
        _, seen = await self._daily.guess(parse_day(date), board, self._holder, (id_, code))
        return daily_out(seen, self._daily.now())


class RemoteDaily:
    """The codes of a server."""

    def __init__(self, client: Client, token: str) -> None:
        self.name, self._client, self._token = client.url, client, token
        self.link: str | None = f"{client.url}/daily"

    async def today(self) -> str:
        """Today in UTC, by the server's clock."""
        return (await self._client.get("/api/daily", DailyDays)).today.date

    async def look(self, date: str, board: Board) -> DailyOut:
        """A day's code as its player sees it."""
        return await self._client.get(f"/api/daily/{date}/{board}", DailyOut, self._token)

    async def guess(self, date: str, board: Board, id_: str, code: Code) -> DailyOut:
        """Guess, and again if no answer came: the server answers the same id once."""
        path, body = f"/api/daily/{date}/{board}/guesses", AttemptGuess(id=id_, code=code)
        return (await self._client.insist(path, body, DailyAnswer, self._token)).day


@asynccontextmanager
async def daily_alone(
    address: str, saved: SavedDaily, clock: Clock | None = None
) -> AsyncIterator[LocalDaily]:
    """The codes of the key of the database at an address, which also stores the attempts."""
    from keypeg.store.sql import SqlLog  # noqa: PLC0415 - slow to import

    log = await SqlLog.open(address)
    try:
        yield LocalDaily(address, Daily(log, clock or SystemClock()), saved.token(address))
    finally:
        await log.close()


@asynccontextmanager
async def daily_at(server: str, saved: SavedDaily) -> AsyncIterator[RemoteDaily]:
    """The codes of a server."""
    async with Client(read_server(server)) as client:
        yield RemoteDaily(client, saved.token(client.url))
