"""uvicorn's connections, hardened against peers that would hold our memory or our sockets.

For requests: one that never comes to an end is not waited for, nor is a peer that never reads
what it asked for. For sockets: handshakes that only h11 can read, empty fragments
without end, pings whose pongs are never read; and bad UTF-8 and refused handshakes, which would
be logged as if the fault were ours. Only text is spoken, so a binary frame is refused before it
is queued. A connection that cannot be closed cleanly does not stop the others from being closed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
    from websockets.frames import Frame

REQUEST_SECONDS: Final = 5.0
UNREAD_SECONDS: Final = 20.0
MOST_FRAGMENTS: Final = 64
MOST_UNFLUSHED: Final = 16 * 1024
CLOSE_SECONDS: Final = 1.0
UNSUPPORTED_DATA: Final = 1003
INVALID_TEXT: Final = 1007
POLICY_VIOLATION: Final = 1008
BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_log = logging.getLogger("keypeg.connections")


class GuardedRequest(H11Protocol):
    """uvicorn's HTTP connection, which closes when a request's head takes too long, or a reader."""

    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, but not for ever."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            REQUEST_SECONDS, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """Read on; unlike in uvicorn only a whole head, not any byte, stops the clock."""
        self.conn.receive_data(data)
        self.handle_events()

    def pause_writing(self) -> None:
        """The peer does not read: wait for it, but not for ever."""
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        """The peer reads again."""
        super().resume_writing()
        self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nobody to wait for."""
        super().connection_lost(exc)
        self._stop_waiting()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that is not used."""
        super().timeout_keep_alive_handler()
        self._wait_for_reader()

    def on_response_complete(self) -> None:
        """Go on, or close; a connection is closed only when the peer has read everything."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._wait_for_reader()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, and close; an answer that was begun is the last."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        self.transport.close()
        if self.cycle is not None:
            # Whoever works on it has nobody to answer any more.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._wait_for_reader()

    def shutdown(self) -> None:
        """The server ends: close, after the answer that is under way."""
        if not self.transport.is_closing():
            _shut(super().shutdown, self.transport)

    def _wait_for_reader(self) -> None:
        self._stop_waiting()
        self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


class GuardedSocket(WebSocketsSansIOProtocol):
    """uvicorn's socket, text only, with reading stopped while the peer does not read."""

    _ending: asyncio.TimerHandle | None = None
    _flushing = False
    _unflushed = 0
    """Bytes that wait for the end of this turn of the event loop."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.close_timeout = CLOSE_SECONDS

    def data_received(self, data: bytes) -> None:
        """Read on; a handshake that cannot be read, which uvicorn would forget, is refused."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.close_sent = True
            self.transport.write(BAD_REQUEST)
            self.transport.close()
        if self.transport.is_closing():
            self._end_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        """Break the reference cycles between the connection, its parser and its errors."""
        super().connection_lost(exc)
        self.conn.parser.close()
        if self.conn.handshake_exc is not None:
            self.conn.handshake_exc.__traceback__ = None
        self.conn.handshake_exc = self.conn.parser_exc = None
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def shutdown(self) -> None:
        """The server ends: say goodbye, unless that was done, and the peer has yet to read it."""
        if self.transport.is_closing():
            self.transport.abort()
        else:
            _shut(super().shutdown, self.transport)

    def pause_writing(self) -> None:
        """The peer does not read: hear nothing more from it, pings included."""
        super().pause_writing()
        if not self.read_paused:
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        """The peer reads again."""
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    async def receive(self) -> ASGIReceiveEvent:
        """The next message for the application; reading goes on if the peer reads too."""
        message = await self.queue.get()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            if self.writable.is_set():
                self.transport.resume_reading()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Send; a goodbye is not held up by a peer that does not read, and ends in any case."""
        if message["type"] == "websocket.send" and self.handshake_complete and not self.close_sent:
            await self._send_text(message["text"] or "")
            return
        if message["type"] == "websocket.close" and self.handshake_complete:
            self.writable.set()
            self._end_soon()
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            # Refused is complete; uvicorn would log that we had forgotten to answer.
            self.handshake_complete = True

    async def _send_text(self, text: str) -> None:
        """As uvicorn does, but what is sent in one turn of the event loop is written together."""
        await self.writable.wait()
        if self.disconnected:
            raise ClientDisconnected
        data = text.encode()
        try:
            self.conn.send_text(data)
        except InvalidState:
            raise ClientDisconnected from None
        self._unflushed += len(data)
        if self._unflushed > MOST_UNFLUSHED:
            self._flush()  # the transport says when the peer does not read
        elif not self._flushing:
            self._flushing = True
            self.loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing, self._unflushed = False, 0
        output = b"".join(self.conn.data_to_send())
        if output and not self.transport.is_closing():
            self.transport.write(output)

    def keepalive_timeout(self) -> None:
        """The peer does not answer pings: abort, and discard what it has not read."""
        super().keepalive_timeout()
        self.transport.abort()

    def handle_cont(self, event: Frame) -> None:
        """Take one more fragment of a message, up to a limit."""
        if len(self.frames) >= MOST_FRAGMENTS:
            self._refuse(POLICY_VIOLATION, "too many fragments")
            return
        super().handle_cont(event)

    def handle_bytes(self, event: Frame) -> None:  # noqa: ARG002 - uvicorn's signature
        """Refuse a binary message."""
        self._refuse(UNSUPPORTED_DATA, "text only")

    def send_receive_event_to_app(self) -> None:
        """Pass a whole message on if it is text."""
        try:
            b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self._refuse(INVALID_TEXT, "not UTF-8")
            return
        super().send_receive_event_to_app()

    def _end_soon(self) -> None:
        """A peer that does not read keeps a connection that is being closed, but not for long."""
        if self._ending is None and not self.disconnected:
            self._ending = self.loop.call_later(2 * CLOSE_SECONDS, self.transport.abort)

    def _refuse(self, code: int, reason: str) -> None:
        if self.close_sent or self.disconnected:
            return
        self.frames = []
        self.conn.send_close(code, reason)
        self.handle_parser_exception()


def _shut(shutdown: Callable[[], None], transport: asyncio.Transport) -> None:
    """Close one connection in peace; if that fails, the others are still to be told."""
    try:
        shutdown()
    except Exception:  # noqa: BLE001 - whatever it is, only this connection has it
        _log.exception("a connection could not be closed cleanly")
        transport.abort()
