"""uvicorn's connections, hardened against peers that would use up memory or sockets.

For requests: one that never ends times out, and so does a peer that does not read its answer. For
sockets, these are refused: handshakes that only h11 can read, frames before a handshake is
answered, more frames than `frames` allows, endless empty fragments, pings whose pongs are never
read. Bad UTF-8 and refused handshakes are not logged as errors of the server. All messages are
text, so a binary frame is refused before it is queued. A connection that cannot be closed
cleanly does not stop the others from being closed.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import OPEN

from keypeg.server.asgi import CAME, DIRECT, WRITE
from keypeg.server.budget import OWN_PIECES_AT_ONCE, OWN_PIECES_PER_SECOND
from keypeg.server.frames import POLICY_VIOLATION, CountedFrames
from keypeg.server.heads import Requests
from keypeg.server.limits import Bucket
from keypeg.server.text_frames import FrameSplitter, read_text, text_frame

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle
    from websockets.frames import Frame
    from websockets.http11 import Request

    from keypeg.server.arrivals import ArrivalClock
    from keypeg.server.door import Door, Guest
    from keypeg.server.frames import FrameLimits

REQUEST_SECONDS: Final = 5.0
UNREAD_SECONDS: Final = 20.0
MOST_FRAGMENTS: Final = 64
MOST_UNFLUSHED: Final = 16 * 1024
CLOSE_SECONDS: Final = 1.0
UNSUPPORTED_DATA: Final = 1003
INVALID_TEXT: Final = 1007
BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_log = logging.getLogger("keypeg.connections")


class GuardedRequest(H11Protocol):
    """uvicorn's HTTP connection, closed if a head takes too long, or an answer is not read."""

    _unread: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, door: Door, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._door = door
        self._guest: Guest | None = None
        self._came = [0.0]
        """When the last bytes came; `guard` finds it in the scope of each request."""
        self.app_state = {**self.app_state, CAME: self._came}
        self.conn: Requests = Requests()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, but not for ever, if this connection is admitted."""
        peer = transport.get_extra_info("peername")
        self._guest = self._door.admit(self, peer[0] if peer else "?")
        super().connection_made(transport)
        if self._guest is None:
            transport.abort()
            return
        self.app_state[DIRECT] = self._guest.direct
        self.timeout_keep_alive_task = self.loop.call_later(
            REQUEST_SECONDS, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """Read on; unlike in uvicorn only a whole head, not any byte, stops the clock."""
        self._came[0] = self._door.arrivals.earliest()
        before = self.conn.their_state
        self.conn.receive_data(data)
        self.handle_events()
        self._note_work()
        if self.conn.their_state is before:
            self._take_piece()

    def _take_piece(self) -> None:
        """Count what was only a part of a head or a body; those of an address have an end."""
        if self._guest is not None and not self._guest.takes_piece():
            self._guest.cut("pieces")
            self.transport.abort()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Go on as a socket, which takes the connection's place at the door."""
        guest, self._guest = self._guest, None
        assert guest is not None  # noqa: S101 - or it would have been closed
        guest.upgrade()
        self._stop_waiting()
        self.ws_protocol_class = partial(  # type: ignore[assignment]
            GuardedSocket, limits=self._door.frames, guest=guest, arrivals=self._door.arrivals
        )
        super().handle_websocket_upgrade(event)

    def give_up(self) -> None:
        """Close at once: another connection is in greater need of the place."""
        self.transport.abort()

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
        if self._guest is not None:
            self._guest.leave()
            self._guest = None

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that is not used."""
        super().timeout_keep_alive_handler()
        self._wait_for_reader()

    def on_response_complete(self) -> None:
        """Go on, or close; a connection is closed only when the peer has read everything."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._wait_for_reader()
        self._note_work()

    def _note_work(self) -> None:
        if self._guest is not None:
            cycle: RequestResponseCycle | None = self.cycle
            self._guest.work(busy=cycle is not None and not cycle.response_complete)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        """Refuse what cannot be read, and close; an answer that was begun is the last."""
        if self._guest is not None:
            self._guest.cut("heads")
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(self.conn.refusal)
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

    def __init__(
        self,
        *arguments: Any,
        limits: FrameLimits,
        guest: Guest,
        arrivals: ArrivalClock,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self.close_timeout = CLOSE_SECONDS
        self._guest, self._arrivals = guest, arrivals
        self._came = 0.0
        self.conn: CountedFrames = CountedFrames(
            limits, max_size=self.config.ws_max_size, logger=self.logger
        )
        self._pieces = Bucket(OWN_PIECES_PER_SECOND, OWN_PIECES_AT_ONCE)
        self._splitter = FrameSplitter(self.config.ws_max_size)
        self._extensions: dict[str, Any] = {}

    def handle_connect(self, event: Request) -> None:
        """Begin; the application gets a way to send that waits for nobody."""
        super().handle_connect(event)
        if not self.handshake_complete:  # it was not refused
            self._extensions = cast("dict[str, Any]", self.scope["extensions"])
            self._extensions[WRITE] = self.write_text

    def data_received(self, data: bytes) -> None:
        """Read on; a handshake that cannot be read, which uvicorn would forget, is refused."""
        flooded = self.conn.flooded
        if flooded or (self.handshake_initiated and not self.handshake_complete):
            # A peer waits for the answer to its handshake before it sends a frame.
            self.transport.abort()
            return
        if self.handshake_complete:
            self._came = self._arrivals.earliest()
            before = self.conn.whole
            self._read_frames(data)
            if self.conn.whole == before and not self.transport.is_closing():
                self._take_piece()
        else:
            super().data_received(data)
        if self.conn.flooded is not None:
            self._guest.cut(self.conn.flooded)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.close_sent = True
            self.transport.write(BAD_REQUEST)
            self.transport.close()
        if self.transport.is_closing():
            self._end_soon()

    def _take_piece(self) -> None:
        """Count what was only a part of a frame. Behind a proxy, each socket has its own count."""
        if not self._pieces.take() and not (self._guest.direct and self._guest.takes_piece()):
            self.conn.refuse_pieces()
            self.handle_parser_exception()

    def _read_frames(self, data: bytes) -> None:
        for piece in self._splitter.split(data):
            if not piece.usual or not self._is_between_messages():
                super().data_received(piece.data)
            elif self.conn.count_frame(len(piece.data)):
                self._take_text(read_text(piece.data))
            else:
                self.handle_parser_exception()
            if self.transport.is_closing():
                return

    def connection_lost(self, exc: Exception | None) -> None:
        """Break the reference cycles between the connection, its parser and its errors."""
        super().connection_lost(exc)
        self._guest.leave(upgraded=True)
        self.conn.parser.close()
        if self.conn.handshake_exc is not None:
            self.conn.handshake_exc.__traceback__ = None
        self.conn.handshake_exc = self.conn.parser_exc = None
        self._extensions.clear()
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
        await self.writable.wait()
        if not self.write_text(text):
            raise ClientDisconnected

    def write_text(self, text: str) -> bool:
        """Send without waiting; False if the peer does not read, or the socket is closed.

        What is sent in one turn of the event loop is written together.
        """
        if not self.writable.is_set() or self.conn.state is not OPEN:
            return False
        frame = text_frame(text.encode())
        self.conn.writes.append(frame)
        self._unflushed += len(frame)
        if self._unflushed > MOST_UNFLUSHED:
            self._flush()  # the transport says when the peer does not read
        elif not self._flushing:
            self._flushing = True
            self.loop.call_soon(self._flush)
        return True

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
        """Pass on a message that came in fragments."""
        text, self.frames = b"".join(self.frames), []
        if not self.close_sent:
            self._take_text(text)

    def _is_between_messages(self) -> bool:
        """Whether a text may come now; if not, the parser knows what is wrong."""
        return self.conn.state is OPEN and self.conn.current_size is None

    def _take_text(self, data: bytes) -> None:
        """Pass a message on, and stop reading while enough of them wait."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self._refuse(INVALID_TEXT, "not UTF-8")
            return
        message: dict[str, Any] = {"type": "websocket.receive", "text": text, CAME: self._came}
        self.queue.put_nowait(cast("ASGIReceiveEvent", message))
        if self.queue.qsize() >= self.config.ws_max_queue and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def _end_soon(self) -> None:
        """A peer that does not read keeps a connection that is being closed, but not for long."""
        if self._ending is None and not self.disconnected:
            self._ending = self.loop.call_later(2 * CLOSE_SECONDS, self.transport.abort)

    def _ends_anyway(self) -> bool:
        """Whether it is being closed, perhaps by a goodbye in the same segment."""
        return self.close_sent or self.disconnected or self.conn.state is not OPEN

    def _refuse(self, code: int, reason: str) -> None:
        if self._ends_anyway():
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
