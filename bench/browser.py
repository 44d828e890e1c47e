"""How soon a page can be used on a first visit: over loopback, with nothing cached."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, sync_playwright

from bench import Row, bench
from harness.browser import FLAGS, chromium, open_table
from harness.servers.processes import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 5
READY = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
"""Modules run before this event, so the page can be used after it."""


@bench
def first_load() -> Iterator[Row]:
    """The start page, and a table whose link was sent by a friend."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServerProcess(f"sqlite:///{folder}/keypeg.db", Path(folder)) as server,
        sync_playwright() as tools,
    ):
        browser = tools.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_context(base_url=server.url).new_page()
        page.goto("/")
        for name, path in (("start page", "/"), ("a table, by its link", open_table(page))):
            soonest = min(_ready(browser, server.url + path) for _ in range(RUNS))
            yield Row(f"{name}: interactive, best of {RUNS}", soonest, 1.0)
        browser.close()


def _ready(browser: Browser, url: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    seconds: float = page.evaluate(READY) / 1000
    context.close()
    return seconds
