"""Commands on the wire and at the table: the same both ways."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from keypeg.messages import CommandIn, command_in, command_out, read_message
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs
from keypeg.store.events import Grade
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    DeclineLimit,
    Guess,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)

SENT: tuple[Command, ...] = (
    SetSecret((1, 2, 0, 4)),
    Guess((4, 3, 2, 1)),
    Answer(KeyPegs(1, 2)),
    Challenge(),
    NextGame(),
    Resign(),
    ClaimAbsent(),
    OfferTime(30),
    ProposeLimit(180),
    ProposeLimit(None),
    AcceptLimit(180),
    AcceptLimit(None),
    DeclineLimit(),
    WithdrawLimit(),
    Rematch(),
)


@pytest.mark.parametrize("command", SENT, ids=lambda command: type(command).__name__)
def test_a_command_arrives_as_it_was_sent(command: Command) -> None:
    text = msgspec.json.encode(command_out(command, "x1")).decode()
    message = read_message(text)
    assert isinstance(message, CommandIn)
    assert message.id == "x1"
    assert command_in(message) == command


def test_every_message_that_is_a_command_is_sent_here() -> None:
    assert {type(command_out(command, "x")) for command in SENT} == set(get_args(CommandIn))


@pytest.mark.parametrize("command", [TakeSeat("Ada", "0" * 64), UseHint(Grade.BEST)])
def test_what_has_a_request_of_its_own_is_not_sent_on_a_socket(command: Command) -> None:
    with pytest.raises(KeypegError, match="its own HTTP request"):
        command_out(command, "x")
