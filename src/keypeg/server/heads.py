"""The head of a request: how long it may be, and what it may say only once.

It is measured before h11 reads it, because that takes a millisecond for each hundred headers.
Bodies must have a length: read in chunks of one byte, a short one would take half a second.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import h11
import msgspec
from h11._receivebuffer import ReceiveBuffer, blank_line_regex

from keypeg.messages import Problem

HEAD_BYTES: Final = 16 * 1024
HEADERS: Final = 100
BODY_BYTES: Final = 16 * 1024
ONCE: Final = frozenset({b"authorization", b"content-type", b"cookie", b"host", b"origin"})
"""Headers that may be given once: of two, some readers take the first, others the last."""
TOO_LARGE: Final = f"a body has at most {BODY_BYTES:,} bytes"


class BadHead(h11.RemoteProtocolError):
    """A request that is refused for its head alone."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message, status)
        self.code = code


class _Heads(ReceiveBuffer):
    """What has arrived, passed on one head at a time."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """The lines of the next head, if it is complete and not too long."""
        found = blank_line_regex.search(self._data, 0, HEAD_BYTES)
        if found is None and len(self._data) >= HEAD_BYTES:
            raise BadHead(
                431, "too-large", f"the head of a request has at most {HEAD_BYTES:,} bytes"
            )
        if found is not None and self._data.count(b"\n", 0, found.end()) > HEADERS + 2:
            raise BadHead(431, "too-large", f"a request has at most {HEADERS} headers")
        return super().maybe_extract_lines()


class Requests(h11.Connection):
    """h11's view of a connection, in which heads are measured first."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, HEAD_BYTES)
        self._receive_buffer = _Heads()
        self.refusal = b""
        """What to answer after an error."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next part of a request, if nothing is wrong with it."""
        try:
            event = super().next_event()
            if isinstance(event, h11.Request):
                _check(event)
        except h11.RemoteProtocolError as error:
            # Not the error: it refers to this frame, and would be in a reference cycle.
            self.refusal = _answer(error)
            raise
        return event


def _check(request: h11.Request) -> None:
    if not request.target.startswith(b"/"):
        raise BadHead(400, "cannot-read", "the target of a request is a path, which begins with /")
    seen = set()
    for name, value in request.headers:
        if name in ONCE and name in seen:
            raise BadHead(400, "cannot-read", f"the header {name.decode()} may be there only once")
        seen.add(name)
        if name == b"transfer-encoding":
            raise BadHead(
                411, "cannot-read", "a body needs a Content-Length, and comes in one piece"
            )
        if name == b"content-length" and int(value[:12]) > BODY_BYTES:
            raise BadHead(413, "too-large", TOO_LARGE)


def _answer(error: h11.RemoteProtocolError) -> bytes:
    """A whole answer, after which the connection is closed."""
    if isinstance(error, BadHead):
        problem = Problem(code=error.code, message=str(error))
    else:
        problem = Problem(code="cannot-read", message="this is not a valid HTTP request")
    status, body = HTTPStatus(error.error_status_hint), msgspec.json.encode(problem)
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
        f"X-Content-Type-Options: nosniff\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    ).encode() + body
