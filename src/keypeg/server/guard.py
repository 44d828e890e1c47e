"""What every request passes before any handler sees it: origin, rate, size, well-formedness.

Plain ASGI, outside the framework, so that nothing can be routed around it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.messages import Problem, check_json
from keypeg.rules.errors import CannotRead
from keypeg.server.asgi import DIRECT, App, Message, Receive, Scope, Send, client_address
from keypeg.server.budget import ASSETS, LIVE_PATH, network_of
from keypeg.server.hosts import Hosts, name_in
from keypeg.server.places import Sockets
from keypeg.server.security import (
    COOKIES,
    HEADERS,
    LOOPBACK,
    NO_STORE,
    OPENER,
    STRICT_TRANSPORT,
    Origins,
    permissions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.server.budget import Budget
    from keypeg.server.metrics import Metrics
    from keypeg.server.places import Place
    from keypeg.server.rates import SharedRates
    from keypeg.server.settings import Settings

BODY_SECONDS: Final = 5.0
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
OBSERVED: Final = ("/healthz", "/metrics")
"""Paths that may be asked for under any host name, as a proxy or Prometheus does."""
UNSHARED: Final = (*OBSERVED, ASSETS)
"""What is counted in this process alone."""


_log = logging.getLogger("keypeg.http")


class Guard:
    """The gate in front of the HTTP application and the socket."""

    def __init__(
        self,
        http: App,
        live: App,
        settings: Settings,
        origins: Iterable[str],
        metrics: Metrics,
        budget: Budget,
        rates: SharedRates | None = None,
    ) -> None:
        self._app, self._live, self._metrics = http, live, metrics
        allowed = tuple(origins)
        self._origins, self._hosts = Origins(allowed), Hosts(allowed)
        self._rates, self._limit = rates, (settings.requests_per_second, settings.requests_at_once)
        self._sockets = Sockets(settings.sockets, settings.sockets_per_address)
        self._budget = budget
        self._headers = [*HEADERS, *([OPENER, STRICT_TRANSPORT] if settings.https else [])]
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "lifespan":
            # Requests are counted by network, here and in what they call.
            scope["client"] = (network_of(client_address(scope)), 0)
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
                given = message["headers"]
                kept = [] if _says_how_long_it_is_kept(given) else [NO_STORE]
                own = [*self._headers, permissions(scope["path"]), *self._opener(scope)]
                message["headers"] = [*given, *kept, *own]
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
        host = name_in(_headers(scope).get("host", ""))
        return [OPENER] if not self._https and host in LOOPBACK else []

    async def _pass_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, network = _headers(scope), client_address(scope)
        unsafe = scope["method"] not in SAFE_METHODS
        wait = await self._wait(scope["path"], network)
        if wait:
            last = scope.get("state", {}).get(DIRECT, False)
            message = "too many requests; wait a little"
            await _refuse(send, 429, "too-fast", message, retry_after=wait, last=last)
            return
        stranger = self._stranger(scope, headers)
        if stranger is not None:
            self._budget.offend("hosts", network)
            await _refuse(send, *stranger)
            return
        if unsafe and not self._origin_allowed(headers):
            self._budget.offend("origins", network)
            await _refuse(send, 403, "origin", "requests from this origin are not allowed")
            return
        if _is_alias(scope["path"]):
            await _refuse(send, 404, "not-found", "there is nothing at this address")
            return
        if not unsafe:
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read_body(receive)
        except TimeoutError:
            message = "the body did not arrive in time"
            await _refuse(send, 408, "too-slow", message, last=True)
            return
        try:
            check_json(body or b"{}")
        except CannotRead as error:
            await _refuse(send, 400, "cannot-read", str(error))
            return
        await self._app(scope, _replay(body, receive), send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, place = self._place(scope, client_address(scope))
        if place is None:
            self._metrics.handshakes.labels(status).inc()
            await _reject(receive, send, status)
            return
        scope["place"] = place
        try:
            await self._live(scope, receive, send)
        finally:
            self._sockets.leave(place)

    def _place(self, scope: Scope, network: str) -> tuple[int, Place | None]:
        """A place for the socket that a handshake is for, or the status that it is refused with."""
        headers = _headers(scope)
        if self._budget.wait(LIVE_PATH, network):
            return 429, None
        stranger = self._stranger(scope, headers)
        if stranger is not None:
            self._budget.offend("hosts", network)
            return stranger[0], None
        if scope["path"] != LIVE_PATH or not self._origin_allowed(headers):
            self._budget.offend("origins", network)
            return 403, None
        place = self._sockets.enter(network)
        if place is None:
            self._budget.offend("sockets", network)
        return 503, place

    async def _wait(self, path: str, network: str) -> float:
        """Seconds until this address may ask for this again; 0 if it may now."""
        wait = self._budget.wait(path, network)
        if wait or self._rates is None or path.startswith(UNSHARED):
            return wait
        return await self._rates.wait("requests", network, *self._limit)

    def _stranger(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """Why a request to another host name than ours is refused; None if the name is ours."""
        given = headers.get("host")
        if scope["path"] in OBSERVED:
            return None
        name = name_in(given or "")
        if name is None:
            return 400, "cannot-read", "the Host header is missing or not valid; it is host[:port]"
        here = scope["server"][0] if scope.get("server") else None
        if self._hosts.allow(name, here):
            return None
        return (
            421,
            "host",
            (
                "this server does not go by the name in the Host header; "
                "--public-url and KEYPEG_ORIGINS set the names of a server"
            ),
        )

    def _origin_allowed(self, headers: dict[str, str]) -> bool:
        has_cookie = any(name + "=" in headers.get("cookie", "") for name in COOKIES)
        return self._origins.allow(headers.get("origin"), has_cookie=has_cookie)


def _is_alias(path: str) -> bool:
    """Whether the framework would read this as another path, which a proxy may have withheld."""
    return "//" in path or (path.endswith("/") and path[:-1] in OBSERVED)


def _says_how_long_it_is_kept(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether an answer has a Cache-Control of its own, as the files of the page have."""
    return any(name.lower() == NO_STORE[0] for name, _ in headers)


_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


async def _read_body(receive: Receive) -> bytes:
    """A body, which is short: `heads` refuses long ones."""
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
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
    send: Send,
    status: int,
    code: str,
    message: str,
    *,
    retry_after: float | None = None,
    last: bool = False,
) -> None:
    """Answer without the framework. After the `last` answer, the connection is closed."""
    body = msgspec.json.encode(Problem(code=code, message=message))
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if retry_after is not None:
        headers.append((b"retry-after", b"%d" % (int(retry_after) + 1)))
    if last:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
