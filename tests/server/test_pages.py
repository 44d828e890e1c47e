"""What a browser loads."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from harness.servers.in_process import running
from keypeg.server.pages import site

pytestmark = pytest.mark.anyio


async def test_pages_and_assets_are_served_under_the_strict_policy(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        start = await page.get("/")
        assert start.headers["content-type"].startswith("text/html")
        assert f"/web/{site().digest}/pages/start.js" in start.text
        script = await page.get(f"/web/{site().digest}/pages/start.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert "script-src 'self'" in script.headers["content-security-policy"]
        assert (await page.get("/api/tables")).json() == []
        assert (await page.get("/schema")).status_code == 200


@pytest.mark.parametrize(
    "path", ["/nothing", "/web/x/nothing.js", "/web/x/%2e%2e/cli.py", "/web/x/wire.d.ts"]
)
async def test_nothing_else_is_served(tmp_path: Path, path: str) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        assert (await page.get(path)).status_code == 404


async def test_the_address_of_a_table_is_drawn_for_cameras(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        table = (await page.post("/api/tables", json={})).json()["table"]
        drawn = await page.get(f"/table/{table}/qr.svg")
        assert drawn.headers["content-type"].startswith("image/svg+xml")
        assert drawn.text.startswith("<svg")
        assert (await page.get(f"/table/{'x' * 22}/qr.svg")).status_code == 404
