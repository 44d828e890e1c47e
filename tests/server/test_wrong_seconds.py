"""Times that are none, in everything that names one: each is refused, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.clients.sockets import greeted, seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.terms import LONGEST_TURN
from keypeg.server import live
from keypeg.table.decisions import MOST_SECONDS_OFFERED

pytestmark = pytest.mark.anyio
WRONG: dict[str, Any] = {
    "0": 0,
    "negative": -60,
    "2^53": 2**53,
    "2^63": 2**63,
    "of 30 digits": 10**29,
    "a whole float": 60.0,
    "a float": 0.5,
    "true": True,
    "false": False,
    "text": "60",
    "a list": [60],
    "an object": {"seconds": 60},
}
KINDS = ("propose-limit", "accept-limit", "offer-time")
MOST = {**dict.fromkeys(KINDS, LONGEST_TURN), "offer-time": MOST_SECONDS_OFFERED}


def wrong(kind: str) -> list[dict[str, Any]]:
    """Commands with wrong times, each with an id of its own that is valid."""
    values = [*WRONG.values(), MOST[kind] + 1]
    commands: list[dict[str, Any]] = [
        {"type": kind, "id": f"c{number}", "seconds": value} for number, value in enumerate(values)
    ]
    if kind == "offer-time":
        commands.append({"type": kind, "id": "none", "seconds": None})
    return [*commands, {"type": kind, "id": "missing"}]


async def test_no_command_takes_a_time_that_is_none(tmp_path: Path) -> None:
    async with (
        running(tmp_path) as server,
        Client(server.url) as client,
        httpx.AsyncClient(base_url=server.url) as asker,
    ):
        one, two = await seated(client, turn_seconds=60)
        path, bearer = f"/api/tables/{one.table}/commands", {"authorization": f"Bearer {two.token}"}
        before = (await one.look()).status.seq
        for kind in KINDS:
            commands = wrong(kind)
            for command in commands:
                answer = await asker.post(path, content=json.dumps(command), headers=bearer)
                problem = answer.json()
                assert (answer.status_code, problem["code"]) == (422, "cannot-read"), command
                assert "seconds" in problem["message"]
            for start in range(0, len(commands), live.MOST_ERRORS):
                async with greeted(server.port, two) as socket:
                    for command in commands[start : start + live.MOST_ERRORS]:
                        await socket.say(json.dumps(command))
                        error = await socket.hear_a(wire.Error)
                        assert error.code == "cannot-read"
                        assert "seconds" in error.message
        assert (await one.look()).status.seq == before
        right = {"type": "propose-limit", "id": "c0", "seconds": LONGEST_TURN}
        assert (await asker.post(path, json=right, headers=bearer)).status_code == 200
        # Only what was proposed can be accepted.
        other = {"type": "accept-limit", "id": "a", "seconds": LONGEST_TURN - 1}
        theirs = {"authorization": f"Bearer {one.token}"}
        assert (await asker.post(path, json=other, headers=theirs)).status_code == 409


async def test_no_table_and_no_contest_begins_with_a_time_that_is_none(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as asker:
        token = (await asker.post("/api/contests/tokens", json={})).json()["token"]
        bearer = {"authorization": f"Bearer {token}"}
        for value in WRONG.values():
            bodies = {
                "/api/tables": {"turn_seconds": value},
                "/api/contests": {"id": "c", "codes": [[1, 2, 3, 4]], "seconds": value},
            }
            for path, body in bodies.items():
                answer = await asker.post(path, content=json.dumps(body), headers=bearer)
                assert (answer.status_code, answer.json()["code"]) == (422, "cannot-read"), body
                assert "seconds" in answer.json()["message"]
        assert (await asker.get("/api/tables")).json() == []
