"""Received means received: a move is judged by when it came, however busy the server is."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import msgspec
import pytest
from websockets.sync.client import connect

from harness.clients.sockets import PATIENCE, seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.server.arrivals import ArrivalClock
from tests.loops import settled

pytestmark = pytest.mark.anyio
SECRET, WRONG = (1, 2, 3, 4), (5, 5, 6, 6)
TURN, SOON, HELD = 1, 0.2, 1.6
"""Seconds of a turn, from its beginning to the move, and that the event loop is held up."""


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Both loops: they look for what has come, and at their clocks, in different orders."""
    return "asyncio", {"use_uvloop": request.param}


Send = Callable[[threading.Event, threading.Event], str]
"""Prepares, sets the first event, waits for the second, plays, and returns the answer."""


def by_socket(url: str, _path: str, _token: str, ticket: str) -> Send:
    def send(ready: threading.Event, go: threading.Event) -> str:
        address = url.replace("http", "ws") + "/api/live"
        with connect(address, compression=None, proxy=None) as socket:
            socket.send(msgspec.json.encode(wire.Hello(ticket=ticket)).decode())
            socket.recv(PATIENCE)
            ready.set()
            go.wait(PATIENCE)
            time.sleep(SOON)
            socket.send(msgspec.json.encode(wire.Guess(id="g", code=WRONG)).decode())
            while True:
                heard = str(socket.recv(PATIENCE))
                if heard.startswith(('{"type":"ack"', '{"type":"refused"')):
                    return heard

    return send


def by_request(url: str, path: str, token: str, _ticket: str) -> Send:
    def send(ready: threading.Event, go: threading.Event) -> str:
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE) as client:
            client.get(path)
            ready.set()
            go.wait(PATIENCE)
            time.sleep(SOON)
            command = {"type": "guess", "id": "g", "code": WRONG}
            return client.post(f"{path}/commands", json=command).text

    return send


async def played_while_held(url: str, how: Callable[..., Send]) -> str:
    """The answer to a move that comes while the event loop stands still beyond the turn's end."""
    async with Client(url) as client:
        one, two = await seated(client, board="4x6", turn_seconds=TURN)
        ticket = await two.ticket()
        ready, go = threading.Event(), threading.Event()
        send = how(url, f"/api/tables/{two.table}", two._token, ticket)
        sending = asyncio.create_task(asyncio.to_thread(send, ready, go))
        assert await asyncio.to_thread(ready.wait, PATIENCE)
        async with one.connect() as maker:
            await maker.set_secret(SECRET)
            await settled()
            go.set()
            time.sleep(HELD)
            async with asyncio.timeout(PATIENCE):
                return await sending


@pytest.mark.parametrize("how", [by_socket, by_request])
async def test_a_move_that_came_in_time_is_played_though_the_server_stood_still(
    tmp_path: Path, how: Callable[..., Send]
) -> None:
    async with running(tmp_path) as server:
        assert '"type":"ack"' in await played_while_held(server.url, how)


async def test_a_pause_counts_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("keypeg.server.arrivals.time.monotonic", lambda: now[0])
    arrivals = ArrivalClock()
    arrivals.start()
    await settled()
    assert arrivals.earliest() == 100.0
    now[0] += 0.06
    assert arrivals.earliest() == 100.06
    now[0] += 5.0
    assert arrivals.earliest() == 100.0
    arrivals.stop()
