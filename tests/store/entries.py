"""Entries to write in tests, and what Hypothesis makes them from."""

from __future__ import annotations

from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.store.events import (
    Computer,
    Grade,
    HintUsed,
    LogEvent,
    Opened,
    Person,
    Rematched,
    RematchOffered,
    SeatTaken,
    Settings,
    TimeCredited,
    TimeOffered,
)
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
KINDS: dict[type, st.SearchStrategy[LogEvent]] = {
    SecretSet: st.builds(
        SecretSet, st.none() | _board.flatmap(openings), st.none() | _hex, st.booleans()
    ),
    Guessed: st.builds(Guessed, _board.flatmap(codes)),
    Answered: st.builds(Answered, _board.flatmap(key_pegs), st.booleans()),
    RowExpired: st.just(RowExpired()),
    Challenged: st.builds(Challenged, st.booleans()),
    Resigned: st.builds(Resigned, st.sampled_from(Role)),
    Abandoned: st.builds(Abandoned, st.sampled_from(Role)),
    Revealed: st.builds(Revealed, _board.flatmap(openings)),
    Closed: st.just(Closed()),
    Opened: st.builds(Opened, _settings),
    SeatTaken: st.builds(SeatTaken, st.sampled_from(Seat), _names, st.none() | _hex),
    HintUsed: st.builds(HintUsed, _whole, st.none() | st.sampled_from(Grade)),
    TimeOffered: st.builds(TimeOffered, _whole),
    TimeCredited: st.builds(TimeCredited, _whole),
    RematchOffered: st.builds(RematchOffered, st.sampled_from(Seat)),
    Rematched: st.just(Rematched()),
}
"""Anything a log can say, by kind."""
events = st.one_of(*KINDS.values())
