"""The door: origins, cookies, headers, sizes, rates. Attacks are made with real requests."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import httpx
import psutil
import pytest
from websockets.exceptions import InvalidStatus

from harness.clients.sockets import PATIENCE, raw, seated
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.series import Seat
from keypeg.server import budget, connections, guard, heads
from tests.server.corpus import BAD_NAMES

pytestmark = pytest.mark.anyio


def evil_origins(port: int) -> list[str]:
    """Origins that are nearly ours, and others."""
    return [
        "https://evil.example",
        "null",
        "",
        f"http://127.0.0.1:{port}.evil.example",
        f"http://evil.example:{port}",
        f"http://127.0.0.1:{port + 1}",
        f"https://127.0.0.1:{port}",
        f"http://127.0.0.1:{port}/",
        "http://127.0.0.1",
    ]


def http(server: Running) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url)


async def test_a_strange_page_gets_no_socket(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        for origin in evil_origins(server.port):
            with pytest.raises(InvalidStatus, match="403"):
                async with raw(server.port, origin=origin):
                    pass
        for ours in (f"http://127.0.0.1:{server.port}", f"http://localhost:{server.port}", None):
            async with raw(server.port, origin=ours):
                pass


async def test_a_cookie_without_an_origin_gets_no_socket(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        with pytest.raises(InvalidStatus, match="403"):
            async with raw(server.port, additional_headers={"Cookie": "keypeg_seat_one=x"}):
                pass


async def test_refused_handshakes_are_counted_and_rationed_and_make_no_noise(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def status(**options: object) -> int:
        try:
            async with raw(server.port, **options):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    limits = {"requests_per_second": 0.001, "requests_at_once": 4, "sockets": 1}
    async with running(tmp_path, **limits) as server, http(server) as page:
        assert await status(origin="https://evil.example") == 403
        async with raw(server.port):
            assert await status() == 503
        assert await status(origin="https://evil.example") == 403
        assert [await status() for _ in range(3)] == [429] * 3
        # Requests have a bucket of their own.
        assert (await page.get("/api/tables")).status_code == 200
        figures = (await page.get("/metrics")).text
        for refused, times in ((403, 2), (503, 1), (429, 3)):
            assert f'keypeg_handshakes_refused_total{{status="{refused}"}} {times}.0' in figures
    said = [record for record in caplog.records if record.levelno >= logging.WARNING]
    limits_said = [record.limit for record in said]  # type: ignore[attr-defined]
    assert limits_said == ["origins", "sockets", "handshakes"]


async def test_there_is_one_socket_address(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        answer = await asyncio.to_thread(httpx.get, f"{server.url}/api/live")
        assert answer.status_code == 404


async def test_a_strange_page_can_change_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        for origin in evil_origins(server.port):
            answer = await page.post("/api/tables", json={}, headers={"origin": origin})
            assert (answer.status_code, answer.json()["code"]) == (403, "origin")
        assert (await page.get("/api/tables")).json() == []


async def test_a_page_holds_its_seat_by_a_cookie_that_scripts_cannot_read(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        origin = {"origin": server.url}
        opened = await page.post("/api/tables", json={"name": "Ann"}, headers=origin)
        assert opened.json()["token"] is None
        cookie = opened.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
        path = f"/api/tables/{opened.json()['table']}"
        assert (await page.get(path)).json()["seat"] == "one"
        assert (await page.post(f"{path}/tickets", json={}, headers=origin)).status_code == 201
        without = await page.post(f"{path}/tickets", json={})
        assert (without.status_code, without.json()["code"]) == (403, "origin")
        page.cookies.clear()
        assert (await page.get(path)).json()["seat"] is None


async def test_one_page_may_hold_both_seats_and_says_which_it_means(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        origin = {"origin": server.url}
        table = (await page.post("/api/tables", json={}, headers=origin)).json()["table"]
        path = f"/api/tables/{table}"
        await page.post(f"{path}/seats", json={"seat": "two"}, headers=origin)
        for seat in ("one", "two"):
            assert (await page.get(path, params={"seat": seat})).json()["seat"] == seat
        secret = {"type": "set-secret", "id": "s", "code": [1, 2, 3, 4]}
        wrong = await page.post(
            f"{path}/commands", params={"seat": "two"}, json=secret, headers=origin
        )
        assert wrong.status_code == 409
        right = await page.post(
            f"{path}/commands", params={"seat": "one"}, json=secret, headers=origin
        )
        assert right.json() == {"type": "ack", "id": "s", "seq": 3}


async def test_cookies_insist_on_https_where_the_page_is_served_so(tmp_path: Path) -> None:
    async with running(tmp_path, public_url="https://play.example") as server, http(server) as page:
        origin = {"origin": "https://play.example"}
        opened = await page.post("/api/tables", json={}, headers=origin)
        assert "Secure" in opened.headers["set-cookie"].split("; ")
        assert "strict-transport-security" in opened.headers


async def test_every_answer_carries_the_security_headers(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        answers = [
            await page.get("/"),
            await page.get("/nothing"),
            await page.get("/schema"),
            await page.get("/metrics"),
            await page.post("/api/tables", content=b"{"),
            await page.delete("/api/tables"),
        ]
        assert [answer.status_code for answer in answers] == [200, 404, 200, 200, 400, 405]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers


async def test_nobody_keeps_an_answer_that_may_show_a_secret(tmp_path: Path) -> None:
    """The whole schema is asked, so that no address is forgotten; refusals count too."""
    async with running(tmp_path) as server, http(server) as page:
        opened = await page.post("/api/tables", json={"name": "Ada", "seat": "one"})
        token, table = opened.json()["token"], opened.json()["table"]
        answers = [opened]
        for path, methods in (await page.get("/schema/openapi.json")).json()["paths"].items():
            url = path.replace("{table_id}", table)
            for method in methods:
                bearer = {"Authorization": f"Bearer {token}"}
                wrong = await page.request(method, url, headers=bearer, json=["wrong"])
                answers.append(wrong)
        assert len(answers) > 8
        assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}


@pytest.mark.parametrize("defended", [True, False])
async def test_the_maker_s_view_is_not_to_be_stored(
    defended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not defended:
        monkeypatch.setattr(guard, "_says_how_long_it_is_kept", lambda _headers: True)
    async with running(tmp_path) as server, Client(server.url) as client, http(server) as page:
        one, _ = await seated(client, board="4x6")
        async with one.connect() as maker:
            await maker.set_secret((1, 2, 3, 4))
        bearer = {"Authorization": f"Bearer {one.token}"}
        shown = await page.get(f"/api/tables/{one.table}", headers=bearer)
        assert shown.json()["games"][0]["secret"] == [1, 2, 3, 4]
        assert (shown.headers.get("cache-control") == "no-store") is defended


@pytest.mark.parametrize("defended", [True, False])
async def test_what_a_proxy_withholds_has_no_other_address(
    defended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not defended:
        monkeypatch.setattr(guard, "_is_alias", lambda _path: False)
    async with running(tmp_path) as server, http(server) as page:
        for path in ("//metrics", "/metrics/", "/%2fmetrics", "//healthz", "//api/tables"):
            answer = await page.get(server.url + path)
            assert (answer.status_code == 404) is defended
        assert (await page.get("/metrics")).status_code == 200


async def test_a_body_is_short_and_well_formed(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:

        async def status(content: bytes) -> int:
            return (await page.post("/api/tables", content=content)).status_code

        assert await status(b'{"name":"' + b"x" * heads.BODY_BYTES + b'"}') == 413
        assert await status(b'{"games":2,"games":4}') == 400
        assert await status(b'{"games":NaN}') == 400
        assert await status(b'{"name":"\\ud800"}') == 400
        assert await status(b'{"name":"\xff"}') == 400
        assert await status(b"[" * 8000) == 400
        assert await status(b'{"games":2.0}') == 422
        assert await status(b'{"games":true}') == 422
        assert await status(b'{"games":9223372036854775808}') == 422
        assert await status(b'{"games":3}') == 422
        assert await status(b'{"turn_seconds":1e308}') == 422
        assert await status(b'{"admin":true}') == 422
        assert await status(b"[]") == 422
        assert await status(b'{"public":false}') == 201


async def test_a_body_without_a_length_is_refused(tmp_path: Path) -> None:
    async def flood() -> object:
        yield b"{}"

    async with running(tmp_path) as server, http(server) as page:
        answer = await page.post("/api/tables", content=flood())  # type: ignore[arg-type]
        assert answer.status_code == 411


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nA: "]
)
async def test_a_request_that_never_ends_is_not_waited_for(
    tmp_path: Path, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
    async with running(tmp_path) as server:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(sent)
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()


async def test_a_body_that_never_comes_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)
    async with running(tmp_path) as server:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(
                b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
            )
            assert (await reader.readline()).startswith(b"HTTP/1.1 408")
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize(
    "last", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"?\r\n\r\n"]
)
async def test_a_peer_that_never_reads_its_answers_is_not_waited_for(
    tmp_path: Path, last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.3)
    ours = psutil.Process()
    async with running(tmp_path) as server:

        def served() -> int:
            return sum(c.laddr.port == server.port for c in ours.net_connections("tcp4"))

        alone = served()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.settimeout(0)
            request = b"GET /schema HTTP/1.1\r\nHost: localhost\r\n\r\n"
            async with asyncio.timeout(PATIENCE):
                # More answers than the system's buffers hold.
                await asyncio.get_running_loop().sock_sendall(peer, 300 * request + last)
                while served() == alone:
                    await asyncio.sleep(0.01)
                while served() > alone:
                    await asyncio.sleep(0.05)


@pytest.mark.parametrize("defence", ["on", "off"])
async def test_a_neighbour_who_floods_does_not_keep_a_player_from_coming_back(
    tmp_path: Path, defence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have one address. Switched off, a ticket counts like any other request."""
    if defence == "off":
        monkeypatch.setattr(budget, "TICKETS_END", "/no such path")
    limits = {"requests_per_second": 0.001, "requests_at_once": 5}
    async with running(tmp_path, **limits) as server, Client(server.url) as client:
        one, _ = await seated(client)
        refused = 0
        for _ in range(150):
            async with http(server) as flooder:
                answer = await flooder.get("/api/choices")
            if answer.status_code == 429:
                assert answer.headers["connection"] == "close"
                refused += 1
        assert refused > 140
        headers = {"Authorization": f"Bearer {one.token}"}
        async with http(server) as page:
            path = f"/api/tables/{one.table}/tickets"
            answer = await page.post(path, json={}, headers=headers)
            if defence == "off":
                assert answer.status_code == 429
                return
        async with raw(server.port) as socket:
            await socket.say(wire.Hello(ticket=answer.json()["ticket"]))
            assert (await socket.hear_a(wire.Welcome)).seat is Seat.ONE


async def test_too_many_requests_wait(tmp_path: Path) -> None:
    limits = {"requests_per_second": 0.01, "requests_at_once": 5}
    async with running(tmp_path, **limits) as server, http(server) as page:
        answers = [await page.get("/api/tables") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert (await page.get("/healthz")).status_code == 200


async def test_an_invented_address_does_not_help(tmp_path: Path) -> None:
    limits = {"requests_per_second": 0.1, "requests_at_once": 2}
    async with running(tmp_path, **limits) as server, http(server) as page:
        statuses = []
        for number in range(4):
            headers = {"x-forwarded-for": f"198.51.100.{number}"}
            statuses.append((await page.get("/api/tables", headers=headers)).status_code)
        assert statuses == [200, 200, 429, 429]


async def test_a_trusted_proxy_is_believed(tmp_path: Path) -> None:
    limits = {"requests_per_second": 0.1, "requests_at_once": 1}
    proxies = ("127.0.0.1",)
    told = running(tmp_path, trusted_proxies=proxies, **limits)
    async with told as server, http(server) as page:
        for number in range(4):
            headers = {"x-forwarded-for": f"198.51.100.{number}"}
            assert (await page.get("/api/tables", headers=headers)).status_code == 200


async def test_new_tables_are_rationed(tmp_path: Path) -> None:
    limits = {"tables_per_minute": 1.0, "tables_at_once": 3}
    async with running(tmp_path, **limits) as server, http(server) as page:
        statuses = [(await page.post("/api/tables", json={})).status_code for _ in range(5)]
        assert statuses == [201, 201, 201, 429, 429]


async def test_a_table_there_is_not_looks_like_one_that_is_not_named_right(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        answers = [await page.get(f"/api/tables/{'-' * 22}")]
        for name in ("x" * 22, "short", "%00", "x" * 300, "'; drop table entries; --"):
            for path in ("", "/record", "/review"):
                answers += [await page.get(f"/api/tables/{name}{path}")]
        assert {answer.status_code for answer in answers} == {404}
        known = {answer.text for answer in answers}
        assert known == {'{"code":"no-such-table","message":"there is no such table"}'}


async def test_unlisted_tables_are_not_listed(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        hidden = await client.open_table()
        shown = await client.open_table(public=True)
        assert [table.id for table in await client.public_tables()] == [shown.table]
        assert hidden.table != shown.table


@pytest.mark.parametrize(
    "board", ["12x20", "1000000000x1000000000", "16x21", "0x6", "4x1", "-4x6", "4x6/100", "9" * 40]
)
async def test_absurd_boards_are_refused_or_harmless(tmp_path: Path, board: str) -> None:
    """12x20 has 4*10^15 codes: it may be played, since nothing here goes through them."""
    async with running(tmp_path) as server, http(server) as page:
        answer = await page.post("/api/tables", json={"board": board})
        assert answer.status_code == (201 if board == "12x20" else 422)
        for question in ("hints", "reviews"):
            refused = await page.post(f"/api/{question}", json={"board": board})
            assert refused.status_code == (409 if board == "12x20" else 422)
        assert server.application.services.advice._running is None


async def test_names_that_could_deceive_are_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as server, http(server) as page:
        for name in BAD_NAMES:
            answer = await page.post("/api/tables", json={"name": name})
            assert (answer.status_code, answer.json()["code"]) == (422, "cannot-read")
        kept = "<script>alert(1)</script>"
        table = (await page.post("/api/tables", json={"name": kept})).json()["table"]
        seen = await page.get(f"/api/tables/{table}")
        assert seen.json()["one"]["name"] == kept
        assert seen.headers["content-type"] == "application/json"


async def test_hints_are_off_between_people_unless_agreed(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with one.connect() as maker:
            await maker.set_secret((1, 2, 3, 4))
        for seat in (one, two):
            answer = await client._http.post(
                f"/api/tables/{one.table}/hints",
                json={"id": "h"},
                headers={"authorization": f"Bearer {seat._token}"},
            )
            assert (answer.status_code, answer.json()["code"]) == (403, "hints-off")
        answer = await client._http.post(f"/api/tables/{one.table}/hints", json={"id": "h"})
        assert answer.status_code == 401


async def test_a_review_counts_what_each_row_told(advised: Client) -> None:
    one, two = await seated(advised)
    async with one.connect() as maker, two.connect() as breaker:
        await maker.set_secret((1, 2, 3, 4))
        await breaker.guess((1, 1, 2, 2))
        path = f"/api/tables/{one.table}/review"
        early = await advised._http.get(path)
        assert early.status_code == 409
        await breaker.guess((1, 2, 3, 4))
    review = await advised.get(path, wire.Review)
    first, second = review.rows
    assert (first.before, first.after, first.certainty) == (1296, 208, "proven")
    assert (second.after, second.possible) == (1, True)
    assert review.start + review.loss - review.luck == pytest.approx(2)
    assert breaker.seat is Seat.TWO
