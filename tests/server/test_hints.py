"""Hints at a table: thought out, then written down, then given; paid once or not at all."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client, Connection, Player
from keypeg.store.errors import Unavailable
from keypeg.store.events import Grade, HintUsed
from keypeg.store.sql import SqlLog
from keypeg.table.options import MOST_HINTS
from tests.server.solvers import GO, Forgetful, Marked, Stubborn, marked

pytestmark = pytest.mark.anyio
SECRET, WRONG = (1, 2, 3, 4), (5, 5, 6, 6)


async def ask(player: Player, hint_id: str, **more: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {player.token}"}
    path = f"/api/tables/{player.table}/hints"
    return await player.client._http.post(
        path, json={"id": hint_id, **more}, headers=headers, timeout=100
    )


async def begun(stack: AsyncExitStack, client: Client, **settings: Any) -> tuple[Player, Any, Any]:
    """A table where the breaker is to guess: the breaker's place, and both connections."""
    one, two = await seated(client, hints=True, **settings)
    maker = await stack.enter_async_context(one.connect())
    breaker = await stack.enter_async_context(two.connect())
    await maker.set_secret(SECRET)
    return two, maker, breaker


def hints_in(table: Connection) -> int:
    events = (event for entry in table.entries for event in entry.events)
    return sum(isinstance(event, wire.sent_as(HintUsed)) for event in events)


async def test_a_solver_without_an_answer_costs_no_hint(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Forgetful(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, maker, _ = await begun(stack, client)
        refused = await ask(player, "h")
        assert (refused.status_code, refused.json()["code"]) == (503, "took-too-long")
        assert (await player.look()).status.seq == 3
        given = await ask(player, "h")
        assert given.status_code == 200
        await maker.wait_for(lambda: maker.seq == 4)
        assert hints_in(maker) == 1


async def test_a_hint_that_nobody_waited_for_costs_nothing(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, _, _ = await begun(stack, client)
        asking = asyncio.create_task(ask(player, "h"))
        await marked(tmp_path, "began-hint-classic-0")
        asking.cancel()
        await marked(tmp_path, "off-hint-classic-0")
        assert (await player.look()).status.seq == 3
        (tmp_path / GO).touch()
        assert (await ask(player, "h")).status_code == 200
        assert (await player.look()).status.seq == 4


async def test_a_hint_for_a_game_that_has_moved_on_is_neither_given_nor_charged(
    tmp_path: Path,
) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, maker, breaker = await begun(stack, client)
        asking = asyncio.create_task(ask(player, "h"))
        await marked(tmp_path, "began-hint-classic-0")
        await breaker.guess(WRONG)
        (tmp_path / GO).touch()
        refused = await asking
        assert (refused.status_code, refused.json()["code"]) == (409, "stale")
        assert refused.json()["table"]["status"]["seq"] == 4
        await maker.wait_for(lambda: maker.seq == 4)
        assert hints_in(maker) == 0


async def test_the_same_hint_again_is_given_and_not_charged(tmp_path: Path) -> None:
    """Also when something else has happened at the table, but not in the game."""
    (tmp_path / GO).touch()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, maker, breaker = await begun(stack, client, turn_seconds=180)
        first = await ask(player, "h")
        await maker.do(wire.OfferTime(id="more", seconds=60))
        again = await ask(player, "h")
        assert first.status_code == again.status_code == 200
        await maker.wait_for(lambda: maker.seq == 5)
        assert hints_in(maker) == 1
        await breaker.guess(WRONG)
        late = await ask(player, "h")
        assert (late.status_code, late.json()["code"]) == (409, "against-the-rules")
        assert (await ask(player, "another")).status_code == 200


async def test_the_last_hint_that_a_row_allows_is_given_again(tmp_path: Path) -> None:
    (tmp_path / GO).touch()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, _, breaker = await begun(stack, client)
        for number in range(MOST_HINTS):
            assert (await ask(player, f"h{number}")).status_code == 200
        assert (await ask(player, "one-more")).status_code == 409
        assert (await ask(player, f"h{MOST_HINTS - 1}")).status_code == 200
        assert (await player.look()).status.seq == 3 + MOST_HINTS
        await breaker.guess(SECRET)
        over = await ask(player, "h0")
        assert (over.status_code, over.json()["code"]) == (409, "not-your-turn")
        await breaker.do(wire.NextGame(id="n"))
        assert (await ask(player, "n")).json()["code"] == "not-your-turn"


async def test_a_hint_is_thought_out_while_more_time_is_offered(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, maker, _ = await begun(stack, client, turn_seconds=180)
        asking = asyncio.create_task(ask(player, "h"))
        await marked(tmp_path, "began-hint-classic-0")
        await maker.do(wire.OfferTime(id="more", seconds=60))
        (tmp_path / GO).touch()
        assert (await asking).status_code == 200


async def test_a_hint_is_written_down_before_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the log cannot take it, there is no hint."""

    async def full(*_: object) -> None:
        raise Unavailable("the disk is full")

    (tmp_path / GO).touch()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        player, _, _ = await begun(stack, client)
        monkeypatch.setattr(SqlLog, "append", full)
        refused = await ask(player, "h")
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        monkeypatch.undo()
        assert (await ask(player, "h")).status_code == 200
        assert (await player.look()).status.seq == 4


async def test_no_more_is_given_than_the_log_says(advised: Client) -> None:
    async with AsyncExitStack() as stack:
        player, maker, breaker = await begun(stack, advised)
        await breaker.guess((1, 1, 2, 2))
        asked = [{}, *({"grade": grade.value} for grade in Grade)]
        given = [(await ask(player, f"h{n}", **more)).json() for n, more in enumerate(asked)]
        await maker.wait_for(lambda: maker.seq == 4 + len(asked))
        noted = [entry.events[0].grade for entry in maker.entries[4:]]
        assert noted == [Grade.BEST, *Grade]
        for hint, grade in zip(given, noted, strict=True):
            assert (hint["grade"], hint["codes_left"] > 0) == (grade.value, True)
            told = {name for name, value in hint.items() if value}
            if grade is Grade.BEST:
                assert {"guess", "why", "expected_guesses"} <= told
            else:
                assert told == {"grade", "codes_left", "exact"}
        again = await ask(player, "h1", grade="best")
        assert (again.status_code, again.json()["code"]) == (409, "conflict")


async def test_people_behind_one_address_do_not_block_each_other(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        players = [(await begun(stack, client))[0] for _ in range(5)]
        asking = [asyncio.create_task(ask(player, "h")) for player in players]
        assisted = [asyncio.create_task(assist(server)) for _ in range(3)]
        await marked(tmp_path, "began-hint-classic-0")
        await waiting_for(server, 8)
        twice = await ask(players[0], "other")
        assert (twice.status_code, twice.json()["code"]) == (429, "busy")
        assert (await assist(server)).status_code == 429
        (tmp_path / GO).touch()
        answers = await asyncio.gather(*asking, *assisted)
        assert [answer.status_code for answer in answers] == [200] * 8


async def assist(server: Running) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        return await http.post("/api/hints", json={"board": "classic"})


async def waiting_for(server: Running, questions: int) -> None:
    """Wait until so many questions are asked at once."""
    advice = server.application.services.advice
    async with asyncio.timeout(60):
        while advice._asking.total() < questions:
            await asyncio.sleep(0.005)


async def test_an_assistant_s_client_who_hangs_up_leaves_the_queue(tmp_path: Path) -> None:
    async with running(tmp_path, Marked(tmp_path)) as server:
        for path in ("hints", "reviews"):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            body = b'{"board":"classic"}'
            head = f"POST /api/{path} HTTP/1.1\r\nhost: localhost\r\n"
            writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            await marked(tmp_path, f"began-{path[:-1]}-classic-0")
            writer.close()
            await marked(tmp_path, f"off-{path[:-1]}-classic-0")
        await waiting_for(server, 0)


async def test_whoever_asks_a_solver_that_hangs_is_told_so(tmp_path: Path) -> None:
    async with running(tmp_path, Stubborn(tmp_path), thinking_seconds=1.0) as server:
        server.application.services.advice.start()
        await marked(tmp_path, "warm")
        answers = await asyncio.gather(*(assist(server) for _ in range(3)))
        kinds = sorted((answer.status_code, answer.json()["code"]) for answer in answers)
        assert kinds == [(429, "busy"), (429, "busy"), (503, "took-too-long")]
