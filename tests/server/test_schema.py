"""The interface does what its document says: generated requests, and no surprises."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi import checks

from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client, Player

LIMIT = 100.0
"""Seconds in which any answer must come, on the slowest of machines."""


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread of its own, for tests that are not asynchronous."""
    folder = tmp_path_factory.mktemp("schema")
    started: list[str] = []
    ready, stop = threading.Event(), threading.Event()

    async def serve() -> None:
        async with running(folder) as server:
            started.append(server.url)
            ready.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(LIMIT)
    yield started[0]
    stop.set()
    thread.join(LIMIT)
    assert not thread.is_alive()


CHECKED: Any = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
NEVER_WRONG = (
    "/api/choices",
    "/api/contests/{contest}",
    "/api/contests/{contest}/standing",
    "/api/daily",
    "/api/daily/{day}/{board}",
    "/api/daily/{day}/{board}/seal",
    "/healthz",
    "/metrics",
)
"""What is asked without body or numbers, so that no malformed request can be made."""
TOO_LARGE = 413
"""A refusal like any other, which schemathesis does not know as one."""
OPERATIONS = [
    ("GET", "/api/choices"),
    ("POST", "/api/contests"),
    ("POST", "/api/contests/tokens"),
    ("GET", "/api/contests/{contest}"),
    ("GET", "/api/contests/{contest}/codes/{number}/entrants/{entrant}"),
    ("POST", "/api/contests/{contest}/codes/{number}/guesses"),
    ("GET", "/api/contests/{contest}/codes/{number}/results"),
    ("POST", "/api/contests/{contest}/entrants"),
    ("POST", "/api/contests/{contest}/spectators"),
    ("GET", "/api/contests/{contest}/standing"),
    ("GET", "/api/daily"),
    ("POST", "/api/daily/tokens"),
    ("GET", "/api/daily/{day}/{board}"),
    ("POST", "/api/daily/{day}/{board}/guesses"),
    ("GET", "/api/daily/{day}/{board}/seal"),
    ("POST", "/api/hints"),
    ("POST", "/api/reviews"),
    ("GET", "/api/tables"),
    ("POST", "/api/tables"),
    ("GET", "/api/tables/{table_id}"),
    ("POST", "/api/tables/{table_id}/commands"),
    ("POST", "/api/tables/{table_id}/hints"),
    ("GET", "/api/tables/{table_id}/record"),
    ("GET", "/api/tables/{table_id}/review"),
    ("POST", "/api/tables/{table_id}/seats"),
    ("POST", "/api/tables/{table_id}/tickets"),
    ("GET", "/api/tables/{table_id}/turn"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
]


@pytest.fixture(scope="module")
def document(server_url: str) -> BaseSchema:
    return schemathesis.openapi.from_url(f"{server_url}/schema")


@pytest.fixture(scope="module")
def seats(server_url: str) -> list[Player]:
    """The two seats of a table at which a game is on."""

    async def sit() -> list[Player]:
        async with Client(server_url) as client:
            players = await seated(client, hints=True, games=100)
            async with players[0].connect() as maker:
                await maker.set_secret((1, 2, 3, 4))
            return [*players]

    return asyncio.run(sit())


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_documented(
    document: BaseSchema, seats: list[Player], method: str, path: str, mode: GenerationMode
) -> None:
    """Requests as the document allows them and as it does not, by strangers and by a player."""
    cases = document[path][method].as_strategy(generation_mode=mode)

    @given(case=cases, seat=st.sampled_from([None, *seats]), right_table=st.booleans())
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any], seat: Player | None, right_table: bool) -> None:
        if "table_id" in (case.path_parameters or {}) and right_table:
            case.path_parameters["table_id"] = seats[0].table
        if "day" in (case.path_parameters or {}) and right_table:
            case.path_parameters |= {"day": "2026-01-01", "board": "classic"}
        headers = {"authorization": f"Bearer {seat._token}"} if seat else {}
        answer = case.call(headers=headers, timeout=LIMIT)
        if answer.status_code != TOO_LARGE:
            case.validate_response(answer, checks=CHECKED)

    try:
        ask()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE
        assert path in NEVER_WRONG


def test_the_document_lists_every_address(server_url: str) -> None:
    async def paths() -> set[str]:
        async with Client(server_url) as client:
            return set((await client.get("/schema", dict[str, Any]))["paths"])

    assert asyncio.run(paths()) == {path for _, path in OPERATIONS}


def test_the_document_keeps_limits_that_the_framework_would_lose(server_url: str) -> None:
    async def schemas() -> dict[str, Any]:
        async with Client(server_url) as client:
            document = await client.get("/schema", dict[str, Any])
            found: dict[str, Any] = document["components"]["schemas"]
            return found

    guess = asyncio.run(schemas())[wire.Guess.__name__]
    assert guess["additionalProperties"] is False
    assert guess["properties"]["code"]["items"] == {"type": "integer", "minimum": 0, "maximum": 20}


def test_the_document_says_which_bodies_may_be_left_out(server_url: str) -> None:
    async def paths() -> dict[str, Any]:
        async with Client(server_url) as client:
            found: dict[str, Any] = (await client.get("/schema", dict[str, Any]))["paths"]
            return found

    found = asyncio.run(paths())
    bodies = {
        path: found[path]["post"]["requestBody"]["required"]
        for path in (
            "/api/tables",
            "/api/tables/{table_id}/tickets",
            "/api/tables/{table_id}/seats",
        )
    }
    assert list(bodies.values()) == [False, False, True]


@pytest.mark.parametrize(
    ("board", "valid"), [("classic", True), (" 4x6b/8 ", True), ("0", False), ("4x", False)]
)
def test_the_document_knows_what_a_board_looks_like(
    server_url: str, board: str, valid: bool
) -> None:
    async def schema() -> dict[str, Any]:
        async with Client(server_url) as client:
            document = await client.get("/schema", dict[str, Any])
            found: dict[str, Any] = document["components"]["schemas"]["NewTable"]
            return found

    pattern = asyncio.run(schema())["properties"]["board"]["pattern"]
    assert bool(re.search(pattern, board)) is valid
