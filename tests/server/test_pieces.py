"""What is sent a byte at a time is cut off; what comes whole is not, nor a player's few pieces."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from harness.clients.light import Http, Socket, connect, new_table, new_ticket
from harness.clients.sockets import PATIENCE
from harness.servers.in_process import Running, running
from keypeg.server import budget, connections
from keypeg.server.budget import Budget, RequestKind
from tests.server.test_frames import MASK

pytestmark = pytest.mark.anyio
Patch = pytest.MonkeyPatch
PAUSE = 0.005
MANY, FEW = 2_000, 40
"""Bytes: more than are needed if some arrive together, and enough to be cut off."""
PING = b'{"type":"ping"}'
FRAME = bytes([0x81, 0x80 | len(PING)]) + MASK + PING
LONG = b"\x81\xfe" + (4000).to_bytes(2, "big") + MASK
HEAD = b"GET /api/choices HTTP/1.1\r\nHost: localhost\r\nx: "
POST = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n"


@pytest.fixture(autouse=True)
def _few_pieces(monkeypatch: Patch) -> None:
    monkeypatch.setattr(budget, "PIECES", RequestKind("pieces", "", 0.0))
    monkeypatch.setattr(connections, "OWN_PIECES_AT_ONCE", 3.0)
    monkeypatch.setattr(connections, "OWN_PIECES_PER_SECOND", 0.001)


def count_no_pieces(patch: Patch) -> None:
    patch.setattr(Budget, "takes_piece", lambda _self, _network: True)


async def drip(transport: asyncio.WriteTransport, most: int) -> bool:
    """Send this many bytes, each by itself; whether the server had enough before."""
    for _ in range(most):
        if transport.is_closing():
            return True
        transport.write(b"x")
        await asyncio.sleep(PAUSE)
    return False


async def dripped(server: Running, first: bytes, most: int) -> bool:
    gone = asyncio.get_running_loop().create_future()

    class Peer(asyncio.Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            gone.set_result(None)

    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_connection(Peer, "127.0.0.1", server.port)
    transport.write(first)
    try:
        return await drip(transport, most)
    finally:
        transport.abort()
        await gone


async def watcher(server: Running, heard: asyncio.Event, *, seat: bool = False) -> Socket:
    http = Http(server.port, at_once=1)
    [(path, token), _] = await new_table(http)
    ticket = await new_ticket(http, path, token if seat else None)
    http.close()

    def hear(_socket: Socket, text: bytes) -> None:
        if text.startswith((b'{"type":"welcome"', b'{"type":"time"')):
            heard.set()

    socket = await connect(server.port, ticket, hear)
    async with asyncio.timeout(PATIENCE):
        await heard.wait()
    return socket


@pytest.mark.parametrize("defended", [True, False])
@pytest.mark.parametrize("first", [HEAD, POST], ids=["a head", "a body"])
async def test_a_request_in_too_many_pieces_is_cut_off(
    tmp_path: Path, first: bytes, defended: bool, monkeypatch: Patch
) -> None:
    if not defended:
        count_no_pieces(monkeypatch)
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as other:
        assert await dripped(server, first, MANY if defended else FEW) is defended
        # Who sends whole requests is not in the way, though the address is the same.
        assert (await other.get("/api/choices")).status_code == 200
        if defended:
            assert 'refused_total{limit="pieces"}' in (await other.get("/metrics")).text


@pytest.mark.parametrize("defended", [True, False])
async def test_a_message_in_too_many_pieces_is_cut_off(
    tmp_path: Path, defended: bool, monkeypatch: Patch
) -> None:
    if not defended:
        count_no_pieces(monkeypatch)
    async with running(tmp_path) as server:
        socket = await watcher(server, asyncio.Event())
        socket.transport.write(LONG)
        assert await drip(socket.transport, MANY if defended else FEW) is defended
        assert socket.closed_with == (1008 if defended else None)
        socket.transport.abort()


async def test_a_player_may_send_a_few_pieces_whatever_others_at_the_address_do(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as server:
        assert await dripped(server, HEAD, MANY)
        heard = asyncio.Event()
        socket = await watcher(server, heard, seat=True)
        heard.clear()
        socket.transport.write(FRAME[:9])
        await asyncio.sleep(PAUSE)
        socket.transport.write(FRAME[9:])
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
        socket.transport.abort()
