"""Reading messages: strict in what is accepted, and as strict where it is quick."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.messages import ClientIn, Guess, Hello, check_json, read_message
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


def slowly(data: str, kind: Any) -> object:
    """The same by comparing all keys of all objects, always."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise CannotRead("a key is given twice")
        return dict(pairs)

    try:
        read: object = msgspec.json.decode(data, type=kind)
        json.loads(data, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None
    return read


keys = st.sampled_from(["type", "id", "seq", "code", "black", "c\\u006fde", ":", "ticket"])
values = st.sampled_from(
    ['"guess"', '"x"', '"a:b"', '"ping"', '"hello"', "1", "[1,2]", "null", '{"id":"x"}', "[{}]"]
)
pairs = st.tuples(keys, values).map(lambda pair: f'"{pair[0]}":{pair[1]}')
objects = st.lists(pairs, max_size=5).map(lambda found: "{" + ",".join(found) + "}")
nested = st.lists(objects, max_size=3).map(lambda found: "[" + " , ".join(found) + "]")
guesses = st.permutations(
    ['"type":"guess"', '"id":"x"', '"code":[1]', '"seq":1', '"code":[2]']
).map(lambda found: "{" + ",".join(found[:4]) + "}")


@given(objects | guesses)
def test_a_message_is_read_just_as_if_all_its_keys_were_compared(text: str) -> None:
    try:
        read: object = read_message(text)
    except CannotRead:
        read = None
    assert read == slowly(text, ClientIn)


@given(objects | nested | st.tuples(keys, nested).map(lambda pair: f'{{"{pair[0]}":{pair[1]}}}'))
def test_a_body_is_let_in_just_as_if_all_its_keys_were_compared(text: str) -> None:
    try:
        check_json(text.encode())
        fine = True
    except CannotRead:
        fine = False
    assert fine == (slowly(text, Any) is not None)


def test_a_colon_in_a_value_is_not_a_key() -> None:
    hello = read_message('{"type":"hello","ticket":"a:b"}')
    assert hello == Hello(ticket="a:b")
