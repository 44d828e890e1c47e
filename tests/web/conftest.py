"""A real server and Debian's Chromium for every test of the browser side."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

from harness.browser import FLAGS, chromium
from harness.servers.in_process import running
from harness.servers.processes import ServerProcess

DEALER = (sys.executable, "-m", "tests.web.dealer")
PATIENCE_MS = 90_000
"""How long a page, and the solver behind it, may take on a busy machine."""


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": chromium(), "args": FLAGS}


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Only for these tests: its event loop would be in the way of others."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright, browser_type_launch_args: dict[str, Any]) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**browser_type_launch_args)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("web")
    process = ServerProcess(f"sqlite:///{folder}/keypeg.db", folder)
    process.prefix = DEALER
    with process:
        yield process
        process.stop()


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[str]:
    """The address of a server in a thread of this process, with settings of the test."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running(folder, **settings)) as server,
    ):
        yield server.url


@pytest.fixture(scope="session")
def browser_context_args(server: ServerProcess) -> dict[str, Any]:
    return {
        "base_url": server.url,
        "viewport": {"width": 1000, "height": 760},
        "reduced_motion": "reduce",
    }


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    if "context" in request.fixturenames:
        context: BrowserContext = request.getfixturevalue("context")
        context.set_default_timeout(PATIENCE_MS)


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page whose errors fail the test."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.extend(_complaints(said)))
    yield page
    assert not wrong


def _complaints(said: ConsoleMessage) -> list[str]:
    """The errors of a page; that the solver is still warming up is not one of them."""
    is_busy = "status of 429" in said.text
    return [said.text] if said.type == "error" and not is_busy else []


@pytest.fixture
def screenshots() -> Path | None:
    """Where screenshots are saved, if KEYPEG_SCREENSHOTS is set."""
    folder = os.environ.get("KEYPEG_SCREENSHOTS")
    return Path(folder) if folder else None
