"""The names under which the server answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from harness.clients.sockets import PATIENCE
from harness.servers.in_process import running
from keypeg.server.hosts import Hosts, name_in

pytestmark = pytest.mark.anyio
STRANGE = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.1.2.3", "[::2]"]
INVALID = ["", "a b", "a/b", "user@localhost", "localhost:x", "[::1", "x" * 254, "\u00e9", "a\\b"]


@pytest.mark.parametrize(
    ("host", "name"),
    [("LocalHost:8000", "localhost"), ("a.example.", "a.example"), ("[::1]:8000", "[::1]")],
)
def test_a_name_is_compared_without_its_port(host: str, name: str) -> None:
    assert name_in(host) == name


@pytest.mark.parametrize("host", INVALID)
def test_what_is_not_a_host_has_no_name(host: str) -> None:
    assert name_in(host) is None


def test_the_address_that_was_connected_to_is_a_name() -> None:
    hosts = Hosts(["https://play.example", "http://[fd00::1]:8000"])
    assert hosts.allow("play.example", None)
    assert hosts.allow("[fd00::1]", None)
    assert hosts.allow("192.168.0.7", "192.168.0.7")
    assert not hosts.allow("192.168.0.7", "192.168.0.8")


@pytest.mark.parametrize("public", [None, "https://play.example"])
async def test_a_server_answers_to_its_own_names_alone(tmp_path: Path, public: str | None) -> None:
    names = ["localhost", "127.0.0.1:1", *([public.partition("//")[2]] if public else [])]
    async with (
        running(tmp_path, public_url=public) as server,
        httpx.AsyncClient(base_url=server.url) as page,
    ):

        async def status(path: str, host: str) -> tuple[int, str]:
            answer = await page.get(path, headers={"host": host})
            return answer.status_code, answer.json()["code"] if answer.is_error else ""

        table = (await page.post("/api/tables", json={})).json()["table"]
        for path in ("/", f"/table/{table}/qr.svg", "/api/choices", "/web/x/nothing.js", "/schema"):
            assert {await status(path, host) for host in STRANGE} == {(421, "host")}
        for host in names:
            assert await status("/api/choices", host) == (200, "")
        # By whatever name a proxy or Prometheus knows it.
        for path in ("/healthz", "/metrics"):
            assert await status(path, "keypeg-1") == (200, "")
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            b"GET /api/live HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        async with asyncio.timeout(PATIENCE):
            assert (await reader.read()).startswith(b"HTTP/1.1 421 ")
        writer.close()


async def test_a_host_that_is_not_valid_is_neither_drawn_nor_quoted(tmp_path: Path) -> None:
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as page:
        table = (await page.post("/api/tables", json={})).json()["table"]
        for host in (*INVALID[:-2], "x" * 2250):
            answer = await page.get(f"/table/{table}/qr.svg", headers={"host": host})
            assert (answer.status_code, answer.json()["code"]) == (400, "cannot-read")
            assert len(answer.content) < 200
