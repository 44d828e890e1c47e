"""From a command on the wire to a command at the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from keypeg import messages as said
from keypeg.rules.keypegs import KeyPegs
from keypeg.table import commands as asked

if TYPE_CHECKING:
    from keypeg.table.commands import Command


def command_of(message: said.CommandIn) -> Command:
    """What a message asks of the table."""
    match message:
        case said.SetSecret():
            return asked.SetSecret(message.code)
        case said.Guess():
            return asked.Guess(message.code)
        case said.Answer():
            return asked.Answer(KeyPegs(message.black, message.white))
        case said.Challenge():
            return asked.Challenge()
        case said.NextGame():
            return asked.NextGame()
        case said.Resign():
            return asked.Resign()
        case said.Claim():
            return asked.ClaimAbsent()
        case said.OfferTime():
            return asked.OfferTime(message.seconds)
        case said.Rematch():
            return asked.Rematch()
        case _:
            assert_never(message)
