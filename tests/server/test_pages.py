"""What a browser loads."""

from __future__ import annotations

import re
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


async def test_texts_travel_compressed_and_once(tmp_path: Path) -> None:
    script = f"/web/{site().digest}/pages/start.js"
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        for path in ("/", "/learn", script):
            plain = await page.get(path, headers={"accept-encoding": "br, gzip;q=0.0"})
            packed = await page.get(path, headers={"accept-encoding": "br, GZIP;q=0.5"})
            assert "content-encoding" not in plain.headers
            assert packed.headers["content-encoding"] == "gzip"
            assert packed.content == plain.content
            assert int(packed.headers["content-length"]) < len(plain.content) * 0.6
            for answer in (plain, packed):
                assert answer.headers["vary"] == "Accept-Encoding"
                asked = {
                    "accept-encoding": answer.request.headers["accept-encoding"],
                    "if-none-match": f'"other", W/{answer.headers["etag"]}',
                }
                again = await page.get(path, headers=asked)
                assert (again.status_code, again.content) == (304, b"")
                assert again.headers["etag"] == answer.headers["etag"]
            assert plain.headers["etag"] != packed.headers["etag"]


async def test_what_is_made_for_somebody_is_not_compressed(tmp_path: Path) -> None:
    """Its length would betray what of it a stranger has guessed."""
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        table = (await page.post("/api/tables", json={})).json()["table"]
        for path in (f"/api/tables/{table}", f"/table/{table}/qr.svg", "/api/choices", "/metrics"):
            answer = await page.get(path, headers={"accept-encoding": "gzip"})
            assert "content-encoding" not in answer.headers


async def test_a_page_marks_its_own_link_in_the_bar_or_that_of_its_section(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        for path, marked in (
            ("/puzzle", [("puzzle", "page")]),
            ("/storm", [("puzzle", "true")]),
            ("/print", [("puzzle", "true")]),
            ("/games", [("games", "page")]),
            ("/mistakes", [("games", "true")]),
            ("/progress", [("games", "true")]),
            ("/daily", []),
        ):
            text = (await page.get(path)).text
            assert re.findall(r'href="/(\w+)" aria-current="(\w+)"', text) == marked, path


async def test_every_page_describes_itself(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        places = {"index": "/", "table": "/table/x", "match": "/match/x"}
        paths = [places.get(name, f"/{name}") for name in site().pages]
        told = [(await page.get(path)).text for path in paths]
        found = [
            re.findall(r'<meta name="description" content="([^"]{40,160})">', one) for one in told
        ]
        assert all(len(one) == 1 for one in found), dict(zip(paths, found, strict=True))
        assert len({one[0] for one in found}) == len(paths)


@pytest.mark.parametrize(
    ("host", "wanted"),
    [("192.168.0.5:8000", None), ("keypeg.local", None), ("[::1]:8000", "same-origin")],
)
async def test_no_browser_complains_about_a_header_it_must_ignore(
    tmp_path: Path, host: str, wanted: str | None
) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        answer = await page.get("/", headers={"host": host})
        assert answer.headers.get("cross-origin-opener-policy") == wanted


async def test_only_the_page_that_reads_qr_codes_may_ask_for_the_camera(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        for path, camera in (("/", "()"), ("/progress", "(self)"), ("/progress/x", "()")):
            policy = (await page.get(path)).headers["permissions-policy"]
            assert policy == f"camera={camera}, geolocation=(), microphone=()", path


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
        assert drawn == [f"{network}/table/{table}"]  # once for both: drawing takes long


async def test_an_invitation_leads_to_the_public_address(tmp_path: Path) -> None:
    async with (
        running(tmp_path, public_url="https://a.example") as server,
        httpx.AsyncClient(base_url=server.url) as page,
    ):
        assert 'content="https://a.example"' in (await page.get(f"/table/{'x' * 22}")).text


async def test_on_this_device_alone_an_invitation_leads_where_the_page_is(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        assert "invitation-base" not in (await page.get(f"/table/{'x' * 22}")).text
