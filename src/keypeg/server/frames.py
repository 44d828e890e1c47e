"""What one socket may send: bytes and frames of every kind, counted as they arrive.

A frame costs the same to read whether it is a message, a piece of one, a ping, a pong or a goodbye,
so all are counted, before anything is done for them. Who sends more is cut off at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from websockets.exceptions import ProtocolError
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from keypeg.server.limits import Bucket

if TYPE_CHECKING:
    from websockets.frames import Frame

    from keypeg.server.refusals import Limit
    from keypeg.server.settings import Settings

POLICY_VIOLATION: Final = 1008
BYTES_A_MESSAGE: Final = 64 * 1024 / 20
BYTES_AT_ONCE: Final = 256 * 1024 / 40
FRAMES_A_MESSAGE: Final = 5


class FrameLimits(NamedTuple):
    """Bytes and frames of one socket, a second and at once."""

    bytes_per_second: float = 64 * 1024
    bytes_at_once: float = 256 * 1024
    frames_per_second: float = 100
    frames_at_once: float = 200

    @classmethod
    def of(cls, settings: Settings) -> FrameLimits:
        """Enough for the messages that are allowed, each in a few frames."""
        each, burst = settings.messages_per_second, settings.messages_at_once
        return cls(
            each * BYTES_A_MESSAGE,
            burst * BYTES_AT_ONCE,
            each * FRAMES_A_MESSAGE,
            burst * FRAMES_A_MESSAGE,
        )


class CountedFrames(ServerProtocol):
    """The protocol of a socket, which fails when too much was sent."""

    def __init__(self, limits: FrameLimits, **options: Any) -> None:
        super().__init__(**options)
        self._bytes = Bucket(limits.bytes_per_second, limits.bytes_at_once)
        self._frames = Bucket(limits.frames_per_second, limits.frames_at_once)
        self.flooded: Limit | None = None
        """What too much was sent of."""
        self.whole = 0
        """How many frames have come."""

    def receive_data(self, data: bytes | bytearray) -> None:
        """Read what has arrived, if it is not too much."""
        if self._bytes.take(len(data)):
            super().receive_data(data)
        elif not self.flooded:
            self.parser_exc = self._flood("too many bytes")

    def recv_frame(self, frame: Frame) -> None:
        """Take in a frame of any kind, if it is not one too many."""
        self.whole += 1
        if not self._frames.take():
            raise self._flood("too many frames")
        super().recv_frame(frame)

    def count_frame(self, size: int) -> bool:
        """Count a frame that is read elsewhere; False, and the end, if it is one too many."""
        self.whole += 1
        if self._bytes.take(size) and self._frames.take():
            return True
        self.parser_exc = self._flood("too many bytes or frames")
        return False

    def refuse_pieces(self) -> None:
        """End, because frames came in too many pieces."""
        self.parser_exc = self._flood("too many pieces", "pieces")

    def _flood(self, reason: str, limit: Limit = "frames") -> ProtocolError:
        self.flooded = limit
        if self.state is OPEN:
            self.send_close(POLICY_VIOLATION, reason)
        return ProtocolError(reason)
