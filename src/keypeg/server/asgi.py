"""ASGI's own types, as loose as its specification, and a socket in its terms."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final, TypeAlias, TypeVar

Scope: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
CAME: Final = "keypeg.came"
"""In a message or in the state of a scope: when it arrived, on the monotonic clock."""
DIRECT: Final = "keypeg.direct"
"""In the state of a scope: whether the connection is the client's own, and not a proxy's."""
WRITE: Final = "keypeg.write"
"""The extension of a socket's scope that sends a text without waiting, if that is possible."""
T = TypeVar("T")


def client_address(scope: Scope) -> str:
    """Who asks, by network address; a trusted proxy's word for it is already in the scope."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def waited(scope: Mapping[str, Any]) -> float:
    """How many seconds ago a request, with all of its body, arrived."""
    came = scope.get("state", {}).get(CAME)
    return 0.0 if came is None else time.monotonic() - came[0]


class Disconnected(Exception):
    """The peer or this server has closed the connection."""


async def while_connected(receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which is cancelled if the client of this request disconnects."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Disconnected
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)
        # The tasks refer to the error, whose traceback refers to this frame: a reference cycle.
        del working, leaving


async def _left(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Socket:
    """A WebSocket that speaks text."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._write: Callable[[str], bool] = scope.get("extensions", {}).get(WRITE, _cannot)
        self._closed = False
        self._came: float | None = None

    @property
    def waited(self) -> float:
        """How many seconds ago the last message arrived."""
        return 0.0 if self._came is None else time.monotonic() - self._came

    async def accept(self) -> None:
        """Complete the handshake."""
        await self._receive()
        await self._send({"type": "websocket.accept"})

    async def receive(self) -> str:
        """The next message."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._closed = True
            raise Disconnected
        self._came = message.get(CAME)
        return str(message.get("text") or "")

    async def send(self, text: str) -> None:
        """Send a message, waiting while the peer does not read."""
        if self._closed:
            raise Disconnected
        try:
            await self._send({"type": "websocket.send", "text": text})
        except OSError:
            raise Disconnected from None

    def write(self, text: str) -> bool:
        """Send a message without waiting; False if that is not possible now."""
        return not self._closed and self._write(text)

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye, once."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


def _cannot(_text: str) -> bool:
    """Stands in where the server has no such extension."""
    return False
