"""Garbage is looked for when memory has grown, and not before; refusals leave none."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.clients.sockets import greeted, raw, seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.server.garbage import (
    BLIND_LOOKS,
    GROWTH,
    LEAST_BYTES,
    SOCKET_BYTES,
    Collector,
    resident,
)
from keypeg.table.tokens import new_token
from tests.reference_cycles import errors_in_cycles
from tests.server.test_connections import UNREADABLE, UPGRADE
from tests.store.changes import change


class Circle:
    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def memory() -> Iterator[list[int]]:
    """What memory is said to be; Python's own collector is as before in the end."""
    before = gc.get_threshold()
    yield [100 * LEAST_BYTES]
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


def test_garbage_waits_until_memory_has_doubled(memory: list[int]) -> None:
    collector = Collector(lambda: memory[0])
    collector.start()
    assert not gc.isenabled()
    lost = weakref.ref(Circle())
    memory[0] = int(GROWTH * memory[0])
    collector.look()
    assert lost() is not None
    memory[0] += 1
    collector.look()
    assert lost() is None


def test_a_small_server_may_grow_by_more_before_anybody_looks(memory: list[int]) -> None:
    memory[0] = LEAST_BYTES // 2
    collector = Collector(lambda: memory[0])
    collector.start()
    lost = weakref.ref(Circle())
    memory[0] += LEAST_BYTES
    collector.look()
    assert lost() is not None
    memory[0] += 1
    collector.look()
    assert lost() is None


def test_a_server_that_has_shrunk_has_less_to_grow_by(memory: list[int]) -> None:
    collector = Collector(lambda: memory[0])
    collector.start()
    memory[0] = LEAST_BYTES
    collector.look()
    lost = weakref.ref(Circle())
    memory[0] = 2 * LEAST_BYTES + 1
    collector.look()
    assert lost() is None


def test_memory_that_open_sockets_use_is_not_growth(memory: list[int]) -> None:
    sockets = 0
    collector = Collector(lambda: memory[0], lambda: sockets)
    collector.start()
    lost = weakref.ref(Circle())
    sockets = 10_000
    memory[0] = int(GROWTH * memory[0]) + 10_000 * SOCKET_BYTES
    collector.look()
    assert lost() is not None
    sockets = 9_999
    collector.look()
    assert lost() is None


def test_where_memory_cannot_be_measured_python_collects(memory: list[int]) -> None:
    before = gc.get_threshold()
    collector = Collector(lambda: None)
    collector.start()
    assert gc.isenabled()
    lost = weakref.ref(Circle())
    for _ in range(BLIND_LOOKS):
        collector.look()
    assert lost() is not None
    assert gc.get_threshold() > before


def test_memory_that_cannot_be_measured_any_more_is_looked_through_now_and_then(
    memory: list[int],
) -> None:
    known: list[int | None] = [LEAST_BYTES]
    collector = Collector(lambda: known[0])
    collector.start()
    known[0] = None
    lost = weakref.ref(Circle())
    for _ in range(BLIND_LOOKS - 1):
        collector.look()
    assert lost() is not None
    collector.look()
    assert lost() is None


def test_memory_is_measured_here() -> None:
    assert (resident() or 0) > 2**20


TIMES = 3
GUESS = {"type": "guess", "id": "g", "code": [1, 1, 2, 2]}


async def ask(port: int, method: str, path: str, body: Any = None, token: str = "") -> int:
    """The status of an answer, by a client that leaves no garbage of its own."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    more = f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
    return int((await say(port, (head + more).encode() + data)).split()[1])


async def say(port: int, data: bytes) -> bytes:
    """All that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.anyio
@pytest.mark.parametrize(("seq", "code"), [({}, "not-your-turn"), ({"seq": 1}, "stale")])
async def test_refusals_over_a_socket_leave_nothing_for_the_collector(
    tmp_path: Path, seq: dict[str, int], code: str
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        _, two = await seated(client)
        async with greeted(server.port, two) as socket:
            await socket.hear_a(wire.Present)
            with errors_in_cycles() as found:
                for _ in range(TIMES):
                    await socket.say(wire.Guess(id="g", code=(1, 1, 2, 2), **seq))
                    assert (await socket.hear_a(wire.Refused)).code == code
            assert not found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/nothing", None, 404),
        ("GET", "/api/tables/xxxxxxxxxxxxxxxxxxxxxx", None, 404),
        ("GET", "/api/tables?stage=nothing", None, 400),
        ("GET", "/api/tables/{table}?seat=three", None, 400),
        ("GET", "/api/tables/{table}/record?series=x", None, 400),
        ("GET", "/api/tables/{table}/review?game=0", None, 400),
        ("POST", "/api/tables/{table}/commands?seat=three", GUESS, 400),
        ("POST", "/api/tables/{table}/commands", GUESS, 409),
        ("POST", "/api/tables/{table}/commands", {**GUESS, "seq": 1}, 409),
        ("POST", "/api/tables/{table}/commands", {"type": "nothing"}, 422),
        ("POST", "/api/tables/{table}/seats", {"seat": "two"}, 409),
        ("POST", "/api/hints", {"board": "12x20"}, 409),
    ],
)
async def test_refusals_over_http_leave_nothing_for_the_collector(
    tmp_path: Path, method: str, path: str, body: Any, status: int
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        _, two = await seated(client)
        path = path.format(table=two.table)
        with errors_in_cycles() as found:
            for _ in range(TIMES):
                assert await ask(server.port, method, path, body, two.token or "") == status
        assert not found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/commands", {"type": "guess", "id": "g", "row": 9, "code": [1, 1, 2, 2]}, 409),
        ("/commands", {"type": "challenge", "id": "c"}, 409),
        ("/commands", {"type": "guess", "id": "g", "row": 1, "code": [1, 1, 2, 9]}, 422),
        ("x/commands", {"type": "start", "id": "s"}, 404),
        ("/players", {"name": " "}, 422),
    ],
)
async def test_refusals_at_a_match_leave_nothing_for_the_collector(
    tmp_path: Path, path: str, body: Any, status: int
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        token = new_token()
        match = await client.open_match(token, kind="race")
        await client.match(match.id, new_token()).join()
        with errors_in_cycles() as found:
            for _ in range(TIMES):
                address = f"/api/matches/{match.id}{path}"
                assert await ask(server.port, "POST", address, body, token) == status
        assert not found


@pytest.mark.anyio
async def test_a_match_that_nobody_uses_leaves_memory_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        matches = server.application.services.matches
        match = await client.open_match(new_token(), kind="race")
        async with match.connect():
            live = weakref.ref(await matches.get(match.id))
        rooms = server.application.services.match_rooms
        gc.disable()
        try:
            async with asyncio.timeout(60):
                while rooms:
                    await asyncio.sleep(0.01)
            matches._memory.clear()
            async with asyncio.timeout(60):
                while live() is not None:
                    await asyncio.sleep(0.01)
        finally:
            gc.enable()
        assert (await match.look()).seq == 1


@pytest.mark.anyio
async def test_a_full_disk_leaves_nothing_for_the_collector(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        await change(server.application.services.log, "PRAGMA max_page_count = 1")
        with errors_in_cycles() as found:
            answers = [await ask(server.port, "POST", "/api/tables", {}) for _ in range(20)]
            assert answers[-TIMES:] == [503] * TIMES
        assert not found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("line", "headers"),
    [UNREADABLE[0][:2], UNREADABLE[2][:2], UNREADABLE[-1][:2], (b"PUT /api/live", b"")],
    ids=range(4),
)
async def test_refused_handshakes_leave_nothing_for_the_collector(
    tmp_path: Path, line: bytes, headers: bytes
) -> None:
    async with running(tmp_path) as server:
        with errors_in_cycles() as found:
            for _ in range(TIMES):
                handshake = line + b" HTTP/1.1\r\n" + UPGRADE + headers + b"\r\n"
                assert (await say(server.port, handshake)).startswith(b"HTTP/1.1 4")
        assert not found


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("frame", "code"), [(14 * b"\xff", 1002), (b"\x81\xff" + 8 * b"\xff", 1009)]
)
async def test_frames_that_cannot_be_read_leave_nothing_for_the_collector(
    tmp_path: Path, frame: bytes, code: int
) -> None:
    async with running(tmp_path) as server:
        with errors_in_cycles() as found:
            for _ in range(TIMES):
                async with raw(server.port) as socket:
                    socket.socket.transport.write(frame)
                    assert await socket.closed() == code
        assert not found
