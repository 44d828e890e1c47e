from __future__ import annotations

import base64
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.commitment import Opening
from keypeg.rules.events import Guessed, Revealed, SecretSet
from keypeg.store.codec import decode, encode
from keypeg.store.errors import Unreadable, WrongKey
from keypeg.store.events import HintUsed, LogEvent
from keypeg.store.vault import Vault
from tests.store.entries import KEY, KINDS, events

VAULT = Vault(KEY)
PLACE = b"table/1"
SECRET = SecretSet(Opening((1, 2, 3, 4), bytes(32)), "0" * 64)


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_has_a_kind_in_lower_case_that_is_its_own(kind: type[LogEvent]) -> None:
    assert re.fullmatch("[a-z]+(-[a-z]+)*", kind.kind)
    assert [other for other in KINDS if other.kind == kind.kind] == [kind]


@given(st.lists(events, max_size=4).map(tuple))
def test_every_event_comes_back_as_it_was_written(written: tuple[LogEvent, ...]) -> None:
    assert decode(encode(written, PLACE, VAULT), PLACE, VAULT) == written


def test_a_secret_is_not_to_be_read_in_the_payload() -> None:
    nonce = b"a nonce of thirty-two characters"
    payload = encode((SecretSet(Opening((6, 6, 6, 6), nonce)),), PLACE, VAULT)
    shown = encode((Revealed(Opening((6, 6, 6, 6), nonce)),), PLACE, VAULT)
    locked = base64.b64decode(msgspec.json.decode(payload)["events"][0]["locked"])
    for canary in (b"6,6,6,6", bytes((6, 6, 6, 6)), base64.b64encode(bytes((6, 6, 6, 6)))):
        assert canary not in payload
        assert canary not in locked
    for canary in (nonce, base64.b64encode(nonce)):
        assert canary not in payload
        assert canary not in locked
    assert b"6,6,6,6" in shown
    assert base64.b64encode(nonce) in shown


def test_payloads_are_as_long_for_one_secret_as_for_another() -> None:
    lengths = {
        len(encode((SecretSet(Opening(code, bytes(32))),), PLACE, VAULT))
        for code in ((1, 1, 1, 1), (20, 20, 20, 20), (0, 9, 10, 3))
    }
    assert len(lengths) == 1


def test_a_secret_cannot_be_moved_to_another_entry() -> None:
    payload = encode((SECRET,), PLACE, VAULT)
    with pytest.raises(WrongKey):
        decode(payload, b"table/2", VAULT)


def test_another_key_does_not_open_a_secret() -> None:
    payload = encode((SECRET,), PLACE, VAULT)
    with pytest.raises(WrongKey, match="another key"):
        decode(payload, PLACE, Vault(bytes(32)))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"{}",
        b'{"v":1}',
        b'{"v":1,"events":[{"is":"guess"}]}',
        b'{"v":1,"events":[{"is":"guess","code":[1.5]}]}',
        b'{"v":1,"events":[{"is":"guess","code":[true]}]}',
        b'{"v":1,"events":[{"is":"guessed","code":[1]}]}',
        b'{"v":1,"events":[{"is":"answer","black":1}]}',
        b'{"v":1,"events":[{"is":"answer","black":1,"white":"0"}]}',
        b'{"v":1,"events":[{"is":"answer","keys":[1,0]}]}',
        b'{"v":1,"events":[{"is":"secret","opening":null}]}',
        b'{"v":1,"events":[{"is":"secret","seal":"0123"}]}',
        b'{"v":1,"events":[{"is":"reveal","code":[1],"nonce":"AAAA"}]}',
        b'{"v":1,"events":[{"is":"sit","seat":"three","name":"Ada"}]}',
        b'{"v":1,"events":[{"is":"offer","seconds":null}]}',
        b'{"v":1,"events":[{"is":"guess","code":[1],"colour":"red"}]}',
        b'{"v":1,"events":[{"is":"cheat"}]}',
        b'{"v":1,"events":[{"is":"resign","role":"umpire"}]}',
        b'{"v":1,"events":[{"is":"hint","row":1,"grade":"all"}]}',
        b'{"v":1,"events":[],"extra":0}',
    ],
)
def test_what_this_program_does_not_write_is_refused(payload: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged or in an unknown format"):
        decode(payload, PLACE, VAULT)


def test_a_hint_of_before_grades_were_noted_is_read() -> None:
    payload = b'{"v":1,"events":[{"is":"hint","row":3}]}'
    assert decode(payload, PLACE, VAULT) == (HintUsed(3),)
    assert encode((HintUsed(3),), PLACE, VAULT) == payload


def test_a_payload_of_another_version_is_refused_by_its_number() -> None:
    payload = encode((Guessed((1, 2)),), PLACE, VAULT).replace(b'"v":1', b'"v":2')
    with pytest.raises(Unreadable, match="version 2; this keypeg reads version 1"):
        decode(payload, PLACE, VAULT)


def test_impossible_terms_are_refused_with_the_reason() -> None:
    payload = (
        b'{"v":1,"events":[{"is":"open","board":"classic","games":3,"key_pegs":"referee",'
        b'"scoring":"rows","first_maker":"one"}]}'
    )
    with pytest.raises(Unreadable, match="even number"):
        decode(payload, PLACE, VAULT)
