"""What every request passes before any handler sees it: origin, rate, size, well-formedness.

Plain ASGI, outside the framework, so that nothing can be routed around it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.messages import Problem, check_json
from keypeg.rules.errors import CannotRead
from keypeg.server.asgi import App, Message, Receive, Scope, Send, client_address
from keypeg.server.limits import Buckets, Places
from keypeg.server.security import COOKIE, HEADERS, LOOPBACK, OPENER, STRICT_TRANSPORT, Origins

if TYPE_CHECKING:
    from keypeg.server.metrics import Metrics
    from keypeg.server.rates import SharedRates
    from keypeg.server.settings import Settings

BODY_BYTES: Final = 16 * 1024
BODY_SECONDS: Final = 5.0
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
LIVE_PATH: Final = "/api/live"
UNLIMITED: Final = ("/healthz", "/metrics")
ASSETS: Final = "/web/"

_PORT: Final = re.compile(r":[0-9]+$")

_log = logging.getLogger("keypeg.http")


class Guard:
    """The gate in front of the HTTP application and the socket."""

    def __init__(
        self,
        http: App,
        live: App,
        settings: Settings,
        origins: Origins,
        metrics: Metrics,
        rates: SharedRates | None = None,
    ) -> None:
        self._app, self._live, self._origins, self._metrics = http, live, origins, metrics
        self._rates, self._limit = rates, (settings.requests_per_second, settings.requests_at_once)
        self._places = Places(settings.sockets, settings.sockets_per_address)
        self._buckets = Buckets(settings.requests_per_second, settings.requests_at_once)
        self._handshakes = Buckets(settings.requests_per_second, settings.requests_at_once)
        self._headers = [*HEADERS, *([OPENER, STRICT_TRANSPORT] if settings.https else [])]
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        status: int | None = None

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._headers, *self._opener(scope)]
            await send(message)

        try:
            await self._pass_http(scope, receive, answer)
        except asyncio.CancelledError:
            # Only the end of the server calls a request off; what it asked for may yet be done.
            if status is not None:
                raise
            await _refuse(answer, 503, "unavailable", "the server is restarting; repeat this")
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(method, status or 500).inc()
            _log.debug(
                "request",
                extra={
                    "method": method,
                    "status": status,
                    "milliseconds": round(1000 * (time.perf_counter() - began), 1),
                },
            )

    def _opener(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """The header that browsers want from pages of this machine, if this is one."""
        host = _PORT.sub("", _headers(scope).get("host", "")).lower()
        return [OPENER] if not self._https and host in LOOPBACK else []

    async def _pass_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        unsafe = scope["method"] not in SAFE_METHODS
        wait = 0.0 if _costs_nothing(scope["path"]) else await self._wait(client_address(scope))
        if wait:
            await _refuse(send, 429, "too-fast", "too many requests; wait a little", wait)
            return
        if unsafe and not self._origin_allowed(headers):
            await _refuse(send, 403, "origin", "requests from this origin are not allowed")
            return
        if not unsafe:
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read_body(headers, receive)
        except TimeoutError:
            await _refuse(send, 408, "too-slow", "the body did not arrive in time")
            return
        except _TooLarge:
            await _refuse(send, 413, "too-large", f"a body has at most {BODY_BYTES:,} bytes")
            return
        try:
            check_json(body or b"{}")
        except CannotRead as error:
            await _refuse(send, 400, "cannot-read", str(error))
            return
        await self._app(scope, _replay(body, receive), send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = client_address(scope)
        refusal = self._refusal(scope, address)
        if refusal is not None:
            self._metrics.handshakes.labels(refusal).inc()
            await _reject(receive, send, refusal)
            return
        try:
            await self._live(scope, receive, send)
        finally:
            self._places.give_back(address)

    def _refusal(self, scope: Scope, address: str) -> int | None:
        """The status that a handshake is refused with; None gives it a place."""
        if not self._handshakes.of(address).take():
            return 429
        if scope["path"] != LIVE_PATH or not self._origin_allowed(_headers(scope)):
            return 403
        return None if self._places.take(address) else 503

    async def _wait(self, client: str) -> float:
        """Seconds until this client may ask again; 0 if it may now."""
        bucket = self._buckets.of(client)
        if not bucket.take():
            return max(bucket.wait(), 0.001)
        if self._rates is None:
            return 0.0
        return await self._rates.wait("requests", client, *self._limit)

    def _origin_allowed(self, headers: dict[str, str]) -> bool:
        has_cookie = any(name + "=" in headers.get("cookie", "") for name in COOKIE.values())
        return self._origins.allow(headers.get("origin"), has_cookie=has_cookie)


_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


def _costs_nothing(path: str) -> bool:
    """What is answered from memory: a page asks for some forty modules at once."""
    return path in UNLIMITED or path.startswith(ASSETS)


class _TooLarge(Exception):
    pass


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


async def _read_body(headers: dict[str, str], receive: Receive) -> bytes:
    declared = headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:12]) > BODY_BYTES:
        raise _TooLarge
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
        if len(body) > BODY_BYTES:
            raise _TooLarge
        if not message.get("more_body", False):
            return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body read already, then whatever follows."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _reject(receive: Receive, send: Send, status: int) -> None:
    """Answer a handshake with an HTTP status and no socket."""
    await receive()
    await send({"type": "websocket.http.response.start", "status": status, "headers": []})
    await send({"type": "websocket.http.response.body", "body": b""})


async def _refuse(
    send: Send, status: int, code: str, message: str, retry_after: float | None = None
) -> None:
    body = msgspec.json.encode(Problem(code=code, message=message))
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if retry_after is not None:
        headers.append((b"retry-after", b"%d" % (int(retry_after) + 1)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
