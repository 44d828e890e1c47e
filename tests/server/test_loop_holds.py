"""Nothing that a client sends or has stored holds the event loop for long."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from harness.servers.in_process import running
from harness.worst_requests import (
    OVER,
    PLAYING,
    Loaded,
    ask_in_turn,
    fill,
    messages_in_turn,
    serving,
    warm_up,
    worst,
)
from keypeg import messages as wire
from keypeg.server import live, record_texts

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
MOST_MILLISECONDS: Final = 20.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("longest")
    asyncio.run(fill(folder))
    return folder


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Iterator[Loaded]:
    with pytest.MonkeyPatch.context() as patch, serving(folder) as found:
        patch.setattr(live, "HELLO_SECONDS", 60.0)  # the client has half of a busy machine
        yield found


async def test_every_route_and_every_message_is_sent(tmp_path: Path) -> None:
    """A new one cannot be forgotten."""
    async with running(tmp_path) as server:
        routes = server.application.asgi._app.routes  # type: ignore[attr-defined]
        assert {route.path for route in routes} == set(ask_in_turn("x"))
    assert set(get_args(wire.ClientIn)) == set(messages_in_turn())


@pytest.fixture(scope="module")
def warm(loaded: Loaded) -> Loaded:
    """The same when everything was done once: what is compiled at first use is left out."""
    asyncio.run(warm_up(loaded))
    return loaded


async def test_nothing_holds_the_loop(warm: Loaded) -> None:
    found = await worst(warm, OVER)
    more = await worst(warm, PLAYING)
    found |= {f"{what}, in a series that goes on": by for what, by in more.items()}
    if os.environ.get("KEYPEG_SHOW_HOLDS"):
        for what, (milliseconds, by) in sorted(found.items(), key=lambda pair: pair[1])[-40:]:
            print(f"{milliseconds:6.1f} ms {what} {by[:160]}")  # noqa: T201
    held = {what: by for what, by in found.items() if by[0] > MOST_MILLISECONDS}
    assert not held


async def test_a_record_that_is_formatted_on_the_loop_is_noticed(
    warm: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    monkeypatch.setattr(asyncio, "to_thread", at_once)
    monkeypatch.setattr(warm.server.application.services, "records", record_texts.RecordTexts())
    found = await worst(warm, OVER)
    (record,) = (by[0] for what, by in found.items() if "200 GET" in what and "/record" in what)
    assert record > MOST_MILLISECONDS
