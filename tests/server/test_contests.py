"""Contests over HTTP: making, entering, playing and comparing; limits and two servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from harness.servers.in_process import Running, running
from harness.servers.processes import ServerProcess
from keypeg.client import Client, Contest, Refused, Unreachable
from keypeg.contests.game import Contests, Plan, computer_holder
from keypeg.messages import StandingLine
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.keypegs import score
from keypeg.server.contest_computers import ContestComputers
from keypeg.server.opponent import Opponent
from keypeg.server.solver_worker import Busy, Solver
from keypeg.store.sql import SqlLog
from keypeg.table.clock import SystemClock
from keypeg.table.computer import Rows
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


async def standing_of(contest: Contest, computers: int) -> list[StandingLine]:
    """The lines of the computer players, once all are done with all codes."""
    async with asyncio.timeout(120):
        while True:
            lines = [line for line in (await contest.standing()).lines if line.level]
            if len(lines) == computers and all(None not in line.codes for line in lines):
                return lines
            await asyncio.sleep(0.05)


@pytest.mark.timeout(300)  # a worker is started, which yields to everybody else
async def test_the_computer_enters_and_plays_every_code_at_its_levels(client: Client) -> None:
    board, codes = "2x3", [(1, 2), (3, 3)]
    setter = new_token()
    made = await client.create_contest(
        setter, id="x", board=board, codes=codes, computers=("beginner", "perfect")
    )
    assert (
        await client.create_contest(
            setter, id="x", board=board, codes=codes, computers=("beginner", "perfect")
        )
    ).id == made.id
    with pytest.raises(Refused, match="another contest"):
        await client.create_contest(setter, id="x", board=board, codes=codes)
    ann = client.contest(made.id, new_token())
    entered = await ann.enter("Ann")
    assert (entered.computers, entered.entrant and entered.entrant.number) == (
        ("beginner", "perfect"),
        3,
    )
    lines = await standing_of(made, 2)
    assert {(line.entrant, line.level, line.name) for line in lines} == {
        (1, "beginner", None),
        (2, "perfect", None),
    }
    await ann.guess(1, (1, 2))
    for line in lines:
        rows = (await ann.rows(1, line.entrant)).rows
        assert [score((1, 2), row.code) for row in rows] == [(r.black, r.white) for r in rows]
        assert len(rows) == line.codes[0] or line.codes[0] == 0


async def test_the_computer_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The row that was played stays, and the rest is played from the book."""
    async with running(tmp_path) as server, Client(server.url) as client:
        contests = server.application.services.contests
        setter = "5" * 64
        plan = Plan(CLASSIC, (SECRET, OTHER), None, None, ("perfect",))
        # Made beside the interface, so that nobody has played yet.
        id_ = (await contests.create(setter, "x", plan)).contest.id
        await contests.guess(id_, 1, computer_holder("perfect"), ("row-1", (6, 6, 6, 6)))
    async with running(tmp_path) as server, Client(server.url) as client:
        spectator = client.contest(id_, new_token())
        await spectator.watch()
        (line,) = await standing_of(spectator, 1)
        assert 0 not in line.codes
        rows = (await spectator.rows(1, 1)).rows
        assert (rows[0].code, rows[-1].code) == ((6, 6, 6, 6), SECRET)
        # A contest that is done is looked through once, and left alone.
        services = server.application.services
        services.contest_computers.want(id_, "y" * 22)
        async with asyncio.timeout(60):
            while services.contest_computers._waiting or services.contest_computers._playing:
                await asyncio.sleep(0.01)


async def test_the_computer_waits_while_the_solver_is_busy_and_plays_on_if_it_fails(
    tmp_path: Path,
) -> None:
    """Two refusals, then a fault: the row is played all the same, and it fits those before."""
    asked: list[int] = []

    class Unsure:
        levels, needs_company = Opponent.levels, True

        async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code:
            asked.append(len(rows))
            if len(asked) < 3:
                raise Busy("later")
            raise ZeroDivisionError

    log = await SqlLog.open(f"sqlite:///{tmp_path}/keypeg.db", bytes(32))
    contests = Contests(log, SystemClock())
    plan = Plan(Board.parse("2x3"), ((1, 2),), None, None, ("strong",))
    id_ = (await contests.create("5" * 64, "x", plan)).contest.id
    computers = ContestComputers(contests, Unsure())
    computers.want(id_)
    async with asyncio.timeout(60):
        while not (await contests.results(id_, 1, "5" * 64)).lines:
            await asyncio.sleep(0.05)
    assert asked[:4] == [0, 0, 0, 1]
    await computers.close()
    await log.close()


async def test_a_spectator_sees_what_those_who_are_done_have_played_and_cannot_enter(
    client: Client,
) -> None:
    made = await client.create_contest(new_token(), **CHOSEN)
    ann, cleo = (client.contest(made.id, new_token()) for _ in range(2))
    before = await cleo.look()
    assert (before.watching, [code.ending for code in before.codes]) == (False, [None, None])
    watching = await cleo.watch()
    assert watching.watching
    assert [code.ending and code.ending.code for code in watching.codes] == [SECRET, OTHER]
    await ann.enter("Ann")
    await ann.guess(1, OTHER)
    assert ((await cleo.results(1)).lines, (await cleo.results(1)).under_way) == ((), 1)
    await ann.guess(1, SECRET)
    assert [line.name for line in (await cleo.standing()).lines] == ["Ann"]
    assert [row.code for row in (await cleo.rows(1, 1)).rows] == [OTHER, SECRET]
    for act, code in ((cleo.enter(), "watching"), (ann.watch(), "entered")):
        with pytest.raises(Refused) as refused:
            await act
        assert refused.value.code == code
    with pytest.raises(Refused) as refused:
        await cleo.guess(1, SECRET)
    assert refused.value.code == "not-entered"


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
        ({"id": "x", "computers": ["best"]}, 422),
        ({"id": "x", "computers": ["strong", "Strong"]}, 422),
        ({"id": "x", "computers": ["strong"] * 6}, 422),
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
        (f"{path}/spectators", {}),
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
        about = f"/api/contests/{made.id}"
        for path in ("/api/contests", f"{about}/entrants", f"{about}/spectators"):
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
