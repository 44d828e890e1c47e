"""A client for programs: opens tables, takes seats, and plays whole series over the network.

    async with Client("http://127.0.0.1:8000") as client:
        player = await client.open_table(board="classic", opponent="perfect", name="Robby")
        async with player.connect() as table:
            result = await play_series(table, MyBreaker())

A lost connection is resumed where it broke off. A command whose answer was lost is sent again
under the same id, so that it is carried out once. docs/client.md has a complete program.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import httpx
import msgspec
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from keypeg import messages as wire
from keypeg.draw import draw_code, new_id
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import Answered
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import Seat
from keypeg.store.log import Stage
from keypeg.table.options import MOVES, TableOption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from keypeg.store.events import Grade


Rows = tuple[tuple[Code, KeyPegs], ...]
"""What a breaker sees: the rows played, each with its answer."""

LIVE_PATH: Final = "/api/live"
PAUSES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The longest pauses between attempts, in seconds; each pause is drawn at random up to these."""
PATIENCE: Final = 30.0
"""For how many seconds a request for a seat is repeated if no answer comes."""
_FINAL_CLOSES: Final = (1008, 4001)
_PASSING_CODES: Final = ("unavailable", "too-fast", "busy", "failed")
_T = TypeVar("_T")
_decoder = msgspec.json.Decoder(wire.ClientOut)


class Refused(KeypegError):
    """The server refused a request; `code` says why, in a word for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ConnectionLost(KeypegError):
    """The server closed the connection for good, or could not be reached for too long."""


PASSING: Final = (OSError, httpx.TransportError, WebSocketException, Refused)
"""Errors after which another attempt may succeed, unless `_is_final`."""


class Client:
    """A server, as a program sees it."""

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.AsyncClient(base_url=self.url, timeout=timeout)

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
        """Ask for a seat, and again if no answer came: the same request gets the same seat."""
        patience = _Patience(PATIENCE)

        def hopeless(error: Exception) -> bool:
            return _is_final(error) or (patience.attempts == 0 and _is_no_server(error))

        return await _retried(lambda: self.post(path, wanted, wire.Seated), patience, hopeless)

    def watch(self, table: str) -> Player:
        """A spectator of a table."""
        return Player(self, table, None, None)

    async def public_tables(self, stage: Stage | None = None) -> list[wire.ListedTable]:
        """The public tables, the latest changed first."""
        query = f"?stage={stage.value}" if stage else ""
        return await self.get(f"/api/tables{query}", list[wire.ListedTable])

    async def record(self, table: str) -> str:
        """The text record of a table's last finished series."""
        return _checked(await self._http.get(f"/api/tables/{table}/record")).text

    async def get(self, path: str, kind: type[_T], token: str | None = None) -> _T:
        """Ask for something."""
        answer = await self._http.get(path, headers=_bearer(token))
        return msgspec.json.decode(_checked(answer).content, type=kind)

    async def post(
        self, path: str, body: msgspec.Struct, kind: type[_T], token: str | None = None
    ) -> _T:
        """Have something done."""
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json", **_bearer(token)}
        answer = await self._http.post(path, content=content, headers=headers)
        return msgspec.json.decode(_checked(answer).content, type=kind)


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


class Connection:
    """A table while it is played: what happened, its status, and the commands to play."""

    def __init__(self, player: Player, patience: float) -> None:
        self.player = player
        self.entries: list[wire.EntryOut] = []
        """Everything that happened, in order, without gaps."""
        self.presence: wire.Present | None = None
        self.options: wire.Options = ()
        """What this seat may do now, as the server said."""
        self._status: wire.Status | None = None
        self._seconds = patience
        self._changed = asyncio.Condition()
        self._waiting: dict[str, tuple[str, asyncio.Future[int]]] = {}
        self._socket: Any = None
        self._welcomed = False
        self._lost: ConnectionLost | None = None
        self._repeats: set[asyncio.Task[None]] = set()

    @property
    def seat(self) -> Seat | None:
        """The seat that plays here."""
        return self.player.seat

    @property
    def seq(self) -> int:
        """The number of the last entry seen."""
        return self.entries[-1].seq if self.entries else 0

    @property
    def ready(self) -> bool:
        """Whether everything up to the opening of the connection has arrived."""
        return self._status is not None and self.seq >= self._status.seq

    @property
    def status(self) -> wire.Status:
        """The status of the table: whose turn it is, points, result."""
        if self._status is None:
            raise ConnectionLost("not connected yet")
        return self._status

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._lost is not None or condition())
        if self._lost is not None and not condition():
            raise self._lost

    async def look(self) -> wire.TableOut:
        """The whole table as this player sees it, as soon as the server can be asked."""

        def hopeless(error: Exception) -> bool:
            return self._lost is not None or _is_final(error)

        try:
            return await _retried(self.player.look, _Patience(inf), hopeless)
        except PASSING as error:
            if self._lost is None or _is_final(error):
                raise
            raise self._lost from None

    async def set_secret(self, code: Code) -> int:
        """Set the secret behind the shield."""
        return await self.do(wire.SetSecret(id=new_id(), code=code))

    async def guess(self, code: Code) -> KeyPegs | None:
        """Play a row; gives its key pegs, if the referee places them."""
        seq = await self.do(wire.Guess(id=new_id(), code=code))
        await self.wait_for(lambda: self.seq >= seq)
        events = map(wire.event_in, self.entries[seq - 1].events)
        return next((event.keys for event in events if isinstance(event, Answered)), None)

    async def answer(self, keys: KeyPegs) -> int:
        """Place key pegs beside the row."""
        return await self.do(wire.Answer(id=new_id(), black=keys.black, white=keys.white))

    async def next_game(self) -> int:
        """Go on after a finished game."""
        return await self.do(wire.NextGame(id=new_id()))

    async def do(self, command: wire.CommandIn) -> int:
        """Have a command carried out; gives the number of its entry once that is on disk."""
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        text = msgspec.json.encode(command).decode()
        self._waiting[command.id] = (text, done)
        await self._send(text)
        try:
            return await done
        finally:
            self._waiting.pop(command.id, None)

    async def keep(self) -> None:
        """Stay connected, resuming where the connection broke off, as long as patience lasts."""
        patience = _Patience(self._seconds)
        try:
            await _retried(lambda: self._stay(patience), patience, _is_final)
        except PASSING as error:
            await self._give_up(str(error) if _is_final(error) else "the server cannot be reached")

    async def _stay(self, patience: _Patience) -> None:
        """Connect, resume, and listen until the connection is lost, which raises."""
        self._welcomed = False
        address = self.player.client.url.replace("http", "ws", 1) + LIVE_PATH
        ticket = await self.player.ticket()
        async with open_socket(address, compression=None, proxy=None, max_size=2**20) as socket:
            hello = wire.Hello(ticket=ticket, seq=self.seq)
            await socket.send(msgspec.json.encode(hello).decode())
            self._socket = socket
            try:
                for text, _ in tuple(self._waiting.values()):
                    await socket.send(text)
                async for frame in socket:
                    await self._hear(_decoder.decode(frame))
                raise ConnectionClosed(None, None)
            finally:
                self._socket = None
                if self._welcomed:
                    patience.renew()

    async def _send(self, text: str) -> None:
        # With no socket now, the next one sends all that waits.
        with contextlib.suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(text)

    async def _hear(self, message: wire.ClientOut) -> None:
        match message:
            case wire.Welcome():
                self._welcomed = True
                self._stand(message)
            case wire.Missed():
                self._append(*message.entries)
                self._stand(message)
            case wire.Update():
                self._append(message.entry)
                self._stand(message)
            case wire.Present():
                self.presence = message
            case wire.Ack():
                self._settle(message.id, message.seq)
            case wire.Refused(code="unavailable"):
                # It may have been carried out; sending it again under the same id settles that.
                asyncio.get_running_loop().call_later(0.2, self._again, message.id)
            case wire.Refused():
                self._settle(message.id, Refused(message.code, message.message))
            case _:
                pass
        async with self._changed:
            self._changed.notify_all()

    def _stand(self, message: wire.Welcome | wire.Missed | wire.Update) -> None:
        self._status, self.options = message.status, message.options

    def _append(self, *entries: wire.EntryOut) -> None:
        self.entries.extend(entry for entry in entries if entry.seq > self.seq)

    def _settle(self, command_id: str, outcome: int | Refused) -> None:
        _, done = self._waiting.get(command_id, (None, None))
        if done is None or done.done():
            return
        if isinstance(outcome, int):
            done.set_result(outcome)
        else:
            done.set_exception(outcome)

    def _again(self, command_id: str) -> None:
        waiting = self._waiting.get(command_id)
        if waiting is not None:
            repeat = asyncio.get_running_loop().create_task(self._send(waiting[0]))
            self._repeats.add(repeat)
            repeat.add_done_callback(self._repeats.discard)

    async def _give_up(self, why: str) -> None:
        self._lost = ConnectionLost(why)
        for _, done in self._waiting.values():
            if not done.done():
                done.set_exception(self._lost)
        async with self._changed:
            self._changed.notify_all()


class _Patience:
    """For how many more seconds something is tried, and how long to wait between attempts."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Begin again: the server was reached."""
        self.attempts, self._ends = 0, time.monotonic() + self._seconds

    @property
    def over(self) -> bool:
        """Whether it was tried long enough."""
        return time.monotonic() >= self._ends

    async def pause(self) -> None:
        """Wait: at random, so that clients dropped together do not come back together."""
        longest = PAUSES[min(self.attempts, len(PAUSES) - 1)]
        self.attempts += 1
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - not a secret


async def _retried(
    attempt: Callable[[], Awaitable[_T]], patience: _Patience, hopeless: Callable[[Exception], bool]
) -> _T:
    """What the first successful attempt gives; raises what is hopeless or outlasts patience."""
    while True:
        try:
            return await attempt()
        except PASSING as error:
            if hopeless(error) or patience.over:
                raise
        await patience.pause()


def _is_final(error: Exception) -> bool:
    """Whether another attempt cannot fare better."""
    if isinstance(error, ConnectionClosed):
        return error.rcvd is not None and error.rcvd.code in _FINAL_CLOSES
    if isinstance(error, InvalidStatus):
        return error.response.status_code == 403
    return isinstance(error, Refused) and error.code not in _PASSING_CODES


def _is_no_server(error: Exception) -> bool:
    """Whether there does not seem to be a server of keypeg at all."""
    return isinstance(error, httpx.ConnectError) or getattr(error, "code", None) == "failed"


class Breaker(Protocol):
    """A player who breaks codes."""

    def __call__(self, board: Board, rows: Rows) -> Code:
        """The next guess."""


async def play_series(
    table: Connection, breaker: Breaker, maker: Callable[[Board], Code] = draw_code
) -> wire.ResultOut:
    """Play a series to its end in this seat: break with `breaker`, make codes with `maker`."""
    seat = table.seat
    if seat is None:
        raise KeypegError("a spectator cannot play")
    secret: Code = ()
    view = await table.look()
    alone = (view.two if seat is Seat.ONE else view.one).level is not None
    while True:
        await table.wait_for(lambda: table.ready and (_is_over(table) or bool(_move(table, alone))))
        if _is_over(table):
            break
        view = await table.look()
        game, board, option = view.games[-1], Board.parse(view.board.name), _move(view, alone)
        match option:
            case TableOption.SET_SECRET:
                secret = maker(board)
                await table.set_secret(secret)
            case TableOption.GUESS:
                await table.guess(breaker(board, _rows(game)))
            case TableOption.ANSWER:
                await table.answer(score(game.secret or secret, game.rows[-1].code or ()))
            case TableOption.NEXT_GAME:
                with contextlib.suppress(Refused):
                    await table.next_game()
        # What was done makes an entry; if the table went on meanwhile, we follow it.
        seq = view.status.seq + (option is not None)
        await table.wait_for(lambda seq=seq: table.seq >= seq)  # type: ignore[misc]
    if table.status.result is None:
        raise KeypegError("the series is over without a result")
    return table.status.result


def _is_over(table: Connection) -> bool:
    return table.status.stage is Stage.OVER


def _move(seen: Connection | wire.TableOut, alone: bool) -> TableOption | None:
    """The option that continues the series, if this seat has one.

    After a game the maker waits for the breaker to go on, unless that is the computer, which
    never does.
    """
    leaves = seen.status.maker is seen.seat and not alone
    moves = MOVES - {TableOption.NEXT_GAME} if leaves else MOVES
    return next((option for option in seen.options if option in moves), None)


def _rows(game: wire.GameOut) -> Rows:
    return tuple(
        (row.code, KeyPegs(row.black, row.white or 0))
        for row in game.rows
        if row.code is not None and row.black is not None
    )
