"""ASGI's own types, as loose as its specification, and a socket in its terms."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

Scope: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
T = TypeVar("T")


def client_address(scope: Scope) -> str:
    """Who asks, by network address; a trusted proxy's word for it is already in the scope."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


class Disconnected(Exception):
    """The peer is gone, or we have closed the socket."""


async def while_connected(receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to; it is called off when whoever sent this request hangs up."""
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

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._closed = False

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
        return str(message.get("text") or "")

    async def send(self, text: str) -> None:
        """Send a message, waiting while the peer does not read."""
        if self._closed:
            raise Disconnected
        try:
            await self._send({"type": "websocket.send", "text": text})
        except OSError:
            raise Disconnected from None

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye, once."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
