"""Entries to write in tests, and Hypothesis strategies for events."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening
from keypeg.rules.events import Guessed, Role
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.rules.terms import LONGEST_TURN, Terms
from keypeg.store import forms
from keypeg.store.events import Computer, Grade, LogEvent, Opened, Person, Settings
from keypeg.store.log import Card, Entry, Stage
from tests.rules.strategies import boards, codes, key_pegs, openings, terms

KEY = bytes(range(32))
SETTINGS = Settings(Terms(Board(4, 6)))
WAITING = Card(public=False, stage=Stage.WAITING)


def opened(seq: int = 1, command_id: str = "open") -> Entry:
    return Entry(seq, 1_000, None, command_id, (Opened(SETTINGS),))


def guessed(seq: int, command_id: str | None = None, seat: Seat = Seat.ONE) -> Entry:
    return Entry(seq, 1_000 + seq, seat, command_id or f"c{seq}", (Guessed((1, 2, 3, 4)),))


_hex = st.text("0123456789abcdef", min_size=64, max_size=64)
_names = st.text(max_size=40)
_whole = st.integers(0, 2**53)
_holders = st.just(Person()) | st.sampled_from(["beginner", "perfect"]).map(Computer)


_board = boards()
_settings = st.builds(
    Settings,
    terms(_board),
    _holders,
    _holders,
    st.sampled_from(Seat),
    st.booleans(),
    st.none() | st.booleans(),
)
_BY_TYPE: dict[object, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: _whole,
    int | None: st.none() | st.integers(1, LONGEST_TURN),
    str: _names,
    str | None: st.none() | _hex,
    Code: _board.flatmap(codes),
    KeyPegs: _board.flatmap(key_pegs),
    Opening: _board.flatmap(openings),
    Opening | None: st.none() | _board.flatmap(openings),
    Role: st.sampled_from(Role),
    Seat: st.sampled_from(Seat),
    Grade | None: st.none() | st.sampled_from(Grade),
    Settings: _settings,
}


def _any(kind: type[LogEvent]) -> st.SearchStrategy[LogEvent]:
    """Any event of a kind, by the types of its fields."""
    types = get_type_hints(kind, localns={"Code": Code, "KeyPegs": KeyPegs, "Opening": Opening})
    return st.builds(kind, *(_BY_TYPE[types[field.name]] for field in fields(kind)))


KINDS: dict[type[LogEvent], st.SearchStrategy[LogEvent]] = {
    kind: _any(kind) for kind in forms.KINDS
}
"""Any event of a log, by kind."""
events = st.one_of(*KINDS.values())
