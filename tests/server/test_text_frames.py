"""Usual frames are read and written as the parser of `websockets` does; the rest is passed on."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from keypeg.server.text_frames import FrameSplitter, Piece, read_text, text_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 300


def masked(data: bytes, opcode: Opcode = Opcode.TEXT, *, fin: bool = True) -> bytes:
    """A frame as clients send it."""
    return Frame(opcode, data, fin).serialize(mask=True)


frames = st.one_of(
    st.binary(max_size=MOST + 100).map(masked),
    st.sampled_from((Opcode.PING, Opcode.PONG)).flatmap(
        lambda opcode: st.binary(max_size=125).map(lambda data: masked(data, opcode))
    ),
    st.binary(max_size=MOST).map(lambda data: masked(data, Opcode.BINARY)),
    st.binary(max_size=MOST).map(lambda data: masked(data, fin=False)),
    st.binary(max_size=MOST).map(lambda data: masked(data, Opcode.CONT)),
    st.binary(max_size=MOST).map(lambda data: Frame(Opcode.TEXT, data).serialize(mask=False)),
)


def pieces(chunks: Sequence[bytes]) -> list[Piece]:
    """What a splitter makes of data that comes in these chunks."""
    splitter = FrameSplitter(MOST)
    return [piece for chunk in chunks if chunk for piece in splitter.split(chunk)]


@given(st.lists(frames, max_size=6), st.data())
def test_however_data_comes_usual_frames_are_whole_and_the_rest_is_passed_on(
    sent: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(sent)
    places = data.draw(st.lists(st.integers(0, len(stream)), max_size=8))
    cuts = [0, *sorted(places), len(stream)]
    found = pieces([stream[a:b] for a, b in itertools.pairwise(cuts)])
    assert b"".join(piece.data for piece in found) == stream
    usual = [frame for frame in sent if frame[0] == 0x81 and frame[1] & 0x80]
    assert [piece.data for piece in found if piece.usual] == [
        frame for frame in usual if len(read_text(frame)) <= MOST
    ]


@given(st.binary(max_size=MOST))
def test_a_usual_frame_says_what_was_sent(data: bytes) -> None:
    [piece] = pieces([masked(data)])
    assert piece.usual
    assert read_text(piece.data) == data


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536])
def test_a_text_is_sent_as_the_parser_reads_it(size: int) -> None:
    stream = StreamReader()
    stream.feed_data(text_frame(b"x" * size))
    parsing = Frame.parse(stream.read_exact, mask=False)
    with pytest.raises(StopIteration) as done:
        next(parsing)
    assert done.value.value == Frame(Opcode.TEXT, b"x" * size)


def test_a_frame_that_is_not_usual_is_passed_on_before_it_is_whole() -> None:
    splitter = FrameSplitter(MOST)
    too_long, usual = masked(b"x" * (MOST + 1)), masked(b"y")
    assert list(splitter.split(too_long[:10])) == [Piece(too_long[:10], usual=False)]
    rest = list(splitter.split(too_long[10:] + usual))
    assert rest == [Piece(too_long[10:], usual=False), Piece(usual, usual=True)]
