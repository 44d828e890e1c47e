from __future__ import annotations

from itertools import product
from typing import get_args

from harness.tables import CLASSIC, SECRET, WRONG
from keypeg.rules.commitment import Opening
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.store.events import (
    Grade,
    HintUsed,
    LogEvent,
    Opened,
    RematchOffered,
    SeatTaken,
    Settings,
    TimeCredited,
    TimeOffered,
)
from keypeg.store.log import Entry
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    CreditTime,
    DeclineLimit,
    Expire,
    Guess,
    NextGame,
    OfferTime,
    OwnCommand,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.repeats import same
from keypeg.table.state import rebuild

SITTING = SeatTaken(Seat.ONE, "Ada", "a" * 64)
STATE = rebuild("t", [Entry(1, 1, None, "open", (Opened(Settings(CLASSIC)), SITTING))])
PAIRS: list[tuple[Command | OwnCommand, LogEvent]] = [
    (TakeSeat(" Ada", "a" * 64), SeatTaken(Seat.ONE, "Ada")),
    (SetSecret(SECRET), SecretSet(Opening(SECRET))),
    (SetSecret(WRONG), SecretSet(Opening(WRONG))),
    (Guess(SECRET), Guessed(SECRET)),
    (Guess(WRONG), Guessed(WRONG)),
    (Answer(KeyPegs(1, 0)), Answered(KeyPegs(1, 0))),
    (Answer(KeyPegs(0, 1)), Answered(KeyPegs(0, 1))),
    (Challenge(), Challenged(upheld=True)),
    (NextGame(), Closed()),
    (Rematch(), RematchOffered(Seat.ONE)),
    (Resign(), Resigned(Role.MAKER)),
    (ClaimAbsent(), Abandoned(Role.MAKER)),
    (OfferTime(1), TimeOffered(1)),
    (OfferTime(2), TimeOffered(2)),
    (ProposeLimit(180), LimitProposed(Role.MAKER, 180)),
    (ProposeLimit(None), LimitProposed(Role.MAKER, None)),
    (AcceptLimit(180), LimitAccepted(180)),
    (AcceptLimit(None), LimitAccepted(None)),
    (DeclineLimit(), LimitDeclined()),
    (WithdrawLimit(), LimitWithdrawn()),
    (UseHint(), HintUsed(1)),
    (UseHint(Grade.BEST), HintUsed(1, Grade.BEST)),
    (Expire(), RowExpired()),
    (CreditTime(1), TimeCredited(1)),
]


def test_a_command_is_known_by_the_first_event_of_its_entry_and_by_no_other() -> None:
    for (command, _), (other, event) in product(PAIRS, repeat=2):
        closing = isinstance(command, Expire) and event == Closed()
        assert same(command, event, STATE) == (command is other or closing), (command, event)


def test_every_command_is_compared() -> None:
    """One that `same` forgets would be refused when it is repeated."""
    assert {type(command) for command, _ in PAIRS} == {*get_args(Command), *get_args(OwnCommand)}


def test_another_token_is_another_command() -> None:
    assert not same(TakeSeat("Ada", "b" * 64), SeatTaken(Seat.ONE, "Ada"), STATE)


def test_what_expired_is_not_what_was_asked() -> None:
    assert not same(SetSecret(SECRET), SecretSet(Opening(SECRET), expired=True), STATE)
    assert same(Expire(), SecretSet(Opening(SECRET), expired=True), STATE)
    assert same(Expire(), Answered(KeyPegs(0, 0), expired=True), STATE)
