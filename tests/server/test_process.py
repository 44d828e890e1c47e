"""The process: a start that fails says why in one line, an end is orderly and quick."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import resource
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import OperationalError
from websockets.exceptions import ConnectionClosed

from harness.clients.sockets import Raw, greeted, seated
from harness.databases import postgresql_address
from harness.programs import read_line, run
from harness.servers.in_process import running
from harness.servers.processes import ServerProcess
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.server.process import bind
from keypeg.store import engines
from keypeg.store.errors import Broken
from keypeg.store.transactions import SqliteTransactions
from tests.store.entries import WAITING, opened

LIMIT = 60.0
"""Seconds in which anything that is waited for must come, on the slowest of machines."""
QUICK = 30.0
"""Seconds for an end that takes five at the most on a free processor: more would be a hang."""
SERVE = (sys.executable, "-m", "harness.servers.program", "serve")


def keypeg(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness.servers.program", *arguments]
    return run(command, env={**os.environ, **environment})


def refused(done: subprocess.CompletedProcess[str], status: int = 1) -> str:
    """The one line of a start that failed."""
    assert done.returncode == status, done.stderr
    assert done.stderr.startswith("keypeg: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def database(folder: Path) -> str:
    return f"sqlite:///{folder}/keypeg.db"


def ended(server: ServerProcess) -> int:
    """The status of a server that is told to end, and does so quickly."""
    began = time.monotonic()
    status = server.stop()
    took = time.monotonic() - began
    assert took < QUICK, f"{took:.0f} s to end: {server.log.read_text()[-2000:]}"
    return status


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        line = refused(keypeg("serve", "--port", port, "--database", database(tmp_path)))
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in line


@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("sqlite:////proc/nowhere/keypeg.db", 1, "cannot open the database"),
        (
            "postgresql://keypeg:hunter2@127.0.0.1:1/keypeg",
            1,
            "PostgreSQL at 127.0.0.1:1 refused the connection",
        ),
        ("mysql://x", 2, "the database address is not valid"),
    ],
)
def test_a_database_that_cannot_be_reached_is_said_in_one_line(
    address: str, status: int, reason: str
) -> None:
    done = keypeg("serve", "--port", "0", "--database", address, KEYPEG_KEY="00" * 32)
    line = refused(done, status)
    assert reason in line
    assert "hunter2" not in line


def test_a_database_of_a_newer_program_is_said_in_one_line(tmp_path: Path) -> None:
    assert "newer" in refused_after("UPDATE alembic_version SET version_num = '9999'", tmp_path)


def test_a_beat_that_cannot_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    change = "INSERT OR REPLACE INTO facts VALUES ('last-beat', CAST('x' AS BLOB))"
    assert "last-beat is not a time" in refused_after(change, tmp_path)


def refused_after(change: str, folder: Path) -> str:
    """What `keypeg serve` says of its database after something was changed in it."""
    with ServerProcess(database(folder), folder) as server:
        server.stop()
    with contextlib.closing(sqlite3.connect(folder / "keypeg.db")) as connection, connection:
        connection.execute(change)
    return refused(keypeg("serve", "--port", "0", "--database", database(folder)))


@pytest.mark.parametrize("setting", ["KEYPEG_PORT=eighty", "KEYPEG_ORIGINS=*"])
def test_a_setting_that_makes_no_sense_is_said_in_one_line(setting: str) -> None:
    name, _, value = setting.partition("=")
    refused(keypeg("serve", **{name: value}), 2)


def test_help_loads_no_server() -> None:
    listed = run([sys.executable, "-X", "importtime", "-c", "import keypeg.cli"])
    assert listed.returncode == 0
    for slow in ("litestar", "uvicorn", "sqlalchemy", "numba", "httpx", "asyncio"):
        assert f" {slow}\n" not in listed.stderr


@pytest.mark.anyio
async def test_sigterm_answers_what_was_begun_and_closes_with_1012(tmp_path: Path) -> None:
    """Under load: every command is answered or its socket closed before it was taken."""
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client:
            one, two = await seated(client, board="4x6/99", games=100)
            async with one.connect() as maker:
                await maker.set_secret((1, 2, 3, 4))
            async with greeted(server.port, two) as breaker:
                answered = []
                await breaker.hear_a(wire.Present)
                for number in range(30):
                    await breaker.say(wire.Guess(id=f"g{number}", code=(5, 5, 6, 6)))
                stopping = asyncio.create_task(asyncio.to_thread(ended, server))
                with contextlib.suppress(ConnectionClosed):
                    async for frame in breaker.socket:
                        message = json.loads(frame)
                        if message["type"] == "ack":
                            answered.append(message["seq"])
                        elif message["type"] == "refused":
                            assert message["code"] == "unavailable"
                assert await breaker.closed() == 1012
                assert await stopping == 0
        server.start()
        async with Client(server.url) as client:
            seen = await client.watch(one.table).look()
        assert len(seen.games[0].rows) == len(answered)
        assert answered == [*range(4, 4 + len(answered))]
        assert '"level": "error"' not in server.log.read_text()


def test_a_server_that_is_ready_says_so_in_json(tmp_path: Path, postgresql: Any) -> None:
    addresses = [database(tmp_path), postgresql_address(postgresql)]
    for address, kind in zip(addresses, ("sqlite", "postgresql"), strict=True):
        process = subprocess.Popen(
            [*SERVE, "--json", "--port", "0", "--database", address],
            env={**os.environ, "KEYPEG_KEY": "00" * 32},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        ready = json.loads(read_line(process))
        assert sorted(ready) == ["database", "network", "url"]
        assert ready["database"] == kind
        assert httpx.get(f"{ready['url']}healthz").json()["status"] == "ok"
        process.terminate()
        assert process.communicate(timeout=LIMIT)[0] == b""
        assert process.returncode == 0


class Busy:
    """A breaker who guesses on as soon as the last guess is answered, until the socket closes."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.acknowledged: list[int] = []
        self.refused: list[str] = []
        self.sent = 0

    async def play(self, port: int, at_once: int) -> int:
        async with greeted(port, self.player) as socket:
            for _ in range(at_once):
                await self._guess(socket)
            with contextlib.suppress(ConnectionClosed):
                async for frame in socket.socket:
                    message = json.loads(frame)
                    if message["type"] == "ack":
                        self.acknowledged.append(message["seq"])
                        await self._guess(socket)
                    elif message["type"] == "refused":
                        self.refused.append(message["code"])
            return await socket.closed()

    async def _guess(self, socket: Raw) -> None:
        self.sent += 1
        await socket.say(wire.Guess(id=f"g{self.sent}", code=(5, 5, 6, 6)))


@pytest.mark.anyio
async def test_sigterm_under_load_leaves_no_command_in_doubt(tmp_path: Path) -> None:
    """What was not answered when the socket closed was not done: no outcome is unknown."""
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client:
            pairs = [await seated(client, board="4x6/99", games=100) for _ in range(8)]
            for one, _ in pairs:
                async with one.connect() as maker:
                    await maker.set_secret((1, 2, 3, 4))
            breakers = [Busy(two) for _, two in pairs]
            playing = [asyncio.create_task(one.play(server.port, 4)) for one in breakers]
            async with asyncio.timeout(LIMIT):
                while min(len(one.acknowledged) for one in breakers) < 5:
                    await asyncio.sleep(0.01)
            assert await asyncio.to_thread(ended, server) == 0
            assert await asyncio.gather(*playing) == [1012] * len(breakers)
        server.start()
        async with Client(server.url) as client:
            for breaker in breakers:
                seen = await client.watch(breaker.player.table).look()
                assert breaker.acknowledged == [*range(4, seen.status.seq + 1)]
                assert len(seen.games[0].rows) == len(breaker.acknowledged)
                assert set(breaker.refused) <= {"unavailable"}
        assert '"level": "error"' not in server.log.read_text()


@pytest.mark.anyio
async def test_a_database_that_hangs_does_not_keep_the_server_from_ending(
    tmp_path: Path, postgresql: Any
) -> None:
    """Stopped, not gone: connections stay open and nothing comes back."""
    address = await asyncio.to_thread(postgresql_address, postgresql)
    with ServerProcess(address, tmp_path, KEYPEG_KEY="00" * 32) as server:
        async with Client(server.url) as client:
            one, _ = await seated(client)
            async with greeted(server.port, one) as socket:
                await socket.hear_a(wire.Present)
                with stopped(postgresql.get_postmaster_info().process.pid):
                    await socket.say(wire.SetSecret(id="s", code=(1, 2, 3, 4)))
                    assert await asyncio.to_thread(ended, server) == 0
                assert await socket.closed() == 1012


@pytest.mark.anyio
async def test_a_request_under_way_when_the_server_ends_is_told_that_it_may_be_repeated(
    tmp_path: Path,
) -> None:
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client, httpx.AsyncClient(base_url=server.url) as asking:
            one, _ = await seated(client)
            holder = await hold(tmp_path / "keypeg.db")
            path, told = (
                f"/api/tables/{one.table}/commands",
                {"authorization": f"Bearer {one.token}"},
            )
            secret = {"type": "set-secret", "id": "s", "code": [1, 2, 3, 4]}
            idle = await tasks(asking)
            request = asyncio.create_task(asking.post(path, json=secret, headers=told, timeout=30))
            async with asyncio.timeout(LIMIT):
                while await tasks(asking) == idle:
                    await asyncio.sleep(0.01)
            assert await asyncio.to_thread(ended, server) == 0
            answer = await request
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            await let_go(holder)
    assert "Exception" not in server.log.read_text()


async def tasks(asking: httpx.AsyncClient) -> float:
    """How much a server is at, this question included."""
    found = re.search(r"^keypeg_tasks (\S+)$", (await asking.get("/metrics")).text, re.MULTILINE)
    assert found is not None
    return float(found[1])


@pytest.mark.anyio
async def test_a_terminal_that_is_closed_ends_the_server_in_order(tmp_path: Path) -> None:
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client:
            one, _ = await seated(client)
            async with greeted(server.port, one) as socket:
                await socket.hear_a(wire.Present)
                assert await asyncio.to_thread(server.stop, signal.SIGHUP) == 0
                assert await socket.closed() == 1012


def test_a_server_keeps_ignoring_what_it_was_started_to_ignore(tmp_path: Path) -> None:
    """As `nohup` does with SIGHUP, and a script's shell with SIGINT for what it starts by &."""
    server = ServerProcess(database(tmp_path), tmp_path)
    server.prefix = ("sh", "-c", """trap '' HUP INT; exec "$@" """, "sh")
    with server:
        os.kill(server.pid, signal.SIGHUP)
        os.kill(server.pid, signal.SIGINT)
        assert {signal.SIGHUP, signal.SIGINT} <= ignored(server.pid)
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert server.stop() == 0


def ignored(pid: int) -> set[int]:
    """The signals that never reach a process."""
    found = re.search(r"SigIgn:\s+(\w+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return {sign for sign in signal.Signals if int(found[1], 16) >> (sign - 1) & 1}


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process and its children, standing still."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    family = [pid, *map(int, children)]
    for member in family:
        os.kill(member, signal.SIGSTOP)
    try:
        yield
    finally:
        for member in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGCONT)


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.anyio
async def test_a_database_that_another_program_holds_is_unavailable_until_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pragmas = ("busy_timeout = 200", *engines._PRAGMAS[1:])
    monkeypatch.setattr(engines, "_PRAGMAS", pragmas)
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        holder = await hold(tmp_path / "keypeg.db")
        async with greeted(server.port, one) as socket:
            secret = wire.SetSecret(id="s", code=(1, 2, 3, 4))
            await socket.say(secret)
            refused = await socket.hear_a(wire.Refused)
            assert refused.code == "unavailable"
            assert "another program has locked it" in refused.message
            # Nothing was done, and looking at the table needs no write.
            assert (await two.look()).status.seq == 2
            await let_go(holder)
            await socket.say(secret)
            assert (await socket.hear_a(wire.Ack)).seq == 3


async def hold(path: Path) -> subprocess.Popen[bytes]:
    """A program that has locked a SQLite file, until its input ends."""
    holder = subprocess.Popen(
        [sys.executable, "-I", "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert await asyncio.to_thread(read_line, holder) == b"held\n"
    return holder


async def let_go(holder: subprocess.Popen[bytes]) -> None:
    await asyncio.to_thread(holder.communicate, timeout=LIMIT)


@pytest.mark.anyio
async def test_health_is_degraded_from_a_failed_write_to_the_next_that_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pragmas = ("busy_timeout = 200", *engines._PRAGMAS[1:])
    monkeypatch.setattr(engines, "_PRAGMAS", pragmas)
    async with (
        running(tmp_path) as server,
        Client(server.url) as client,
        httpx.AsyncClient(base_url=server.url) as asking,
    ):
        _, two = await seated(client)
        holder = await hold(tmp_path / "keypeg.db")
        assert (await asking.get("/healthz")).json()["status"] == "ok"
        refused = await asking.post("/api/tables", json={"name": "Eve"})
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert "another program has locked it" in refused.json()["message"]
        unwell = await asking.get("/healthz")
        assert (unwell.status_code, unwell.json()["code"]) == (503, "degraded")
        assert "another program has locked it" in unwell.json()["message"]
        assert (await two.look()).status.seq == 2
        await let_go(holder)
        # Nobody writes anything but the server itself.
        async with asyncio.timeout(LIMIT):
            while (await asking.get("/healthz")).status_code != 200:
                await asyncio.sleep(0.05)


@pytest.mark.anyio
async def test_a_broken_disk_ends_the_server_whoever_finds_it_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed write nobody can say what is on disk: here it was the server's heartbeat."""
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorname = "SQLITE_IOERR_FSYNC"

    async def failing(*_: object) -> None:
        raise OperationalError("", None, fault)

    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with greeted(server.port, one) as socket:
            await socket.hear_a(wire.Present)
            monkeypatch.setattr(SqliteTransactions, "run", failing)
            with pytest.raises(Broken):
                await server.application.services.log.heartbeat(0)
            monkeypatch.undo()
            with pytest.raises(Broken):
                await server.application.services.log.append("t", opened(), WAITING)
            assert await socket.closed() == 1012


@pytest.mark.anyio
async def test_the_health_check_says_that_the_database_was_deleted(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as asker:
        assert (await asker.get("/healthz")).status_code == 200
        (tmp_path / "keypeg.db").unlink()
        answer = await asker.get("/healthz")
        assert answer.status_code == 503
        assert "keypeg.db was deleted or replaced" in answer.json()["message"]


def test_a_server_whose_database_was_deleted_ends_though_nobody_plays(tmp_path: Path) -> None:
    with ServerProcess(database(tmp_path), tmp_path) as server:
        (tmp_path / "keypeg.db").unlink()
        assert server.wait() == 1
    said = server.log.read_text()
    assert "keypeg.db was deleted or replaced" in said
    assert "the database is broken; nothing more can be acknowledged" in said


@pytest.mark.anyio
async def test_a_peer_that_sends_and_never_reads_costs_little_memory(tmp_path: Path) -> None:
    """Pings by the hundred thousand, whose answers are never read."""
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client:
            one, two = await seated(client)
            ticket = await one.ticket()
            before = resident(server.pid)
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
            writer.write(
                b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            )
            async with asyncio.timeout(LIMIT):
                await reader.readuntil(b"\r\n\r\n")
            hello = json.dumps({"type": "hello", "ticket": ticket}).encode()
            writer.write(bytes([0x81, 0x80 | len(hello)]) + b"\0\0\0\0" + hello)
            ping = bytes([0x89, 0x80 | 125]) + b"\0\0\0\0" + b"x" * 125
            with contextlib.suppress(TimeoutError, ConnectionError):
                for _ in range(300):
                    async with asyncio.timeout(1):
                        writer.write(ping * 1000)
                        await writer.drain()
            assert resident(server.pid) - before < 5 * 1024
            async with two.connect() as other:
                assert other.status.seq == 2
            writer.transport.abort()


HALF_OPEN = 2_000


@pytest.mark.anyio
async def test_half_open_handshakes_by_the_thousand_disturb_no_game(tmp_path: Path) -> None:
    """They are hung up on, and all that they held is given back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * HALF_OPEN)), hard))
    with ServerProcess(database(tmp_path), tmp_path) as server:
        async with Client(server.url) as client:
            one, two = await seated(client, board="4x6/99")
            async with one.connect() as maker, two.connect() as breaker:
                await maker.set_secret((1, 2, 3, 4))
                base = open_files(server.pid)
                opening = (half_open(server.port) for _ in range(HALF_OPEN))
                strangers = await asyncio.gather(*opening)
                assert open_files(server.pid) > base + HALF_OPEN // 4
                for _ in range(20):
                    await breaker.guess((5, 5, 6, 6))
                async with asyncio.timeout(LIMIT):
                    for reader, writer in strangers:
                        assert await reader.read() == b""
                        writer.close()
                    while open_files(server.pid) > base:
                        await asyncio.sleep(0.05)
                await breaker.guess((5, 5, 6, 6))
                await maker.wait_for(lambda: maker.seq == 24)
        assert '"level": "error"' not in server.log.read_text()


async def half_open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A handshake that stops before its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n")
    return reader, writer


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.anyio
async def test_short_answers_are_sent_at_once() -> None:
    """Whatever the event loop: Nagle's algorithm would hold them back by 40 ms."""
    delayed: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def met(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        delayed.set_result(not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(met, sock=bind("127.0.0.1", 0)) as server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with asyncio.timeout(LIMIT):
            assert not await delayed
        writer.close()


def test_a_server_takes_as_many_open_files_as_it_may(tmp_path: Path) -> None:
    command = f"ulimit -Sn 256; exec {shlex.join(SERVE)} --port 0 --database {database(tmp_path)}"
    process = subprocess.Popen(
        ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert read_line(process)
    soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    process.terminate()
    process.communicate(timeout=LIMIT)
    assert soft == hard > 256


def resident(pid: int) -> int:
    """Memory of a process, in KiB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])
