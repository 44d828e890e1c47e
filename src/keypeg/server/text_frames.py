"""WebSocket frames: where each ends; reading and writing the usual ones.

Nearly everything that travels is a short text in one frame, which takes a few steps here. All other
frames, and whatever is wrong, are left to the parser of `websockets`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from websockets.utils import apply_mask

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXT: Final = 0x81
"""The first byte of a text in one frame."""
_MASKED: Final = 0x80
_SHORT: Final = 125
"""The greatest length that is written in one byte."""
_MEDIUM: Final = 0xFFFF
"""The greatest that is written in two, after a byte that says so."""
_MASK_BYTES: Final = 4


class Piece(NamedTuple):
    """A part of what a client sent: a usual frame as a whole, or any bytes of others."""

    data: bytes
    usual: bool


class FrameSplitter:
    """Splits what one client sends into usual frames and all the rest, in order."""

    def __init__(self, most: int) -> None:
        """Texts of more than `most` bytes are not usual."""
        self._most = most
        self._held = b""
        """The beginning of a usual frame, or of a header."""
        self._passing = 0
        """Bytes still to come of a frame that is not usual."""

    def split(self, data: bytes) -> Iterator[Piece]:
        """What has come. The beginning of a usual frame is held back until the rest is there.

        Split piece by piece: thousands of empty frames fit into what arrives at once, and whoever
        asks may have enough of them.
        """
        if self._held:
            data, self._held = self._held + data, b""
        at, end = 0, len(data)
        if self._passing:
            at = min(self._passing, end)
            self._passing -= at
            yield Piece(data[:at], usual=False)
        while at < end:
            header, size = _sizes(data, at)
            if not header:
                self._held = data[at:]
                break
            usual = data[at] == _TEXT and data[at + 1] >= _MASKED and size <= self._most
            after = at + header + size
            if usual and after > end:
                self._held = data[at:]
                break
            self._passing = max(0, after - end)
            yield Piece(data[at:after], usual)
            at = after


def _sizes(data: bytes, at: int) -> tuple[int, int]:
    """The sizes of the header and of the payload of a frame; 0, 0 if the header is not whole."""
    if at + 1 >= len(data):
        return 0, 0
    size = data[at + 1] & ~_MASKED
    header = 2 if size <= _SHORT else 4 if size == _SHORT + 1 else 10
    if header > 2:
        if at + header > len(data):
            return 0, 0
        size = int.from_bytes(data[at + 2 : at + header], "big")
    return header + _MASK_BYTES * (data[at + 1] >= _MASKED), size


def read_text(frame: bytes) -> bytes:
    """What a usual frame says, in UTF-8."""
    mask_at = 2 if frame[1] & ~_MASKED <= _SHORT else 4
    start = mask_at + _MASK_BYTES
    return apply_mask(frame[start:], frame[mask_at:start])


def text_frame(text: bytes) -> bytes:
    """The frame in which the server sends a text."""
    size = len(text)
    if size <= _SHORT:
        return bytes((_TEXT, size)) + text
    if size <= _MEDIUM:
        return bytes((_TEXT, _SHORT + 1)) + size.to_bytes(2, "big") + text
    return bytes((_TEXT, _SHORT + 2)) + size.to_bytes(8, "big") + text
