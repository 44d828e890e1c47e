from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.rules.notation import LONGEST_RECORDED_NAME, Record
from keypeg.rules.terms import Terms
from keypeg.table.names import LONGEST_NAME, read_name
from tests.server.corpus import BAD_NAMES


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_could_deceive_is_refused(name: str) -> None:
    with pytest.raises(CannotRead):
        read_name(name)


@given(st.text(max_size=40))
def test_a_name_that_is_read_is_plain(text: str) -> None:
    try:
        name = read_name(text)
    except CannotRead:
        return
    assert name.replace("\u200c", "").replace("\u200d", "").isprintable()
    assert name == unicodedata.normalize("NFC", name) == read_name(name)
    assert len(name) <= LONGEST_NAME <= LONGEST_RECORDED_NAME


UNSEEN = "\u115f\u1160\u17b4\u2800\u3164\uffa0\ufe0f\u034f\u180b\U000e0100\U0001d159 "


@given(st.text(UNSEEN, max_size=8))
def test_a_name_of_which_nothing_is_seen_is_as_good_as_none(name: str) -> None:
    with pytest.raises(CannotRead, match="visible characters"):
        read_name(name)


FAMILIES = [
    "👨\u200d👩\u200d👧\u200d👦",
    "👩🏽\u200d🚀 Ann",
    "🏳\ufe0f\u200d🌈",
    "🙂\u200d↔\ufe0f",
    "ශ්\u200dරී",
]
PLAIN = ["Ann", "Zoë", "한글", "❤\ufe0f", "1", "…", "नमस्ते", "a b", "⠿"]


@pytest.mark.parametrize("name", [*PLAIN, *FAMILIES])
def test_a_name_in_any_script_is_kept(name: str) -> None:
    assert read_name(f" {name} ") == unicodedata.normalize("NFC", name)
    assert Record(Terms(Board.parse("classic")), players=(name, "")).players[0] == name


def test_a_name_is_refused_without_escapes() -> None:
    with pytest.raises(CannotRead) as refused:
        read_name("a\u202e\x00b")
    assert str(refused.value).startswith("'a\ufffd\ufffdb' is not a valid name")
