"""Requests to a server: opening tables, taking seats, looking, hints, tickets for sockets."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx
import msgspec

from keypeg import messages as wire
from keypeg.client.connection import Connection
from keypeg.client.contest import Contest
from keypeg.client.errors import Refused, Unreachable
from keypeg.client.match import Match
from keypeg.client.retries import Backoff, is_final, is_no_server, retried
from keypeg.draw import new_id
from keypeg.rules.errors import CannotRead, quoted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from keypeg.rules.series import Seat
    from keypeg.store.events import Grade
    from keypeg.store.log import Stage

PATIENCE: Final = 30.0
"""For how many seconds a request is repeated if no answer comes."""
_T = TypeVar("_T")


class Client:
    """A server, as a program sees it."""

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.AsyncClient(base_url=_address(self.url), timeout=timeout)
        self._was_there = False
        """Whether a server of keypeg has ever answered here."""

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._http.aclose()

    async def open_table(self, **settings: Any) -> Player:
        """Open a table set as in `messages.NewTable`, and take the seat it names."""
        seated = await self._sit("/api/tables", wire.NewTable(**{"retry": _retry(), **settings}))
        return Player(self, seated.table, seated.seat, seated.token)

    async def take_seat(self, table: str, seat: Seat, name: str = "Player") -> Player:
        """Take a free seat."""
        wanted = wire.TakeSeat(seat=seat, name=name, retry=_retry())
        seated = await self._sit(f"/api/tables/{table}/seats", wanted)
        return Player(self, table, seat, seated.token)

    async def _sit(self, path: str, wanted: wire.NewTable | wire.TakeSeat) -> wire.Seated:
        """Ask for a seat: the same request gets the same seat."""
        return await self.insist(path, wanted, wire.Seated)

    async def create_contest(self, token: str, **settings: Any) -> Contest:
        """Make a contest set as in `messages.NewContest`; it belongs to this token."""
        wanted = wire.NewContest(**{"id": new_id(), **settings})
        made = await self.insist("/api/contests", wanted, wire.ContestOut, token)
        return Contest(self, made.id, token)

    def contest(self, id_: str, token: str | None = None) -> Contest:
        """A contest; without a token, one can only look at it."""
        return Contest(self, id_, token)

    async def open_match(self, token: str, **settings: Any) -> Match:
        """Open a race or a duel set as in `messages.NewMatch`; you are player 1."""
        wanted = wire.NewMatch(**{"id": new_id(), **settings})
        made = await self.insist("/api/matches", wanted, wire.MatchOut, token)
        return Match(self, made.id, token)

    def match(self, id_: str, token: str | None = None) -> Match:
        """A race or a duel; without a token, one can only look on."""
        return Match(self, id_, token)

    def watch(self, table: str) -> Player:
        """A spectator of a table."""
        return Player(self, table, None, None)

    async def public_tables(self, stage: Stage | None = None) -> list[wire.ListedTable]:
        """The public tables, the latest changed first."""
        query = f"?stage={stage.value}" if stage else ""
        return await self.get(f"/api/tables{query}", list[wire.ListedTable])

    async def record(self, table: str) -> str:
        """The text record of a table's last finished series."""
        return (await self._request("GET", f"/api/tables/{table}/record")).text

    async def get(self, path: str, kind: type[_T], token: str | None = None) -> _T:
        """Ask for something."""
        answer = await self._request("GET", path, headers=_bearer(token))
        return msgspec.json.decode(answer.content, type=kind)

    async def post(
        self, path: str, body: msgspec.Struct, kind: type[_T], token: str | None = None
    ) -> _T:
        """Have something done."""
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json", **_bearer(token)}
        answer = await self._request("POST", path, content=content, headers=headers)
        return msgspec.json.decode(answer.content, type=kind)

    async def insist(
        self, path: str, body: msgspec.Struct, kind: type[_T], token: str | None = None
    ) -> _T:
        """Have something done, and again if no answer came. It must be done once all the same.

        A server that was never there is not waited for: its address is probably wrong.
        """
        patience = Backoff(PATIENCE)

        def hopeless(error: Exception) -> bool:
            unknown = patience.attempts == 0 and not self._was_there
            return is_final(error) or (unknown and is_no_server(error))

        return await retried(lambda: self.post(path, body, kind, token), patience, hopeless)

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer to a request; raises Refused, or Unreachable if none came."""
        try:
            answer = _checked(await self._http.request(method, path, **options))
        except httpx.InvalidURL as error:
            raise CannotRead(f"{quoted(path, 60)} is not a valid path: {error}") from error
        except (OSError, httpx.TransportError) as error:
            raise Unreachable(f"{self.url} cannot be reached") from error
        self._was_there = True
        return answer


def _address(url: str) -> httpx.URL:
    """The address of a server, if that is what `url` is."""
    try:
        address = httpx.URL(url)
        named = address.scheme in ("http", "https") and address.host
    except (httpx.InvalidURL, ValueError):
        named = ""
    if not named:
        raise CannotRead(f"{quoted(url, 60)} is not the address of a server; use http://host:port")
    return address


def _retry() -> str:
    """The key that makes a request for a seat repeatable: as secret as the seat's token."""
    return secrets.token_urlsafe(32)


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        problem = msgspec.json.decode(answer.content, type=wire.Problem)
    except msgspec.MsgspecError:
        raise Refused("failed", f"the server answered {answer.status_code}") from None
    raise Refused(problem.code, problem.message)


class Player:
    """Somebody at a table: a seat with its token, or a spectator."""

    def __init__(self, client: Client, table: str, seat: Seat | None, token: str | None) -> None:
        self.client, self.table, self.seat = client, table, seat
        self._token = token

    def __repr__(self) -> str:
        return f"Player({self.table!r}, {self.seat})"

    @property
    def token(self) -> str | None:
        """The right to the seat, which can be saved for later; None for a spectator."""
        return self._token

    async def look(self) -> wire.TableOut:
        """The table as this player sees it."""
        return await self.client.get(f"/api/tables/{self.table}", wire.TableOut, self._token)

    async def turn(self) -> wire.TurnOut:
        """Whose turn it is, and since when. Whoever asks this does not count as being there."""
        return await self.client.get(f"/api/tables/{self.table}/turn", wire.TurnOut, self._token)

    async def hint(self, grade: Grade | None = None) -> wire.HintOut:
        """A hint, if the table allows hints; below the best grade, only the number of codes left.

        The log records the grade.
        """
        path = f"/api/tables/{self.table}/hints"
        wanted = wire.AskHint(id=new_id(), grade=grade)
        return await self.client.post(path, wanted, wire.HintOut, self._token)

    async def ticket(self) -> str:
        """A ticket for one socket."""
        path = f"/api/tables/{self.table}/tickets"
        answer = await self.client.post(
            path, wire.AskTicket(seat=self.seat), wire.TicketOut, self._token
        )
        return answer.ticket

    @contextlib.asynccontextmanager
    async def connect(self, *, patience: float = 30.0) -> AsyncIterator[Connection]:
        """A connection that is kept open until the block ends."""
        connection = Connection(self, patience)
        keeping = asyncio.create_task(connection.keep())
        try:
            await connection.wait_for(lambda: connection.ready)
            yield connection
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
