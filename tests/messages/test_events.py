"""Events on the wire: every kind is sent and read, and only what its reader may see."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg import messages
from keypeg.messages import EntryOut, event_in, event_out, sent_as
from keypeg.messages.events import AnyEventOut
from keypeg.rules.errors import CannotRead
from keypeg.store.events import LogEvent, Opened, SeatTaken
from keypeg.store.forms import KINDS
from tests.store.entries import SETTINGS, events


@given(st.lists(events, max_size=4))
def test_every_event_comes_back_as_it_was_sent(happened: list[LogEvent]) -> None:
    entry = EntryOut(seq=1, at=0, by=None, events=tuple(map(event_out, happened)))
    read = msgspec.json.decode(msgspec.json.encode(entry), type=EntryOut)
    assert read == entry
    for event, sent in zip(happened, read.events, strict=True):
        settings = event.settings if isinstance(event, Opened) else None
        known = replace(event, token_hash=None) if isinstance(event, SeatTaken) else event
        assert event_in(sent, settings) == known
        assert isinstance(sent, sent_as(type(event)))


@given(events)
def test_an_event_is_sent_under_its_kind(event: LogEvent) -> None:
    assert msgspec.to_builtins(event_out(event))["type"] == event.kind


def test_what_a_table_was_set_to_cannot_be_read_from_its_first_event() -> None:
    sent = event_out(Opened(SETTINGS))
    with pytest.raises(CannotRead, match="does not contain the settings"):
        event_in(sent)


def test_every_field_of_an_event_is_sent_but_for_a_secret_that_is_hidden() -> None:
    """So that a page need not know defaults."""
    for kind in KINDS:
        optional = {f.name for f in msgspec.structs.fields(sent_as(kind)) if not f.required}
        assert optional == ({"code", "nonce"} if kind.kind == "secret-set" else set())


def structs() -> set[type[msgspec.Struct]]:
    """Everything that can be sent or said, with all that it is made of."""
    modules = [
        import_module(f"{messages.__name__}.{m.name}") for m in iter_modules(messages.__path__)
    ]
    found = [value for module in modules for value in vars(module).values()]
    named = {kind for kind in found if isinstance(kind, type) and issubclass(kind, msgspec.Struct)}
    return named | set(get_args(AnyEventOut))


def test_no_message_has_room_for_a_secret_but_those_that_show_it() -> None:
    """Whatever else is sent, it has no field that could hold a secret or its nonce."""
    fields = {kind.__name__: set(kind.__struct_fields__) for kind in structs()}
    assert {name for name in fields if "nonce" in fields[name]} == {
        "SecretSetOut",
        "RevealedOut",
        "GameOut",
        "ContestEnding",
        "DailySeal",
        "DailyEnding",
        "MatchCode",
    }
    shown = {name for name in fields if fields[name] & {"secret", "opening"}}
    assert shown == {"GameOut", "MatchOut"}
    assert not {name for name in fields if fields[name] & {"token_hash", "locked"}}
