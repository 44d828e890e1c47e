"""What a browser loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
import segno

from harness.servers.in_process import running
from keypeg.server import addresses
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


async def test_an_invitation_leads_others_here_and_not_to_their_own_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "_way_out", lambda _family, _there: "192.168.7.3")
    drawn: list[str] = []
    make = segno.make

    def noted(text: str, **how: Any) -> segno.QRCode:
        drawn.append(text)
        return make(text, **how)

    monkeypatch.setattr(segno, "make", noted)
    async with (
        running(tmp_path, host="0.0.0.0") as server,
        httpx.AsyncClient(base_url=server.url) as page,
    ):
        table = (await page.post("/api/tables", json={})).json()["table"]
        network = f"http://192.168.7.3:{server.port}"
        meta = f'<meta name="invitation-base" content="{network}">'
        assert meta in (await page.get(f"/table/{table}")).text
        await page.get(f"/table/{table}/qr.svg")
        there = {"host": f"192.168.7.3:{server.port}"}
        assert "invitation-base" not in (await page.get(f"/table/{table}", headers=there)).text
        await page.get(f"/table/{table}/qr.svg", headers=there)
        assert drawn == [f"{network}/table/{table}"] * 2


async def test_an_invitation_leads_to_the_public_address(tmp_path: Path) -> None:
    async with (
        running(tmp_path, public_url="https://a.example") as server,
        httpx.AsyncClient(base_url=server.url) as page,
    ):
        assert 'content="https://a.example"' in (await page.get(f"/table/{'x' * 22}")).text


async def test_on_this_device_alone_an_invitation_leads_where_the_page_is(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        assert "invitation-base" not in (await page.get(f"/table/{'x' * 22}")).text
