"""Connections in odd states: none is kept for ever, and none keeps the others from their end."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.clients.sockets import PATIENCE, greeted, seated
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.server import connections
from keypeg.server.connections import GuardedSocket

pytestmark = pytest.mark.anyio

UPGRADE = (
    b"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
UNREADABLE = [
    (b"POST /api/live", b"Content-Length: 3\r\n", 400),
    (b"GET /api/live", b"Content-Length: 3\r\n", 400),
    (b"GET /api/live", b"Transfer-Encoding: chunked\r\n", 411),
    (b"GET /api/live", b"".join(b"X%d: 1\r\n" % number for number in range(300)), 431),
    (b"GET /api/live", b"X: " + b"a" * 9_000 + b"\r\n", 400),
    (b"GET /api/live?" + b"a" * 9_000, b"", 400),
]
CLOSE = b"\x88\x82\0\0\0\0\x03\xe8"
BINARY = b"\x82\x81\0\0\0\0x"
goodbyes = pytest.mark.parametrize("last", [CLOSE, BINARY], ids=["close", "binary"])


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The loop that servers run on."""
    return "asyncio", {"use_uvloop": True}


@pytest.mark.parametrize(("line", "headers", "status"), UNREADABLE, ids=range(len(UNREADABLE)))
async def test_a_handshake_that_cannot_be_read_is_refused_and_closed(
    tmp_path: Path, line: bytes, headers: bytes, status: int
) -> None:
    async with running(tmp_path) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(line + b" HTTP/1.1\r\n" + UPGRADE + headers + b"\r\n")
        async with asyncio.timeout(PATIENCE):
            assert (await reader.read()).startswith(b"HTTP/1.1 %d " % status)
        writer.close()


async def test_one_connection_that_cannot_be_closed_in_peace_keeps_no_other_from_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncExitStack() as clients:
        async with running(tmp_path) as server, Client(server.url) as client:
            one, _ = await seated(client)
            watching = client.watch(one.table)
            sockets = []
            for _ in range(8):
                sockets.append(await clients.enter_async_context(greeted(server.port, watching)))
                await sockets[-1].hear_a(wire.Present)
            broken = protocols(server)[:4]
            for protocol in broken:
                # It cannot say goodbye any more.
                protocol.conn.send_eof()
                protocol.conn.send_close(1000)
        codes = sorted([await one.closed() for one in sockets])
        assert codes == [1006] * len(broken) + [1012] * (8 - len(broken))
    assert "could not be closed cleanly" in caplog.text


@pytest.mark.parametrize("line", [b"GET /healthz", b"POST /api/tables", b"POST /api/nothing"])
async def test_a_body_in_pieces_is_refused_before_a_piece_is_read(
    tmp_path: Path, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Thousands of pieces of one byte would take seconds."""
    head = line + b" HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with running(tmp_path) as server:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(head + b"1\r\nx\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 411 ")
        writer.close()
        await writer.wait_closed()
    assert not faults
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@asynccontextmanager
async def unread(
    server: Running, client: Client
) -> AsyncIterator[tuple[socket.socket, GuardedSocket]]:
    """A socket whose peer does not read, with something left to be sent."""
    loop = asyncio.get_running_loop()
    one, _ = await seated(client)
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        peer.connect(("127.0.0.1", server.port))
        peer.settimeout(0)
        async with asyncio.timeout(PATIENCE):
            await loop.sock_sendall(peer, b"GET /api/live HTTP/1.1\r\n" + UPGRADE + b"\r\n")
            await loop.sock_recv(peer, 1024)
        hello = json.dumps({"type": "hello", "ticket": await one.ticket(), "seq": 2}).encode()
        await loop.sock_sendall(peer, bytes([0x81, 0x80 | len(hello)]) + b"\0\0\0\0" + hello)
        async with asyncio.timeout(PATIENCE):
            while not protocols(server):
                await asyncio.sleep(0.01)
            [protocol] = protocols(server)
            ours = protocol.transport.get_extra_info("socket")
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
            while not protocol.transport.get_write_buffer_size():
                await loop.sock_sendall(peer, b"\x89\xfd\0\0\0\0" + b"x" * 125)
                await asyncio.sleep(0.001)
        yield peer, protocol


def protocols(server: Running) -> list[GuardedSocket]:
    return [session._socket._send.__self__ for session in server.application.live._sessions]  # type: ignore[attr-defined]


@goodbyes
async def test_a_socket_that_is_closed_is_not_kept_by_a_peer_that_never_reads(
    tmp_path: Path, last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CLOSE_SECONDS", 0.05)
    async with (
        running(tmp_path) as server,
        Client(server.url) as client,
        unread(server, client) as (peer, protocol),
    ):
        await asyncio.get_running_loop().sock_sendall(peer, last)
        async with asyncio.timeout(PATIENCE):
            while not protocol.disconnected:
                await asyncio.sleep(0.01)


@goodbyes
async def test_a_server_ends_in_peace_while_a_peer_does_not_read_its_goodbye(
    tmp_path: Path,
    last: bytes,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(connections, "CLOSE_SECONDS", 3600.0)
    async with AsyncExitStack() as peers:
        async with running(tmp_path) as server, Client(server.url) as client:
            peer, protocol = await peers.enter_async_context(unread(server, client))
            await asyncio.get_running_loop().sock_sendall(peer, last)
            async with asyncio.timeout(PATIENCE):
                while not protocol.transport.is_closing():
                    await asyncio.sleep(0.01)
            assert protocol.transport.get_write_buffer_size()
        assert protocol.disconnected
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
