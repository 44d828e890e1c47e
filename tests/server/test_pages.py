"""What a browser loads."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from keypeg.server import pages
from tests.server.running import running

pytestmark = pytest.mark.anyio


async def test_without_a_web_folder_one_page_says_what_this_is(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        answer = await page.get("/")
        assert answer.headers["content-type"].startswith("text/html")
        assert "/schema" in answer.text


async def test_a_web_folder_is_served_under_the_strict_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = tmp_path / "web"
    (web / "board").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html><title>start</title>")
    (web / "board" / "row.js").write_text("export const row = 1;")
    (tmp_path / "secret.txt").write_text("not for everybody")
    monkeypatch.setattr(pages, "WEB", web)
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        start = await page.get("/")
        assert "<title>start</title>" in start.text
        assert start.headers["content-type"].startswith("text/html")
        script = await page.get("/board/row.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "script-src 'self'" in script.headers["content-security-policy"]
        assert (await page.get("/nothing.js")).status_code == 404
        assert (await page.get("/%2e%2e/secret.txt")).status_code == 404
        assert (await page.get("/api/tables")).json() == []
        assert (await page.get("/schema")).status_code == 200
