"""Defences against what strangers send, and of what is on disk, each switched off and missed."""

from __future__ import annotations

import asyncio
import io
import logging
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.clients.light import Http, Rejected
from harness.clients.sockets import PATIENCE
from harness.servers.in_process import Running, running
from harness.tables import SECRET, TIMED, WRONG, sit_down
from keypeg.rules.series import Seat
from keypeg.server import documentation, heads, logs
from keypeg.server.connections import GuardedSocket
from keypeg.server.hosts import Hosts
from keypeg.server.quota import Quota
from keypeg.server.text_frames import FrameSplitter, Piece
from keypeg.store import sql
from keypeg.store.sql import SqlLog
from keypeg.table import Settings, turn_clock
from keypeg.table.clock import Clock, deadline
from keypeg.table.commands import SetSecret
from keypeg.table.state import State
from tests.server.defences import Defence, Missed, Patch, need
from tests.server.test_frames import BINARY, CLOSE, gone, spectator
from tests.store.entries import KEY

pytestmark = pytest.mark.anyio
HOUR = 3_600_000
EVIL = "https://evil.example"


def page(server: Running) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url)


async def a_bad_frame_with_a_goodbye_is_no_error_of_the_server(folder: Path) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    async with running(folder) as server:
        socket = await spectator(server, hello=True)
        socket.transport.write(BINARY + CLOSE)
        await gone(socket)
    need(not faults, f"a bad frame with a goodbye causes errors: {faults}")


def read_on_after_a_goodbye(patch: Patch) -> None:
    """Frames are not taken one by one either, which would be enough."""
    patch.setattr(GuardedSocket, "_ends_anyway", lambda _: False)
    patch.setattr(FrameSplitter, "split", lambda _, data: [Piece(data, usual=False)])


async def what_is_not_http_fills_no_log(folder: Path) -> None:
    """Logging as it is in the server's process, but into memory."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(logs.Sampled())
    logging.root.addHandler(handler)
    try:
        async with running(folder) as server:
            for _ in range(50):
                async with asyncio.timeout(PATIENCE):
                    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                    writer.write(b"?\r\n\r\n")
                    assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
                    writer.close()
    finally:
        logging.root.removeHandler(handler)
    lines = written.getvalue().count("\n")
    need(lines <= 5, f"50 requests that are not HTTP are {lines} lines of log")


def write_every_line(patch: Patch) -> None:
    patch.setattr(logs.Sampled, "filter", lambda _self, _record: True)


async def a_turn_is_not_longer_for_a_clock_that_was_set_back(folder: Path) -> None:
    """By an hour, while the server was down."""
    log = await SqlLog.open(f"sqlite:///{folder}/x.db", KEY)
    playing = await sit_down(log, Settings(TIMED))
    await playing.ask(Seat.ONE, SetSecret(SECRET))
    playing.clock.wall -= HOUR
    await playing.restart()
    assert playing.table.deadline is not None
    left = playing.table.deadline - playing.clock.now()
    await playing.table.close()
    await log.close()
    assert TIMED.turn_seconds is not None
    need(left <= TIMED.turn_seconds, f"a turn of {TIMED.turn_seconds} s lasts {left:.0f} s more")


def believe_the_wall_clock(patch: Patch) -> None:
    def believing(before: State | None, after: State, known: float | None, clock: Clock) -> Any:
        if before is None and after.due is not None:
            return clock.now() + (after.due - clock.utc()) / 1000
        return deadline(before, after, known, clock)

    patch.setattr(turn_clock, "deadline", believing)


async def a_database_is_its_owner_s_alone(folder: Path) -> None:
    before = os.umask(0o022)
    try:
        log = await SqlLog.open(f"sqlite:///{folder}/x.db", KEY)
        modes = {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir()}
        await log.close()
    finally:
        os.umask(before)
    need(not any(modes.values()), f"others can read {modes}")


def leave_modes_to_the_system(patch: Patch) -> None:
    patch.setattr(sql, "keep_private", lambda _url: None)


async def of_two_origins_neither_is_believed(folder: Path) -> None:
    async with running(folder) as server, page(server) as asking:
        headers = [("origin", EVIL), ("origin", server.url)]
        answer = await asking.post("/api/tables", json={}, headers=headers)
        need(answer.status_code == 400, "a page was believed that is ours or is not")


async def of_two_cookies_neither_is_believed(folder: Path) -> None:
    async with running(folder) as server, page(server) as asking:
        opened = await asking.post("/api/tables", json={}, headers={"origin": server.url})
        cookie = opened.headers["set-cookie"].partition(";")[0]
        asking.cookies.clear()
        headers = [("cookie", "another=one"), ("cookie", cookie)]
        answer = await asking.get(f"/api/tables/{opened.json()['table']}", headers=headers)
        need(answer.status_code == 400, "the last of two cookies shows a seat")


def take_the_last_header(patch: Patch) -> None:
    patch.setattr(heads, "ONCE", frozenset())


async def a_page_of_another_name_reads_nothing(folder: Path) -> None:
    """As a page does whose name was made to lead here (DNS rebinding)."""
    async with running(folder) as server, page(server) as asking:
        answer = await asking.get("/api/tables", headers={"host": "evil.example"})
        need(answer.status_code == 421, "a page of another name reads the tables")


def answer_to_any_name(patch: Patch) -> None:
    patch.setattr(Hosts, "allow", lambda _self, _name, _here: True)


async def the_document_says_which_bodies_are_needed(folder: Path) -> None:
    async with running(folder) as server, page(server) as asking:
        paths = (await asking.get("/schema")).json()["paths"]
        table = (await asking.post("/api/tables")).json()["table"]
        for path in (
            "/api/tables",
            "/api/tables/{table_id}/tickets",
            "/api/tables/{table_id}/seats",
        ):
            answer = await asking.post(path.replace("{table_id}", table))
            needed = paths[path]["post"]["requestBody"]["required"]
            need(needed is answer.is_error, f"the document and the server disagree about {path}")


def say_that_bodies_are_needed(patch: Patch) -> None:
    patch.setattr(documentation, "_may_be_left_out", lambda _kind: False)


async def one_address_does_not_fill_the_disk(folder: Path) -> None:
    async with running(folder, entries_per_day=10) as server:
        http = Http(server.port, "127.0.0.66", 1)
        one = await http.post("/api/tables", {"board": "4x6/99"})
        path = f"/api/tables/{one['table']}"
        breaker = (await http.post(f"{path}/seats", {"seat": "two"}))["token"]
        await http.post(
            f"{path}/commands", {"type": "set-secret", "id": "s", "code": SECRET}, one["token"]
        )
        refused = 0
        for number in range(40):
            guess = {"type": "guess", "id": f"g{number}", "code": WRONG}
            try:
                await http.post(f"{path}/commands", guess, breaker)
            except Rejected as error:
                assert error.status == 429
                refused += 1
        http.close()
        need(refused > 10, "an address writes four times as much as it may in a day")


def count_no_entries(patch: Patch) -> None:
    patch.setattr(Quota, "charge", lambda _self, _address, _entries=1: None)


DEFENCES = [
    Defence(a_bad_frame_with_a_goodbye_is_no_error_of_the_server, read_on_after_a_goodbye),
    Defence(what_is_not_http_fills_no_log, write_every_line),
    Defence(a_turn_is_not_longer_for_a_clock_that_was_set_back, believe_the_wall_clock),
    Defence(a_database_is_its_owner_s_alone, leave_modes_to_the_system),
    Defence(of_two_origins_neither_is_believed, take_the_last_header),
    Defence(of_two_cookies_neither_is_believed, take_the_last_header),
    Defence(a_page_of_another_name_reads_nothing, answer_to_any_name),
    Defence(the_document_says_which_bodies_are_needed, say_that_bodies_are_needed),
    Defence(one_address_does_not_fill_the_disk, count_no_entries),
]


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda each: each.check.__name__)
@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
async def test_what_holds_with_a_defence_and_without_it_is_missed(
    defence: Defence, on: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if on:
        await defence.check(tmp_path)
        return
    defence.off(monkeypatch)
    with pytest.raises(Missed):
        await defence.check(tmp_path)
