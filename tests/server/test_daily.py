"""The daily code over HTTP: whose attempts they are, what is refused, and what two servers say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.servers.in_process import Running, running
from keypeg.daily.codes import PURPOSE, Codes
from keypeg.daily.days import parse_day
from keypeg.rules.board import PRESETS
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.keypegs import score
from keypeg.table.tokens import new_token
from tests.daily.clocks import SetClock

pytestmark = pytest.mark.anyio
DAY = "2026-11-18"
PATH = f"/api/daily/{DAY}/classic"
CLASSIC = PRESETS["classic"]
RETRY = "r" * 43


def set_clock(server: Running, time: str) -> SetClock:
    clock = SetClock(time)
    server.application.services.daily._clock = clock
    return clock


def secret(server: Running, day: str = DAY, board: str = "classic") -> Code:
    codes = Codes(server.application.services.log.derive(PURPOSE))
    return codes.opening(parse_day(day), PRESETS[board]).code


def wrong(server: Running) -> Code:
    """A guess that is not the code."""
    first, *others = secret(server)
    return (first % 6 + 1, *others)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as server:
        set_clock(server, f"{DAY} 12:00")
        yield server


@pytest.fixture
async def http(server: Running) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url) as http:
        yield http


async def guess(
    http: httpx.AsyncClient, token: str, id_: str, code: Code, path: str = PATH
) -> httpx.Response:
    body = {"id": id_, "code": code}
    return await http.post(f"{path}/guesses", json=body, headers=bearer(token))


async def test_a_program_plays_a_day(server: Running, http: httpx.AsyncClient) -> None:
    days = (await http.get("/api/daily")).json()
    assert (days["today"]["date"], days["today"]["number"]) == (DAY, 322)
    assert (days["tomorrow"]["date"], days["first"]) == ("2026-11-19", "2026-01-01")
    assert days["next"] - days["now"] == 12 * 60 * 60 * 1000
    assert [seal["code"] for day in ("today", "tomorrow") for seal in days[day]["seals"]] == [
        None
    ] * 4
    token = (await http.post("/api/daily/tokens", json={})).json()["token"]
    before = (await http.get(PATH, headers=bearer(token))).json()
    assert (before["rows"], before["ending"], before["counts"]) == ([], None, True)
    answer = await guess(http, token, "x", wrong(server))
    keys = score(secret(server), wrong(server))
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["row"] == 1
    assert answer.json()["day"]["rows"] == [{"code": list(wrong(server)), **keys._asdict()}]
    done = (await guess(http, token, "y", secret(server))).json()["day"]
    assert done == {**(await http.get(PATH, headers=bearer(token))).json()}
    ending = done["ending"]
    assert tuple(ending["code"]) == secret(server)
    assert ending["broken"]
    assert ending["distribution"] == [{"rows": 2, "players": 1}]
    assert ending["optimum"][-1]["black"] == 4
    seal = next(one for one in days["today"]["seals"] if one["board"] == "classic")
    opening = Opening(tuple(ending["code"]), bytes.fromhex(ending["nonce"]))
    assert opens(seal["seal"], CLASSIC, seal["game"], opening)


async def test_a_repeated_guess_gets_the_same_row_and_a_reused_id_a_conflict(
    server: Running, http: httpx.AsyncClient
) -> None:
    token = new_token()
    answers = await asyncio.gather(*(guess(http, token, "x", wrong(server)) for _ in range(5)))
    assert {answer.text for answer in answers} == {answers[0].text}
    assert answers[0].json()["row"] == 1
    other = await guess(http, token, "x", secret(server))
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    await guess(http, token, "y", secret(server))
    more = await guess(http, token, "z", secret(server))
    assert (more.status_code, more.json()["code"]) == (409, "already-done")


async def test_a_page_gets_its_token_as_a_cookie_and_keeps_it(
    server: Running, http: httpx.AsyncClient
) -> None:
    origin = {"origin": server.url}
    given = await http.post("/api/daily/tokens", json={"retry": RETRY}, headers=origin)
    assert given.json() == {"token": None}
    cookie = given.headers["set-cookie"]
    for part in ("Path=/api/daily", "HttpOnly", "SameSite=Lax", "Max-Age=34560000"):
        assert part in cookie
    name, _, token = cookie.partition(";")[0].partition("=")
    assert name == "keypeg_daily"
    # The same request again, whose answer was lost, gets the same token; so does any later one.
    again = await http.post("/api/daily/tokens", json={"retry": RETRY}, headers=origin)
    assert again.headers["set-cookie"] == cookie
    later = await http.post("/api/daily/tokens", json={}, headers=origin)
    assert later.headers["set-cookie"] == cookie
    body = {"id": "x", "code": wrong(server)}
    strange = await http.post(f"{PATH}/guesses", json=body)
    assert (strange.status_code, strange.json()["code"]) == (403, "origin")
    own = await http.post(f"{PATH}/guesses", json=body, headers=origin)
    assert own.json()["row"] == 1
    http.cookies.clear()
    assert len((await http.get(PATH, headers=bearer(token))).json()["rows"]) == 1
    assert (await http.get(PATH)).json()["rows"] == []


async def test_tokens_that_are_none_are_refused(server: Running, http: httpx.AsyncClient) -> None:
    for token in ("x", "x" * 44, "x" * 42 + "!"):
        answer = await guess(http, token, "x", wrong(server))
        assert (answer.status_code, answer.json()["code"]) == (401, "not-allowed")
    none = await http.post(f"{PATH}/guesses", json={"id": "x", "code": wrong(server)})
    assert (none.status_code, none.json()["code"]) == (401, "not-allowed")
    cut = {"cookie": "keypeg_daily=x", "origin": server.url}
    page = await http.post(f"{PATH}/guesses", json={"id": "x", "code": wrong(server)}, headers=cut)
    assert page.status_code == 401
    assert (await http.get(PATH, headers=cut)).json()["rows"] == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"/api/daily/{DAY}/4x6", 422, "cannot-read"),
        (f"/api/daily/{DAY}/classic-blanks", 422, "cannot-read"),
        ("/api/daily/2026-11-31/classic", 422, "cannot-read"),
        ("/api/daily/today/classic", 422, "cannot-read"),
        ("/api/daily/2026-11-19/classic", 404, "no-such-day"),
        ("/api/daily/2025-12-31/classic", 404, "no-such-day"),
    ],
)
async def test_what_is_no_daily_code_is_not_played(
    http: httpx.AsyncClient, path: str, status: int, code: str
) -> None:
    answer = await guess(http, new_token(), "x", (1, 1, 2, 2), path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "x"},
        {"id": "x", "code": [1, 2, 3]},
        {"id": "x", "code": [1, 2, 3, 7]},
        {"id": "x", "code": "RRBB"},
        {"id": "x", "code": [1, 2, 3, 4], "day": DAY},
        {"id": "x\n", "code": [1, 2, 3, 4]},
        {"id": "", "code": [1, 2, 3, 4]},
    ],
)
async def test_what_is_malformed_is_refused_and_stores_nothing(
    http: httpx.AsyncClient, body: dict[str, Any]
) -> None:
    token = new_token()
    answer = await http.post(f"{PATH}/guesses", json=body, headers=bearer(token))
    assert 400 <= answer.status_code < 500, answer.text
    assert (await http.get(PATH, headers=bearer(token))).json()["rows"] == []


async def test_a_seal_is_opened_to_whoever_is_done_and_to_all_once_the_day_is_over(
    server: Running, http: httpx.AsyncClient
) -> None:
    ann, bob = new_token(), new_token()
    await guess(http, ann, "x", secret(server))
    for time, open_to_bob in (
        (f"{DAY} 23:59", False),
        ("2026-11-19 23:59", False),
        ("2026-11-20 00:00", True),
    ):
        set_clock(server, time)
        mine = (await http.get(f"{PATH}/seal", headers=bearer(ann))).json()
        assert tuple(mine["code"]) == secret(server)
        theirs = (await http.get(f"{PATH}/seal", headers=bearer(bob))).json()
        assert (theirs["code"] is not None) == open_to_bob == (theirs["nonce"] is not None)
        assert theirs["seal"] == mine["seal"]
    tomorrow = (await http.get("/api/daily/2026-11-21/classic/seal")).json()
    assert (tomorrow["code"], tomorrow["nonce"]) == (None, None)
    # Whoever plays it from the archive is not told the code on the way.
    archived = (await guess(http, bob, "x", wrong(server))).json()["day"]
    assert (archived["ending"], archived["counts"]) == (None, False)


async def test_the_seal_of_a_day_is_published_before_it(
    server: Running, http: httpx.AsyncClient
) -> None:
    before = (await http.get("/api/daily")).json()["tomorrow"]
    set_clock(server, f"{before['date']} 00:00")
    for published in before["seals"]:
        board = PRESETS[published["board"]]
        path = f"/api/daily/{before['date']}/{board}"
        code, token = secret(server, before["date"], str(board)), new_token()
        ending = (await guess(http, token, "x", code, path)).json()["day"]["ending"]
        opening = Opening(tuple(ending["code"]), bytes.fromhex(ending["nonce"]))
        assert opens(published["seal"], board, published["game"], opening)


async def test_new_attempts_are_rationed_and_running_ones_go_on(tmp_path: Path) -> None:
    async with running(tmp_path, tables_per_minute=0.001, tables_at_once=2) as server:
        set_clock(server, f"{DAY} 12:00")
        async with httpx.AsyncClient(base_url=server.url) as http:
            tokens = [new_token() for _ in range(3)]
            answers = [await guess(http, token, "x", wrong(server)) for token in tokens]
            assert [answer.status_code for answer in answers] == [200, 200, 429]
            assert answers[2].json()["code"] == "busy"
            assert (await guess(http, tokens[0], "y", secret(server))).status_code == 200


async def test_two_servers_on_one_database_agree(shared_address: str) -> None:
    """One of them is a minute ahead, and lives in the next day already."""
    async with running(shared_address) as one, running(shared_address) as two:
        set_clock(one, f"{DAY} 23:59:30")
        set_clock(two, "2026-11-19 00:00:30")
        async with (
            httpx.AsyncClient(base_url=one.url) as first,
            httpx.AsyncClient(base_url=two.url) as second,
        ):
            token, code = new_token(), secret(one)
            assert code == secret(two)
            await guess(first, token, "x", wrong(one))
            answers = await asyncio.gather(
                *(guess(http, token, "y", code) for http in (first, second) for _ in range(3))
            )
            assert {answer.status_code for answer in answers} == {200}
            assert {answer.json()["row"] for answer in answers} == {2}
            seen = [
                (await http.get(PATH, headers=bearer(token))).json() for http in (first, second)
            ]
            assert seen[0]["ending"] == seen[1]["ending"]
            assert seen[0]["ending"]["distribution"] == [{"rows": 2, "players": 1}]


async def test_what_was_answered_is_there_after_a_restart(tmp_path: Path) -> None:
    token = new_token()
    for rows in (0, 1):
        async with running(tmp_path) as server:
            set_clock(server, f"{DAY} 12:00")
            async with httpx.AsyncClient(base_url=server.url) as http:
                assert len((await http.get(PATH, headers=bearer(token))).json()["rows"]) == rows
                assert (await guess(http, token, "x", wrong(server))).json()["row"] == 1
