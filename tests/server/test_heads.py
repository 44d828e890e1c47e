"""The heads of requests: refused by their length and number of headers before they are read."""

from __future__ import annotations

import json

import h11
import pytest

from keypeg.server.heads import HEAD_BYTES, HEADERS, Requests

START = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


def refused(sent: bytes) -> tuple[int, str]:
    """The status and code of the answer to a head."""
    requests = Requests()
    requests.receive_data(sent)
    with pytest.raises(h11.RemoteProtocolError):
        requests.next_event()
    head, _, body = requests.refusal.partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    assert b"Content-Length: %d\r\n" % len(body) in head + b"\r\n"
    return int(head[9:12]), json.loads(body)["code"]


def accepted(sent: bytes) -> h11.Request:
    requests = Requests()
    requests.receive_data(sent)
    event = requests.next_event()
    assert isinstance(event, h11.Request)
    return event


def test_a_head_has_so_many_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    more = b"".join(b"x%d:\r\n" % number for number in range(HEADERS - 1))
    assert len(accepted(START + more + b"\r\n").headers) == HEADERS
    # None of them is looked at: that takes as long as there are headers.
    monkeypatch.setattr(h11._readers, "_decode_header_lines", None)
    assert refused(START + more + b"x:\r\n\r\n") == (431, "too-large")
    assert refused(START + 12_000 * b"a:\r\n" + b"\r\n") == (431, "too-large")


def test_a_head_has_so_many_bytes() -> None:
    room = HEAD_BYTES - len(START) - len(b"x:\r\n\r\n")
    accepted(START + b"x:" + room * b"a" + b"\r\n\r\n")
    assert refused(START + b"x:" + (room + 1) * b"a" + b"\r\n\r\n") == (431, "too-large")
    assert refused(START + b"x:" + (room + 100) * b"a") == (431, "too-large")


@pytest.mark.parametrize("target", [b"*", b"http://localhost/metrics", b"localhost:80", b"?"])
def test_the_target_of_a_request_is_a_path(target: bytes) -> None:
    assert refused(b"GET " + target + START[len("GET /") :] + b"\r\n") == (400, "cannot-read")
    assert accepted(b"GET /?a=http://b*" + START[len("GET /") :] + b"\r\n").target[:2] == b"/?"


def test_the_second_head_on_a_connection_is_measured_too() -> None:
    requests = Requests()
    requests.receive_data(START + b"\r\n" + START + 200 * b"a:\r\n" + b"\r\n")
    assert [type(requests.next_event()) for _ in range(2)] == [h11.Request, h11.EndOfMessage]
    requests.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
    requests.send(h11.EndOfMessage())
    requests.start_next_cycle()
    with pytest.raises(h11.RemoteProtocolError):
        requests.next_event()
    assert requests.refusal.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "name", ["Authorization", "Content-Type", "Cookie", "Host", "Origin", "oRIGIN"]
)
def test_what_two_readers_could_read_in_two_ways_is_refused(name: str) -> None:
    twice = f"{name}: a\r\nX: y\r\n{name}: b\r\n"
    head = START if name != "Host" else b"GET / HTTP/1.1\r\n"
    assert refused(head + twice.encode() + b"\r\n")[0] == 400


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (b"Transfer-Encoding: chunked", 411),
        (b"Content-Length: 16385", 413),
        (b"Content-Length: 99999999999999999999", 413),
        (b"Content-Length: x", 400),
        (b"Content-Length: 3\r\nContent-Length: 4", 400),
        (b"no header", 400),
    ],
)
def test_a_body_is_announced_and_short(header: bytes, status: int) -> None:
    assert refused(b"POST / HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n\r\n")[0] == status


def test_what_is_not_http_is_refused() -> None:
    assert refused(b"?\r\n\r\n") == (400, "cannot-read")
