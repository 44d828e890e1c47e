"""Real servers for the tests: in this process on a free port, or as a process of their own."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket

from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.rules.series import Seat
from keypeg.server.app import Application, open_application
from keypeg.server.process import Server, bind
from keypeg.server.security import own_origins
from keypeg.server.settings import Settings
from keypeg.server.solver_worker import Solver
from tests.ports import Port
from tests.server.forked import ForkedServer, SpawnedServer

ROOMY = {
    "requests_per_second": 10_000.0,
    "requests_at_once": 10_000,
    "tables_per_minute": 100_000.0,
    "tables_at_once": 10_000,
    "messages_per_second": 10_000.0,
    "messages_at_once": 10_000,
    "spectator_messages_per_second": 10_000.0,
    "sockets_per_address": 5_000,
    "thinking_seconds": 300.0,
}
"""Limits that no test runs into by accident; tests of limits set their own."""
PATIENCE = 60.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""

_told = msgspec.json.Decoder(wire.ClientOut)


class Running:
    """A server in this process."""

    def __init__(self, application: Application, port: int) -> None:
        self.application = application
        self.port = port
        self.url = f"http://127.0.0.1:{port}"


@asynccontextmanager
async def running(
    database: Path | str, solver: Solver | None = None, /, **settings: Any
) -> AsyncIterator[Running]:
    """A real server on real sockets, with its own database."""
    address = database if isinstance(database, str) else f"sqlite:///{database}/keypeg.db"
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    told = Settings(port=port, database=address, **{**ROOMY, **settings})
    application = await open_application(told, own_origins("127.0.0.1", port), solver)
    server = Server(application, told)
    serving = asyncio.create_task(server._serve([listening]))
    try:
        async with asyncio.timeout(PATIENCE):
            while not server.started:
                await asyncio.sleep(0.005)
        yield Running(application, port)
    finally:
        server.should_exit = True
        await serving
        await application.close()


class Raw:
    """A socket that says exactly what it is told to."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, message: str | bytes | msgspec.Struct) -> None:
        text = message if isinstance(message, str | bytes) else msgspec.json.encode(message)
        await self.socket.send(text if isinstance(message, bytes) else _text(text))

    async def hear(self) -> wire.ClientOut:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            heard: wire.ClientOut = _told.decode(await self.socket.recv())
        return heard

    async def hear_a(self, kind: type[Any]) -> Any:
        """The next message of a kind, whatever comes before it."""
        while True:
            heard = await self.hear()
            if isinstance(heard, kind):
                return heard

    async def closed(self, seconds: float | None = None) -> int:
        """The code that the server closes the socket with."""
        async with asyncio.timeout(seconds or PATIENCE):
            await self.socket.wait_closed()
        assert self.socket.close_code is not None
        return self.socket.close_code


def _text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.decode()


@asynccontextmanager
async def raw(port: int, **options: Any) -> AsyncIterator[Raw]:
    """A socket that has not said hello."""
    address = f"ws://127.0.0.1:{port}/api/live"
    options = {"compression": None, "proxy": None, "max_size": None, **options}
    async with open_socket(address, **options) as socket:
        yield Raw(socket)


@asynccontextmanager
async def greeted(port: int, player: Player, seq: int | None = None) -> AsyncIterator[Raw]:
    """A socket that has said hello with a good ticket."""
    async with raw(port) as socket:
        ticket = await player.ticket()
        hello = wire.Hello(ticket=ticket) if seq is None else wire.Hello(ticket=ticket, seq=seq)
        await socket.say(hello)
        yield socket


async def seated(client: Client, **settings: Any) -> tuple[Player, Player]:
    """Two people at a new table."""
    one = await client.open_table(name="Ann", **settings)
    return one, await client.take_seat(one.table, Seat.TWO, "Bob")


class ServerProcess:
    """`keypeg serve` as a process that can be killed and started again on the same port."""

    def __init__(self, database: str, folder: Path, **environment: str) -> None:
        self.database, self.folder = database, folder
        self.environment = environment
        self._port = Port()
        self.port = self._port.number
        self.log = folder / "server.log"
        self._process: ForkedServer | SpawnedServer | None = None
        self.prefix: tuple[str, ...] = ()
        """A program to run it under."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._started.program.pid

    @property
    def _started(self) -> ForkedServer | SpawnedServer:
        assert self._process is not None
        return self._process

    def start(self, **environment: str) -> None:
        limits = {f"KEYPEG_{name.upper()}": str(value) for name, value in ROOMY.items()}
        arguments = ["serve", "--port", str(self.port), "--database", self.database]
        told = {**limits, **self.environment, **environment}
        self.let_go()
        if self.prefix:
            self._process = SpawnedServer(self.prefix, arguments, told, self.log)
        else:
            self._process = ForkedServer(arguments, told, self.log)
        try:
            announced = self._process.announced()
            assert announced.startswith("keypeg: http"), self.log.read_text()[-2000:]
        except BaseException:
            self.let_go()
            raise

    @property
    def alive(self) -> bool:
        return self._started.program.poll() is None

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, sign: int = signal.SIGTERM) -> int:
        self._started.program.send_signal(sign)
        return self.wait()

    def wait(self) -> int:
        code = self._started.ends()
        self._started.close()
        return code

    def __enter__(self) -> ServerProcess:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        """Kill it if it runs, and keep nothing of it open."""
        if self._process is not None:
            self._process.kill()
