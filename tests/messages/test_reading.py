"""Reading messages: strict in what is accepted."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.messages import Guess, check_json, read_message
from keypeg.rules.errors import CannotRead
from tests.server.corpus import MALFORMED


def test_a_guess_is_read() -> None:
    read = read_message('{"type":"guess","id":"a1","seq":7,"code":[1,2,3,0]}')
    assert read == Guess(id="a1", seq=7, code=(1, 2, 3, 0))


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_malformed_is_refused(text: str) -> None:
    with pytest.raises(CannotRead) as refusal:
        read_message(text)
    assert str(refusal.value).isprintable()


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "replace")))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_message(text)
    except CannotRead:
        return


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.sampled_from(["guess", "set-secret", "answer", "hello", "ping", "claim"]), st.data())
def test_any_fields_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    fields = st.sampled_from(["id", "seq", "code", "black", "white", "ticket", "seat"])
    message = data.draw(st.dictionaries(fields, json_values | st.just("x"), max_size=5))
    try:
        read_message(msgspec.json.encode({**message, "type": kind}).decode())
    except CannotRead:
        return


@pytest.mark.parametrize("data", [b'{"a":1,"a":1}', b'{"a":{"b":1,"b":2}}', b'[{"a":1,"a":2}]'])
def test_repeated_keys_are_found_at_any_depth(data: bytes) -> None:
    with pytest.raises(CannotRead, match="twice"):
        check_json(data)
