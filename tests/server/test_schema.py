"""The interface does what its document says: generated requests, and no surprises."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from keypeg.client import Client
from keypeg.server import messages as wire
from tests.server.running import running


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
    assert ready.wait(30)
    yield started[0]
    stop.set()
    thread.join()


@pytest.fixture(scope="module")
def api(server_url: str) -> Any:
    return schemathesis.openapi.from_url(f"{server_url}/schema")


schema = schemathesis.pytest.from_fixture("api")

WANTED = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
]


@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_every_answer_is_documented(case: Any) -> None:
    case.call_and_validate(checks=[CHECKS.get_one(name) for name in WANTED])


def test_the_document_lists_what_issue_asks_for(server_url: str) -> None:
    async def paths() -> set[str]:
        async with Client(server_url) as client:
            return set((await client.get("/schema", dict[str, Any]))["paths"])

    assert asyncio.run(paths()) == {
        "/api/choices",
        "/api/hints",
        "/api/reviews",
        "/api/tables",
        "/api/tables/{table_id}",
        "/api/tables/{table_id}/commands",
        "/api/tables/{table_id}/hints",
        "/api/tables/{table_id}/record",
        "/api/tables/{table_id}/review",
        "/api/tables/{table_id}/seats",
        "/api/tables/{table_id}/tickets",
        "/healthz",
        "/metrics",
    }


def test_the_document_keeps_limits_that_the_framework_would_lose(server_url: str) -> None:
    async def schemas() -> dict[str, Any]:
        async with Client(server_url) as client:
            document = await client.get("/schema", dict[str, Any])
            found: dict[str, Any] = document["components"]["schemas"]
            return found

    guess = asyncio.run(schemas())[wire.Guess.__name__]
    assert guess["additionalProperties"] is False
    assert guess["properties"]["code"]["items"] == {"type": "integer", "minimum": 0, "maximum": 20}
