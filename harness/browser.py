"""Chromium, as Debian installs it, and a table opened from a page in it."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same engine without windows, menus and extensions, and costs less."""


def chromium() -> str:
    names = (os.environ.get("KEYPEG_CHROMIUM"), *BROWSERS)
    found = next(filter(None, (shutil.which(name) for name in names if name)), None)
    assert found, "there is no Chromium; `make test` says how to get one"
    return found


def open_table(page: Page, **settings: Any) -> str:
    """A table opened by the page's own browser, and its address."""
    answer = page.request.post(
        "/api/tables",
        data={"name": "Ann", **settings},
        headers={"Origin": page.url.rstrip("/")},
    )
    assert answer.ok, answer.text()
    return f"/table/{answer.json()['table']}"
