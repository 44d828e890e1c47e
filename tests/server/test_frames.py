"""Frames of every kind are counted, and whoever sends too many is cut off."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from pathlib import Path

import pytest

from harness.clients.light import Http, Socket, connect, new_table, new_ticket
from harness.clients.sockets import PATIENCE
from harness.servers.in_process import Running, running
from keypeg.server import asgi
from keypeg.server.frames import CountedFrames, FrameLimits

pytestmark = pytest.mark.anyio
MASK = b"\0\0\0\0"
SAID = json.dumps({"type": "ping"}).encode()
CLOSE = b"\x88\x82" + MASK + b"\x03\xe8"
BINARY = b"\x82\x81" + MASK + b"x"
KINDS = {
    "text": bytes([0x81, 0x80 | len(SAID)]) + MASK + SAID,
    "ping": b"\x89\x80" + MASK,
    "pong": b"\x8a\x80" + MASK,
    "fragments": b"\x01\x80" + MASK + 30 * (b"\0\x80" + MASK) + b"\x80\x80" + MASK,
}
LIMITS = {"messages_per_second": 0.1, "messages_at_once": 40}


async def spectator(server: Running, *, hello: bool) -> Socket:
    """A socket that is open, and has said hello if it is to."""
    http, heard = Http(server.port, at_once=1), asyncio.Event()
    [(path, _), _] = await new_table(http)
    ticket = await new_ticket(http, path)
    http.close()
    socket = await connect(server.port, ticket, lambda *_: heard.set())
    if not hello:
        socket.say = lambda text: heard.set()  # type: ignore[method-assign]
    async with asyncio.timeout(PATIENCE):
        await heard.wait()
    return socket


async def gone(socket: Socket) -> None:
    async with asyncio.timeout(PATIENCE):
        while not socket.transport.is_closing():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("hello", [True, False], ids=["after the hello", "before it"])
@pytest.mark.parametrize("kind", ["ping", "pong", "fragments", "text"])
async def test_a_flood_of_frames_of_any_kind_is_cut_off(
    tmp_path: Path, kind: str, hello: bool
) -> None:
    async with running(tmp_path, **LIMITS) as server:
        socket = await spectator(server, hello=hello)
        socket.transport.write(300 * KINDS[kind])
        await gone(socket)
        assert socket.closed_with == 1008
        async with asyncio.timeout(PATIENCE):
            while server.application.live._sessions:
                await asyncio.sleep(0.01)


async def test_frames_before_the_handshake_is_answered_end_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, cut = asyncio.Event(), asyncio.Event()
    accept = asgi.Socket.accept

    async def slow(socket: asgi.Socket) -> None:
        asked.set()
        await cut.wait()
        await accept(socket)

    monkeypatch.setattr(asgi.Socket, "accept", slow)
    async with running(tmp_path) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            b"GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
            writer.write(50 * KINDS["pong"])
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
        cut.set()
        writer.close()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "bad",
    [BINARY, b"\x81\x81" + MASK + b"\xff", b"\x01\x81" + MASK + b"{" + 70 * (b"\0\x80" + MASK)],
    ids=["binary", "not UTF-8", "fragments"],
)
async def test_a_bad_frame_and_a_goodbye_in_one_segment_make_no_noise(
    tmp_path: Path, bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with running(tmp_path) as server:
        for last in (bad + CLOSE, CLOSE + bad, KINDS["ping"] + bad + CLOSE):
            socket = await spectator(server, hello=True)
            socket.transport.write(last)
            await gone(socket)
    assert not faults
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_bytes_are_counted_before_anything_is_made_of_them() -> None:
    protocol = CountedFrames(FrameLimits(bytes_per_second=1.0, bytes_at_once=1000))
    protocol.receive_data(b"GET /api/live HTTP/1.1\r\n" + 900 * b"x")
    assert protocol.parser_exc is None
    protocol.receive_data(100 * b"x")
    assert str(protocol.parser_exc) == "too many bytes"
