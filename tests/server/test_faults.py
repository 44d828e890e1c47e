"""Killed again and again under random play, the server loses nothing it acknowledged.

Two players and a spectator sit at each of a few tables and play at random: moves that fit,
moves that do not, repeats, stale commands, lost connections. Meanwhile the server is killed
with -9, at random moments and at chosen places in its writing, and started again. What the
clients noted is then held against the log.

KEYPEG_TEST_KILLS sets how often; the default is for every day, a thousand for a long night.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import select
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import WebSocketException

from keypeg.client import Client, Player, Refused, play_series
from keypeg.draw import draw_code, new_id
from keypeg.rules.board import Board
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.server import messages as wire
from keypeg.store import failpoints
from keypeg.store.log import Entry, Stage
from keypeg.store.schema import tables as stored_tables
from keypeg.store.sql import SqlLog
from tests.server.history import History, Op, Outcome, Violation, check
from tests.server.running import ROOMY, seated

pytestmark = pytest.mark.anyio

KILLS = int(os.environ.get("KEYPEG_TEST_KILLS", "8"))
TABLES = 4
KEY = "5a" * 32
BOARD = Board(3, 3, 4)
_told = msgspec.json.Decoder(wire.ClientOut)
_LOST = (OSError, WebSocketException, httpx.TransportError, TimeoutError)


class Nursery:
    """Starts servers in no time, and kills them."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self._database, self._environment = database, environment
        self.log = folder / "server.log"
        self.port, self.pid, self.starts = 0, 0, 0
        with self.log.open("wb") as log:
            self._nurse = subprocess.Popen(
                [sys.executable, "-m", "tests.server.process", "nursery"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def start(self, **environment: str) -> None:
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in ROOMY.items()}
        told = {"KEYPEG_KEY": KEY, "KEYPEG_FAILPOINT": "", **limits, **self._environment}
        arguments = ["serve", "--port", str(self.port), "--database", self._database]
        order = {"arguments": arguments, "environment": {**told, **environment}}
        assert self._nurse.stdin is not None
        assert self._nurse.stdout is not None
        self._nurse.stdin.write(json.dumps(order).encode() + b"\n")
        self._nurse.stdin.flush()
        said = sorted(self._nurse.stdout.readline().decode().strip() for _ in range(2))
        self.pid = int(said[0])
        assert said[1].startswith("keypeg: http"), self.log.read_text()[-2000:]
        self.port = int(said[1].rstrip("/").rpartition(":")[2])
        self.starts += 1

    @property
    def alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    async def end(self, sign: int = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, sign)
        while self.alive:
            await asyncio.sleep(0.005)

    def close(self) -> None:
        assert self._nurse.stdin is not None
        assert self._nurse.stdout is not None
        self._nurse.stdin.close()
        self._nurse.wait(10)
        self._nurse.stdout.close()


@contextmanager
def nursery(database: str, folder: Path, **environment: str) -> Iterator[Nursery]:
    servers = Nursery(database, folder, **environment)
    try:
        servers.start()
        yield servers
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(servers.pid, signal.SIGKILL)
        servers.close()


class Guest:
    """Somebody at a table who plays at random and notes everything."""

    def __init__(self, player: Player, history: History, rng: random.Random) -> None:
        self.player, self.history, self.rng = player, history, rng
        self.sockets = 0
        self.seq = 0
        self.status: wire.Status | None = None
        self.open: dict[str, tuple[Op, str]] = {}
        self.past: list[tuple[Op, str]] = []

    async def play(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            with contextlib.suppress(Refused, *_LOST):
                async with self.socket() as socket:
                    await asyncio.gather(self.listen(socket), self.act(socket, stop))
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[ClientConnection]:
        ticket = await self.player.ticket()
        address = self.player.client.url.replace("http", "ws", 1) + "/api/live"
        async with asyncio.timeout(5):
            socket = await open_socket(address, compression=None, proxy=None, close_timeout=0.2)
        try:
            self.sockets += 1
            key = (self.player.table, self.player.seat, self.sockets)
            self.history.resumed_at[key] = self.seq
            self.seen = self.history.seen[key] = []
            await socket.send(_text(wire.Hello(ticket=ticket, seq=self.seq)))
            yield socket
        finally:
            await socket.close()

    async def listen(self, socket: ClientConnection) -> None:
        try:
            async for frame in socket:
                self.hear(_told.decode(frame))
        finally:
            await socket.close()

    def hear(self, message: wire.ClientOut) -> None:
        match message:
            case wire.Welcome():
                self.status = message.status
            case wire.Missed():
                self.seen.extend(message.entries)
            case wire.Update():
                self.seen.append(message.entry)
                self.status = message.status
            case wire.Ack():
                self.settle(message.id, Outcome.OK, message.seq)
            case wire.Refused(code="unavailable"):
                pass
            case wire.Refused():
                self.settle(message.id, Outcome.FAILED, None, message.code)
            case _:
                pass
        if self.seen:
            self.seq = self.seen[-1].seq

    def settle(self, id_: str, outcome: Outcome, seq: int | None, code: str = "") -> None:
        op, text = self.open.get(id_, (None, ""))
        if op is None:
            return
        op.copies -= 1
        if outcome is Outcome.FAILED and op.copies:
            return
        op.outcome, op.seq, op.code, op.answered = outcome, seq, code, time.monotonic()
        del self.open[id_]
        if outcome is Outcome.OK:
            self.past.append((op, text))

    async def send(self, socket: ClientConnection, op: Op, text: str) -> None:
        """Send a copy; one that is lost with its socket is never answered, and never forgotten."""
        op.copies += 1
        op.sent_again_utc = time.time_ns() // 1_000_000
        await socket.send(text)

    @property
    def wanted(self) -> bool:
        """Whether the table waits for this guest, or for anybody to go on."""
        status, seat = self.status, self.player.seat
        return status is not None and (status.turn is seat or status.phase is Phase.OVER)

    async def act(self, socket: ClientConnection, stop: asyncio.Event) -> None:
        """Send one thing after another until the socket is lost, or thrown away on purpose."""
        while not stop.is_set() and self.player.seat is not None:
            await asyncio.sleep(self.rng.uniform(0, 0.02))
            whim = self.rng.random()
            if whim < 0.02:
                await socket.close()
            elif whim < 0.15 and self.past:
                await socket.send(self.rng.choice(self.past)[1])
            elif self.open and whim < 0.3:
                await self.send(socket, *self.rng.choice(list(self.open.values())))
            elif self.status is not None and (self.wanted or whim > 0.9):
                await self.send_new(socket, self.player.seat, self.status)
        if self.player.seat is None:
            await stop.wait()
        await socket.close()

    async def send_new(self, socket: ClientConnection, seat: Seat, status: wire.Status) -> None:
        id_ = new_id()
        behind = self.rng.randint(0, 2)
        stale = {"seq": max(0, status.seq - behind)} if self.rng.random() < 0.2 else {}
        text = _text(self.command(id_, seat, status, stale))
        op = Op(self.player.table, seat, id_, time.monotonic())
        self.history.ops.append(op)
        self.open[id_] = (op, text)
        await self.send(socket, op, text)

    def command(self, id_: str, seat: Seat, status: wire.Status, more: Any) -> wire.CommandIn:
        phase = status.phase
        if self.rng.random() < 0.1:
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


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


async def play_and_kill(servers: Nursery, kills: int, rng: random.Random) -> History:
    """Play at random through many deaths of the server."""
    history, stop = History(), asyncio.Event()
    async with Client(f"http://127.0.0.1:{servers.port}") as client:
        guests = []
        for number in range(TABLES):
            settings = {"board": str(BOARD), "games": 100}
            settings |= {"key_pegs": "by-hand"} if number == 1 else {}
            settings |= {"turn_seconds": 1} if number == 2 else {}
            settings |= {"opponent": "perfect"} if number == 3 else {}
            places = await _places(client, settings)
            guests += [Guest(place, history, random.Random(rng.random())) for place in places]
        playing = [asyncio.create_task(guest.play(stop)) for guest in guests]
        try:
            for _ in range(kills):
                await _until_something_was_done(servers, history, rng.randint(2, 20))
                await servers.end()
                servers.start(**_failpoint(rng))
            await asyncio.sleep(0.5)
            if not servers.alive:
                servers.start()
                await asyncio.sleep(0.5)
        finally:
            stop.set()
            await asyncio.gather(*playing)
    await servers.end(signal.SIGTERM)
    return history


async def _until_something_was_done(servers: Nursery, history: History, moves: int) -> None:
    """Wait for so many acknowledgements, or for the server to die of itself, but not for ever."""
    wanted, deadline = _done(history) + moves, time.monotonic() + 3
    while _done(history) < wanted and servers.alive and time.monotonic() < deadline:
        await asyncio.sleep(0.005)


def _done(history: History) -> int:
    return sum(op.outcome is Outcome.OK for op in history.ops)


async def _places(client: Client, settings: dict[str, Any]) -> list[Player]:
    if "opponent" in settings:
        one = await client.open_table(**settings)
        return [one, client.watch(one.table)]
    one, two = await seated(client, **settings)
    return [one, two, client.watch(one.table)]


def _failpoint(rng: random.Random) -> dict[str, str]:
    """Half of the servers die at a place in their writing, without being told to."""
    if rng.random() < 0.5:
        return {}
    return {"KEYPEG_FAILPOINT": f"{rng.choice(failpoints.NAMES)}:{rng.randint(1, 40)}"}


async def read_back(database: str, history: History) -> tuple[dict[str, list[Entry]], Any]:
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    try:
        names = {op.table for op in history.ops}
        rows = await log._fetch(select(stored_tables))
        stages = {str(row.id): Stage(row.stage) for row in rows}
        return {name: await log.read(name) for name in names}, stages
    finally:
        await log.close()


async def test_nothing_acknowledged_is_lost_however_often_it_is_killed(
    address: str, tmp_path: Path
) -> None:
    rng = random.Random(4)
    with nursery(address, tmp_path) as servers:
        history = await play_and_kill(servers, KILLS, rng)
    logs, stages = await read_back(address, history)
    check(history, logs, stages)
    assert _done(history) > 2 * KILLS
    assert any(op.outcome is Outcome.FAILED for op in history.ops)
    assert len({key[2] for key in history.seen}) > 3
    assert '"exception"' not in servers.log.read_text()


async def test_clients_play_a_series_through_restarts(tmp_path: Path) -> None:
    """Connections are lost again and again; the two clients notice nothing but the time."""

    async def play(player: Player) -> wire.ResultOut:
        # A start may take seconds on a busy machine, and nothing here runs meanwhile.
        async with player.connect(patience=600) as table:
            return await play_series(table, lambda board, _: draw_code(board))

    with nursery(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as servers:
        async with Client(f"http://127.0.0.1:{servers.port}") as client:
            playing = asyncio.gather(*map(play, await seated(client, board="2x4/6", games=40)))
            while not playing.done():
                await asyncio.wait([playing], timeout=0.3)
                sign = random.choice([signal.SIGKILL, signal.SIGTERM])
                await servers.end(sign)
                servers.start()
            one, two = await playing
        assert one == two
        assert servers.starts > 2


async def test_an_acknowledgement_before_the_commit_would_be_noticed(tmp_path: Path) -> None:
    """The same test fails when its defence is switched off."""
    database = f"sqlite:///{tmp_path}/keypeg.db"
    with nursery(database, tmp_path, KEYPEG_TEST_EARLY_ACK="1") as servers:
        for attempt in range(5):
            history = await play_and_kill(servers, 6, random.Random(attempt))
            logs, stages = await read_back(database, history)
            try:
                check(history, logs, stages)
            except Violation:
                return
            servers.start()
    pytest.fail("five runs with early acknowledgements, and nothing was noticed")
