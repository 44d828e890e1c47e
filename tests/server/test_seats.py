"""A seat is taken once, however often its answer is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.servers.in_process import running
from harness.servers.processes import ServerProcess
from keypeg.client import Client, Refused, Unreachable
from keypeg.rules.errors import CannotRead
from keypeg.rules.series import Seat
from keypeg.server.security import repeated_grant

pytestmark = pytest.mark.anyio

RETRY, OTHER = "r" * 43, "o" * 43
OPENING = {"board": "4x6", "name": "Ann", "retry": RETRY}


class Deaf:
    """A road to a server on which the first answers are lost after the request has got through."""

    def __init__(self, port: int, losses: int) -> None:
        self._port, self.losses = port, losses
        self.port = 0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        with contextlib.suppress(OSError):
            await asyncio.gather(self._forth(reader, back), self._back(there, writer))
        for end in (back, writer):
            end.close()

    async def _forth(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.losses:
                self.losses -= 1
                writer.transport.abort()
                raise ConnectionResetError
            writer.write(data)
        writer.close()


@asynccontextmanager
async def deaf(port: int, losses: int) -> AsyncIterator[Deaf]:
    road = Deaf(port, losses)
    async with await asyncio.start_server(road.carry, "127.0.0.1", 0) as listening:
        road.port = listening.sockets[0].getsockname()[1]
        yield road


async def asked(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    answer = await http.post(path, json=body)
    return answer.status_code, answer.json()


async def test_a_client_whose_answers_are_lost_gets_its_seats(tmp_path: Path) -> None:
    async with (
        running(tmp_path) as server,
        deaf(server.port, losses=2) as road,
        Client(f"http://127.0.0.1:{road.port}") as client,
    ):
        one = await client.open_table(name="Ann", public=True)
        assert road.losses == 0
        road.losses = 2
        two = await client.take_seat(one.table, Seat.TWO, "Bob")
        assert road.losses == 0
        assert [(await player.look()).seat for player in (one, two)] == [Seat.ONE, Seat.TWO]
        assert len(await client.public_tables()) == 1


async def test_a_client_that_reaches_nobody_says_so_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        port = server.port
    async with Client(f"http://127.0.0.1:{port}") as client:
        for ask in (client.open_table, client.public_tables, client.watch("x").look):
            with pytest.raises(Unreachable, match=f"http://127.0.0.1:{port} cannot be reached"):
                await ask()


@pytest.mark.parametrize("url", ["", "x", "http://", "http://xn--", "http://[::1", "ftp://host"])
def test_a_client_refuses_what_is_no_address(url: str) -> None:
    with pytest.raises(CannotRead, match="use http://host:port"):
        Client(url)


async def test_the_same_request_gets_the_same_seat_in_any_process(
    shared_address: str, tmp_path: Path
) -> None:
    with ServerProcess(shared_address, tmp_path) as server:
        answers = []
        for _ in range(2):
            async with httpx.AsyncClient(base_url=server.url) as http:
                opened = await asked(http, "/api/tables", OPENING)
                path = f"/api/tables/{opened[1]['table']}/seats"
                sat = await asked(http, path, {"seat": "two", "name": "Bob", "retry": OTHER})
                answers.append((opened, sat))
            server.kill()
            server.start()
        assert answers[0] == answers[1]
        assert [status for status, _ in answers[0]] == [201, 201]
        async with (
            running(shared_address) as second,
            httpx.AsyncClient(base_url=second.url) as http,
        ):
            assert await asked(http, "/api/tables", OPENING) == answers[0][0]


async def test_repeats_at_once_open_one_table(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as http:
        body = {**OPENING, "public": True}
        answers = await asyncio.gather(*(asked(http, "/api/tables", body) for _ in range(10)))
        assert {status for status, _ in answers} == {201}
        assert len({said["token"] for _, said in answers}) == 1
        assert len((await http.get("/api/tables")).json()) == 1
        tables = server.application.services.tables
        assert len(tables.memory.all) == 1


@pytest.mark.parametrize(
    "other", [{"name": "Bob"}, {"board": "5x8"}, {"seat": "two"}, {"seat": None}, {"hints": True}]
)
async def test_the_same_bits_for_another_table_are_a_conflict(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as http:
        await asked(http, "/api/tables", OPENING)
        status, said = await asked(http, "/api/tables", {**OPENING, **other})
        assert (status, said["code"]) == (409, "conflict")


async def test_the_same_bits_for_another_sitter_are_a_conflict(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as http:
        _, opened = await asked(http, "/api/tables", {**OPENING, "seat": None})
        path = f"/api/tables/{opened['table']}/seats"
        wanted = {"seat": "two", "name": "Bob", "retry": OTHER}
        await asked(http, path, wanted)
        status, said = await asked(http, path, {**wanted, "name": "Eve"})
        assert (status, said["code"]) == (409, "conflict")
        status, said = await asked(http, path, {**wanted, "seat": "one"})
        assert (status, said["code"]) == (409, "seat-held")
        status, said = await asked(http, path, {**wanted, "retry": RETRY})
        assert (status, said["code"]) == (409, "seat-held")


@pytest.mark.parametrize("retry", ["", "r" * 42, "r" * 44, "r" * 42 + "=", "r" * 43 + "\n", 7])
async def test_bits_of_another_length_are_refused(tmp_path: Path, retry: object) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as http:
        assert (await asked(http, "/api/tables", {"retry": retry}))[0] == 422


async def test_a_page_cannot_work_its_token_out(tmp_path: Path) -> None:
    """What it sent gives it the cookie again, and the token is nowhere for a script to read."""
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as http:
        page = {"origin": server.url}
        first = await http.post("/api/tables", json=OPENING, headers=page)
        again = await http.post("/api/tables", json=OPENING, headers=page)
        assert first.json() == again.json()
        assert first.json()["token"] is None
        assert first.headers["set-cookie"] == again.headers["set-cookie"]
        derive = server.application.services.log.derive
        token = repeated_grant(derive, RETRY).token
        assert token in first.headers["set-cookie"]
        assert token != repeated_grant(lambda purpose, bits: (purpose + bits).encode(), RETRY).token


async def test_a_refusal_is_not_asked_for_again(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one = await client.open_table()
        with pytest.raises(Refused, match="has this seat"):
            await client.take_seat(one.table, Seat.ONE)
