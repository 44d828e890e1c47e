"""Contests over HTTP: making, entering, playing and comparing; limits, kills and two servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from harness.servers.in_process import Running, running
from harness.servers.processes import ServerProcess
from keypeg.client import Client, Refused, Unreachable
from keypeg.rules.board import PRESETS
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.keypegs import score
from keypeg.server.solver_worker import Solver
from keypeg.table.tokens import new_token
from tests.server.solvers import Reviewing

pytestmark = pytest.mark.anyio
CLASSIC = PRESETS["classic"]
SECRET, OTHER = (1, 2, 3, 4), (4, 3, 2, 1)
CHOSEN: dict[str, Any] = {"board": "classic", "codes": [SECRET, OTHER], "name": "Cleo"}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as server:
        yield server


@pytest.fixture
async def http(server: Running) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url) as http:
        yield http


@pytest.fixture
async def client(server: Running) -> AsyncIterator[Client]:
    async with Client(server.url) as client:
        yield client


async def test_a_program_plays_a_contest(client: Client) -> None:
    setter, ann, bob = new_token(), new_token(), new_token()
    made = await client.create_contest(setter, **CHOSEN)
    assert made.link == f"{client.url}/contest/{made.id}"
    hers, his = client.contest(made.id, ann), client.contest(made.id, bob)
    seals = [code.seal for code in (await client.contest(made.id).look()).codes]
    await hers.enter("Ann")
    await his.enter()
    answer = await hers.guess(1, OTHER)
    keys = score(SECRET, OTHER)
    assert answer.row == 1
    assert [(row.code, row.black, row.white) for row in answer.contest.codes[0].rows] == [
        (OTHER, *keys)
    ]
    assert answer.contest.codes[0].ending is None
    await his.guess(1, SECRET)
    ending = (await hers.guess(1, SECRET)).contest.codes[0].ending
    assert ending is not None
    opening = Opening(ending.code, bytes.fromhex(ending.nonce))
    assert opens(seals[0], CLASSIC, f"contest-{made.id}-1", opening)
    results = await hers.results(1)
    assert [(line.place, line.name, line.rows, line.you) for line in results.lines] == [
        (1, None, 1, False),
        (2, "Ann", 2, True),
    ]
    assert results.book is not None
    assert results.book[-1].code == SECRET
    assert [row.code for row in (await his.rows(1, 1)).rows] == [OTHER, SECRET]
    assert (await made.results(2)).lines == ()
    with pytest.raises(Refused) as refused:
        await his.results(2)
    assert refused.value.code == "not-done"


async def test_losses_are_computed_once_somebody_wants_to_know(tmp_path: Path) -> None:
    async with (
        running(tmp_path, cast("Solver", Reviewing())) as server,
        Client(server.url) as client,
    ):
        await rate(server, client)


async def rate(server: Running, client: Client) -> None:
    made = await client.create_contest(new_token(), **CHOSEN)
    ann = client.contest(made.id, new_token())
    await ann.enter()
    for code in ((1, 1, 1, 1), (6, 6, 6, 6), SECRET):
        await ann.guess(1, code)
    first = await ann.results(1)
    assert (first.rating, [line.loss for line in first.lines]) == (True, [None])
    async with asyncio.timeout(60):
        while (found := await ann.results(1)).rating:
            await asyncio.sleep(0.05)
    (line,) = found.lines
    assert line.loss == 0.75
    assert (await ann.rows(1, 1)).loss == line.loss
    # It is kept: nothing is computed again.
    assert server.application.services.losses._waiting == {}


async def test_losses_on_a_board_too_big_to_review_stay_unknown(client: Client) -> None:
    made = await client.create_contest(new_token(), board="16x20", codes=[(1,) * 16])
    ann = client.contest(made.id, new_token())
    await ann.enter()
    await ann.guess(1, (1,) * 16)
    found = await ann.results(1)
    assert (found.rating, found.lines[0].loss, found.book) == (False, None, None)


async def test_a_page_gets_its_token_as_a_cookie_for_contests_alone(
    server: Running, http: httpx.AsyncClient
) -> None:
    origin = {"origin": server.url}
    given = await http.post("/api/contests/tokens", json={}, headers=origin)
    assert given.json() == {"token": None}
    cookie = given.headers["set-cookie"]
    for part in ("keypeg_contest=", "Path=/api/contests", "HttpOnly", "SameSite=Lax"):
        assert part in cookie
    made = await http.post("/api/contests", json={"id": "x", "count": 2}, headers=origin)
    assert (made.status_code, made.json()["yours"], len(made.json()["codes"])) == (201, True, 2)
    path = f"/api/contests/{made.json()['id']}"
    assert (await http.post(f"{path}/entrants", json={})).json()["code"] == "origin"
    entered = await http.post(f"{path}/entrants", json={"name": "Ann"}, headers=origin)
    assert entered.json()["entrant"] == {"number": 1, "name": "Ann"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"id": "x", "codes": []}, 422),
        ({"id": "x", "codes": [[1, 2, 3]]}, 422),
        ({"id": "x", "codes": [[1, 2, 3, 7]]}, 409),
        ({"id": "x", "codes": [[1, 2, 3, 4]] * 21}, 422),
        ({"id": "x", "codes": [[1, 2, 3, 4]], "count": 2}, 422),
        ({"id": "x", "count": 0}, 422),
        ({"id": "x", "count": 21}, 422),
        ({"id": "x", "seconds": 59}, 422),
        ({"id": "x", "seconds": 10**9}, 422),
        ({"id": "x", "name": " "}, 422),
        ({"id": "x", "name": "a\u202eb"}, 422),
        ({"id": "x", "board": "17x6"}, 422),
        ({"id": "x", "setter": "Ann"}, 422),
        ({"id": "x\n"}, 422),
    ],
)
async def test_what_is_malformed_is_refused_and_stores_nothing(
    server: Running, http: httpx.AsyncClient, body: dict[str, Any], status: int
) -> None:
    answer = await http.post("/api/contests", json=body, headers=bearer(new_token()))
    assert answer.status_code in (status, 409, 422), answer.text
    assert 400 <= answer.status_code < 500
    assert await server.application.services.contests.store.ids() == []


async def test_without_a_token_one_only_looks(client: Client, http: httpx.AsyncClient) -> None:
    made = await client.create_contest(new_token(), **CHOSEN)
    path = f"/api/contests/{made.id}"
    assert (await http.get(path)).json()["entrant"] is None
    for where, body in (
        ("/api/contests", {"id": "x"}),
        (f"{path}/entrants", {}),
        (f"{path}/codes/1/guesses", {"id": "x", "code": SECRET}),
    ):
        assert (await http.post(where, json=body)).json()["code"] == "not-allowed"
    for where in (f"{path}/codes/1/results", f"{path}/standing", f"{path}/codes/1/entrants/1"):
        assert (await http.get(where)).json()["code"] == "not-done"
    for where in (f"{path}/codes/3/results", f"{path}/codes/{10**30}/results"):
        assert (await http.get(where)).json()["code"] == "no-such-contest"
    assert (await http.get("/api/contests/nothing")).status_code == 404


async def test_new_contests_and_entrants_are_rationed_and_guesses_are_not(tmp_path: Path) -> None:
    async with (
        running(tmp_path, tables_per_minute=0.001, tables_at_once=2) as server,
        Client(server.url) as client,
        httpx.AsyncClient(base_url=server.url) as http,
    ):
        made = await client.create_contest(new_token(), **CHOSEN)
        ann = new_token()
        await client.contest(made.id, ann).enter()
        for path in ("/api/contests", f"/api/contests/{made.id}/entrants"):
            body = {"id": "y"} if path == "/api/contests" else {}
            answer = await http.post(path, json=body, headers=bearer(new_token()))
            assert (answer.status_code, answer.json()["code"]) == (429, "busy")
        await client.contest(made.id, ann).enter("Ann")
        assert (await client.contest(made.id, ann).guess(1, OTHER)).row == 1


async def test_two_servers_on_one_database_agree(shared_address: str) -> None:
    async with (
        running(shared_address) as one,
        running(shared_address) as two,
        Client(one.url) as first,
        Client(two.url) as second,
    ):
        made = await first.create_contest(new_token(), **CHOSEN)
        tokens = [new_token() for _ in range(6)]
        there = [[client.contest(made.id, token) for client in (first, second)] for token in tokens]
        entered = await asyncio.gather(*(one.enter() for pair in there for one in pair))
        assert {one.entrant and one.entrant.number for one in entered} == {*range(1, 7)}
        await asyncio.gather(*(one.guess(1, SECRET) for one, _ in there))
        results = [await one.results(1) for one in there[0]]
        lines = [[(line.place, line.entrant) for line in one.lines] for one in results]
        assert lines[0] == lines[1] == [(1, number) for number in range(1, 7)]


async def test_what_was_answered_is_there_after_a_kill(tmp_path: Path) -> None:
    """Guesses come in while the server is killed: an acknowledged row stays, and no row is twice.

    The clients send what was not answered again, under the same id.
    """
    tokens = [new_token() for _ in range(4)]
    with ServerProcess(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        async with Client(server.url) as client:
            made = await client.create_contest(new_token(), **CHOSEN)
            breakers = [client.contest(made.id, token) for token in tokens]
            for one in breakers:
                await one.enter()
            playing = [asyncio.create_task(_played(one, row)) for row, one in enumerate(breakers)]
            for least in (4, 16):
                async with asyncio.timeout(30):
                    while sum([len(await _rows(one)) for one in breakers]) < least:
                        await asyncio.sleep(0.005)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
            answered = await asyncio.gather(*playing)
            for one, told in zip(breakers, answered, strict=True):
                assert told == await _rows(one)
                assert len(told) == 10


async def test_a_client_waits_for_a_server_that_was_there_before(tmp_path: Path) -> None:
    """As while it is restarted, also with the first attempt of a new request."""
    token = new_token()
    with ServerProcess(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        async with Client(server.url) as client:
            made = await client.create_contest(token, board="classic")
            await asyncio.to_thread(server.kill)
            with pytest.raises(Unreachable):
                await made.look()
            entering = asyncio.create_task(made.enter())
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(30):
                assert (await entering).entrant is not None


async def _played(contest: Any, shift: int) -> list[tuple[int, ...]]:
    """Use all rows; gives what was acknowledged, in order."""
    told: dict[int, tuple[int, ...]] = {}
    for row in range(10):
        code = (5, 5, (row + shift) % 6 + 1, row % 6 + 1)
        answer = await contest.guess(1, code)
        told[answer.row] = code
    return [told[row] for row in sorted(told)]


async def _rows(contest: Any) -> list[tuple[int, ...]]:
    return [row.code for row in (await contest.look()).codes[0].rows]
