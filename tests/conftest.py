"""Databases as fixtures. The rules' tests load this file too, and have none of them installed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keypeg import draw

SERVERS = ("postgresql", "redis")


def pytest_configure(config: pytest.Config) -> None:
    for name in SERVERS:
        config.addinivalue_line("markers", f"{name}: needs such a server; set by itself")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in SERVERS:
            if name in getattr(item, "fixturenames", ()) or name in item.nodeid.partition("[")[2]:
                item.add_marker(name)


@pytest.fixture(autouse=True)
def _same_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process draw the same codes in every run: a test's guess could hit a secret."""
    chance = random.Random(request.node.nodeid)
    monkeypatch.setattr(draw._SYSTEM, "getrandbits", chance.getrandbits)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Any]:
    from harness.databases import postgresql_server  # noqa: PLC0415 - see above

    with postgresql_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh database of each kind."""
    from harness.databases import postgresql_address, sqlite_address  # noqa: PLC0415 - see above

    if request.param == "sqlite":
        return sqlite_address(tmp_path)
    return postgresql_address(request.getfixturevalue("postgresql"))


@pytest.fixture
def shared_address(postgresql: Any) -> str:
    """A fresh database that several processes may use."""
    from harness.databases import postgresql_address  # noqa: PLC0415 - see above

    return postgresql_address(postgresql)


@pytest.fixture
def redis() -> Iterator[Any]:
    """A Redis server of this test's own."""
    from harness.databases import redis_server  # noqa: PLC0415 - see above

    with redis_server() as server:
        yield server
