"""People who play at random over real sockets and note what they asked and were told."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import WebSocketException

from keypeg import messages as wire
from keypeg.client import Client, Player, Refused
from keypeg.draw import draw_code, new_id
from keypeg.rules.board import Board
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.store import failpoints
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from tests.server.history import History, Op, Outcome
from tests.server.restartable import KEY, RestartableServer
from tests.server.running import PATIENCE, seated

BOARD = Board(3, 3, 4)
PAST = 50
_told = msgspec.json.Decoder(wire.ClientOut)
_LOST = (OSError, WebSocketException, httpx.TransportError, TimeoutError)


class Diary:
    """What somebody who plays at random at a table knows, and notes; without a socket."""

    def __init__(self, table: str, seat: Seat | None, history: History, rng: random.Random) -> None:
        self.table, self.seat, self.history, self.rng = table, seat, history, rng
        self.certain = True
        """Whether a refusal is the last word: not where the way doubles what is sent."""
        self.slips = 0.2
        """The share of commands that come with a seq of some time ago; half as many do not fit."""
        self.sockets = 0
        self.seq = 0
        self.status: wire.Status | None = None
        self.seen: list[wire.EntryOut] = []
        self.open: dict[str, tuple[Op, str]] = {}
        self.past: deque[tuple[Op, str]] = deque(maxlen=PAST)

    def arrive(self, ticket: str) -> str:
        """What to say on a new socket, which from now on is the one that is heard."""
        self._hear_from(self.seq)
        return _text(wire.Hello(ticket=ticket, seq=self.seq))

    def _hear_from(self, seq: int) -> None:
        self.sockets += 1
        key = (self.table, self.seat, self.sockets)
        self.history.resumed_at[key] = self.seq = seq
        self.seen = self.history.seen[key] = []

    def hear(self, message: wire.ClientOut) -> None:
        table = getattr(message, "table", None)
        if table is not None:
            self.history.tables.append(table)
        match message:
            case wire.Welcome():
                self.told(message.status, message.options)
            case wire.Missed():
                self.seen.extend(message.entries)
                self.told(message.status, message.options)
            case wire.Update():
                self.seen.append(message.entry)
                self.told(message.status, message.options)
            case wire.Snapshot():
                # A spectator who could not keep up: what follows counts as another socket's.
                self._hear_from(message.table.status.seq)
            case wire.Ack():
                self.settle(message.id, Outcome.OK, message.seq)
            case wire.Refused(code="unavailable"):
                self.history.troubles[message.message] += 1
            case wire.Refused():
                self.settle(message.id, Outcome.FAILED, None, message.code)
            case _:
                pass
        if self.seen:
            self.seq = self.seen[-1].seq

    def told(self, status: wire.Status, options: wire.Options) -> None:
        self.status = status
        self.history.statuses.append((self.table, status))
        self.history.options.append(((self.table, self.seat, status.seq), options))

    def settle(self, id_: str, outcome: Outcome, seq: int | None, code: str = "") -> None:
        op, text = self.open.get(id_, (None, ""))
        if op is None:
            return
        op.copies -= 1
        if outcome is Outcome.FAILED and (op.copies or not self.certain):
            return
        op.outcome, op.seq, op.code, op.answered = outcome, seq, code, time.monotonic()
        del self.open[id_]
        if outcome is Outcome.OK:
            self.history.acknowledged += 1
            self.past.append((op, text))

    @property
    def wanted(self) -> bool:
        """Whether the table waits for this guest, or for anybody to go on."""
        status = self.status
        return status is not None and (status.turn is self.seat or status.phase is Phase.OVER)

    def devise(self, seat: Seat, status: wire.Status) -> tuple[Op, str]:
        """A new command, mostly one that fits, and what to say for it."""
        id_ = new_id()
        behind = self.rng.randint(0, 2)
        stale = {"seq": max(0, status.seq - behind)} if self.rng.random() < self.slips else {}
        text = _text(self.command(id_, seat, status, stale))
        op = Op(self.table, seat, id_, time.monotonic(), utc(), knew=self.seq)
        self.history.ops.append(op)
        self.open[id_] = (op, text)
        return op, text

    def command(self, id_: str, seat: Seat, status: wire.Status, more: Any) -> wire.CommandIn:
        phase = status.phase
        if self.rng.random() < self.slips / 2:
            phase = self.rng.choice([*Phase, None])
        match phase:
            case Phase.SECRET:
                return wire.SetSecret(id=id_, code=draw_code(BOARD, self.rng), **more)
            case Phase.GUESS:
                return wire.Guess(id=id_, code=draw_code(BOARD, self.rng), **more)
            case Phase.ANSWER:
                keys = self.rng.choice([KeyPegs(0, 0), KeyPegs(1, 1), KeyPegs(0, 3)])
                return wire.Answer(id=id_, black=keys.black, white=keys.white, **more)
            case Phase.OVER:
                return wire.NextGame(id=id_, **more)
            case _:
                kinds: list[Any] = [wire.Resign, wire.Challenge, wire.Rematch, wire.Claim]
                command: wire.CommandIn = self.rng.choice(kinds)(id=id_, **more)
                return command


class Guest(Diary):
    """One who takes a moment before each move.

    `places` is the same seat through each of the servers; any of them is as good.
    """

    def __init__(self, places: Sequence[Player], history: History, rng: random.Random) -> None:
        super().__init__(places[0].table, places[0].seat, history, rng)
        self.places = places
        self.pause = 0.02

    async def play(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            with contextlib.suppress(Refused, *_LOST):
                async with self.socket() as socket:
                    await asyncio.gather(self.listen(socket), self.act(socket, stop))
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[ClientConnection]:
        player = self.rng.choice(self.places)
        if self.rng.random() < 0.2:
            self.history.tables.append(await player.look())
        ticket = await player.ticket()
        if len(self.places) > 1:
            # The ticket is good at any server.
            player = self.rng.choice(self.places)
        address = player.client.url.replace("http", "ws", 1) + "/api/live"
        async with asyncio.timeout(PATIENCE):
            socket = await open_socket(address, compression=None, proxy=None, close_timeout=0.2)
        try:
            await socket.send(self.arrive(ticket))
            yield socket
        finally:
            await socket.close()

    async def listen(self, socket: ClientConnection) -> None:
        try:
            async for frame in socket:
                self.hear(_told.decode(frame))
        finally:
            await socket.close()

    async def send(self, socket: ClientConnection, op: Op, text: str) -> None:
        """Send a copy; one that is lost with its socket is never answered, and never forgotten."""
        op.copies += 1
        op.sent_again_utc = utc()
        await socket.send(text)

    async def act(self, socket: ClientConnection, stop: asyncio.Event) -> None:
        """Send one thing after another until the socket is lost, or thrown away on purpose."""
        while not stop.is_set() and self.seat is not None:
            await asyncio.sleep(self.rng.uniform(0, self.pause))
            whim = self.rng.random()
            if whim < 0.02:
                await socket.close()
            elif whim < 0.15 and self.past:
                await socket.send(self.rng.choice(list(self.past))[1])
            elif self.open and whim < 0.3:
                await self.send(socket, *self.rng.choice(list(self.open.values())))
            elif self.status is not None and (self.wanted or whim > 0.9):
                await self.send(socket, *self.devise(self.seat, self.status))
        if self.seat is None:
            await stop.wait()
        await socket.close()


def utc() -> int:
    """Milliseconds of UTC."""
    return time.time_ns() // 1_000_000


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


@asynccontextmanager
async def party(
    urls: Sequence[str],
    tables: int,
    history: History,
    rng: random.Random,
    *,
    certain: bool = True,
) -> AsyncIterator[None]:
    """Guests at some tables, of every kind, who play for as long as the block lasts."""
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(url)) for url in urls]
        guests = []
        for number in range(tables):
            for place in await _sit_down(clients[0], _settings(number)):
                places = [Player(one, place.table, place.seat, place.token) for one in clients]
                guests.append(Guest(places, history, random.Random(rng.random())))
                guests[-1].certain = certain
        for guest in guests:
            # A crowd takes its time, or it would be busy with itself alone.
            guest.pause *= max(1.0, len(guests) / 40)
        playing = [asyncio.create_task(guest.play(stop)) for guest in guests]
        try:
            yield
        finally:
            stop.set()
            await asyncio.gather(*playing)


def _settings(number: int) -> dict[str, Any]:
    more = ({}, {"key_pegs": "by-hand"}, {"turn_seconds": 1}, {"opponent": "perfect"})[number % 4]
    return {"board": str(BOARD), "games": 100, **more}


async def _sit_down(client: Client, settings: dict[str, Any]) -> list[Player]:
    if "opponent" in settings:
        one = await client.open_table(**settings)
        return [one, client.watch(one.table)]
    one, two = await seated(client, **settings)
    return [one, two, client.watch(one.table)]


async def until_done(
    server: RestartableServer, history: History, moves: int, seconds: float = PATIENCE
) -> None:
    """Wait for `moves` acknowledgements, or for a server to die of itself, but not for ever."""
    wanted, deadline = done(history) + moves, time.monotonic() + seconds
    while done(history) < wanted and server.alive and time.monotonic() < deadline:
        await asyncio.sleep(0.005)


def done(history: History) -> int:
    """How many commands were acknowledged so far."""
    return history.acknowledged


def failpoint(rng: random.Random) -> dict[str, str]:
    """Half of the servers die at a place in their writing, without being told to."""
    if rng.random() < 0.5:
        return {}
    return {"KEYPEG_FAILPOINT": f"{rng.choice(failpoints.NAMES)}:{rng.randint(1, 40)}"}


async def read_back(
    database: str, history: History
) -> tuple[dict[str, list[Entry]], dict[str, Card]]:
    """The logs and cards of the tables that were played at."""
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    try:
        names = {op.table for op in history.ops} | {key[0] for key in history.seen}
        return {name: await log.read(name) for name in names}, await log.cards()
    finally:
        await log.close()
