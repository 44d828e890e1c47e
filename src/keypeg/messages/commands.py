"""What a client says on its socket: hello, ping, and commands for the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, assert_never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from keypeg.messages.fields import CommandId, Keys, Limit, Pegs, Seq, Ticket
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs
from keypeg.table import commands as asked
from keypeg.table.decisions import MOST_SECONDS_OFFERED

if TYPE_CHECKING:
    from keypeg.table.commands import Command


class _Said(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"
):
    """Something that a client says."""


class Hello(_Said, frozen=True, kw_only=True, tag="hello"):
    """The first message on a socket: the ticket, and the last seq already seen, if any was."""

    ticket: Ticket
    seq: Seq | UnsetType = UNSET


class Ping(_Said, frozen=True, kw_only=True, tag="ping"):
    """Ask for the server's time."""


class _Command(_Said, frozen=True, kw_only=True):
    """Something to be done at the table. With `seq`, only if that is still the last entry."""

    id: CommandId
    seq: Seq | UnsetType = UNSET


class SetSecret(_Command, frozen=True, kw_only=True, tag="set-secret"):
    """The maker sets the secret behind the shield."""

    code: Pegs


class Guess(_Command, frozen=True, kw_only=True, tag="guess"):
    """The breaker plays a row."""

    code: Pegs


class Answer(_Command, frozen=True, kw_only=True, tag="answer"):
    """The maker places key pegs beside the row."""

    black: Keys
    white: Keys


class Challenge(_Command, frozen=True, kw_only=True, tag="challenge"):
    """The breaker says that wrong information was given."""


class NextGame(_Command, frozen=True, kw_only=True, tag="next-game"):
    """The finished game is done with: on to the next, or to the result."""


class Resign(_Command, frozen=True, kw_only=True, tag="resign"):
    """Give up the game that is on."""


class Claim(_Command, frozen=True, kw_only=True, tag="claim"):
    """Claim the series from an opponent who has been away too long."""


class OfferTime(_Command, frozen=True, kw_only=True, tag="offer-time"):
    """Give the opponent, who is on turn, more time."""

    seconds: Annotated[int, Meta(ge=1, le=MOST_SECONDS_OFFERED)]


class ProposeLimit(_Command, frozen=True, kw_only=True, tag="propose-limit"):
    """Propose a turn limit for the rest of the series; null is no limit."""

    seconds: Limit


class AcceptLimit(_Command, frozen=True, kw_only=True, tag="accept-limit"):
    """Accept the turn limit that the opponent proposed, which must be this one."""

    seconds: Limit


class DeclineLimit(_Command, frozen=True, kw_only=True, tag="decline-limit"):
    """Decline the turn limit that the opponent proposed."""


class WithdrawLimit(_Command, frozen=True, kw_only=True, tag="withdraw-limit"):
    """Withdraw the turn limit that this seat proposed."""


class Rematch(_Command, frozen=True, kw_only=True, tag="rematch"):
    """Offer another series, or take up the offer."""


CommandIn = (
    SetSecret
    | Guess
    | Answer
    | Challenge
    | NextGame
    | Resign
    | Claim
    | OfferTime
    | ProposeLimit
    | AcceptLimit
    | DeclineLimit
    | WithdrawLimit
    | Rematch
)
ClientIn = CommandIn | Hello | Ping


def command_in(message: CommandIn) -> Command:
    """What a message asks of the table."""
    match message:
        case SetSecret():
            return asked.SetSecret(message.code)
        case Guess():
            return asked.Guess(message.code)
        case Answer():
            return asked.Answer(KeyPegs(message.black, message.white))
        case Challenge():
            return asked.Challenge()
        case NextGame():
            return asked.NextGame()
        case Resign():
            return asked.Resign()
        case Claim():
            return asked.ClaimAbsent()
        case OfferTime():
            return asked.OfferTime(message.seconds)
        case ProposeLimit():
            return asked.ProposeLimit(message.seconds)
        case AcceptLimit():
            return asked.AcceptLimit(message.seconds)
        case DeclineLimit():
            return asked.DeclineLimit()
        case WithdrawLimit():
            return asked.WithdrawLimit()
        case Rematch():
            return asked.Rematch()
        case _:
            assert_never(message)


def command_out(command: Command, command_id: str) -> CommandIn:
    """The message that asks for this."""
    match command:
        case asked.SetSecret(code):
            return SetSecret(id=command_id, code=code)
        case asked.Guess(code):
            return Guess(id=command_id, code=code)
        case asked.Answer(keys):
            return Answer(id=command_id, black=keys.black, white=keys.white)
        case asked.Challenge():
            return Challenge(id=command_id)
        case asked.NextGame():
            return NextGame(id=command_id)
        case asked.Resign():
            return Resign(id=command_id)
        case asked.ClaimAbsent():
            return Claim(id=command_id)
        case asked.OfferTime(seconds):
            return OfferTime(id=command_id, seconds=seconds)
        case asked.ProposeLimit(limit):
            return ProposeLimit(id=command_id, seconds=limit)
        case asked.AcceptLimit(limit):
            return AcceptLimit(id=command_id, seconds=limit)
        case asked.DeclineLimit():
            return DeclineLimit(id=command_id)
        case asked.WithdrawLimit():
            return WithdrawLimit(id=command_id)
        case asked.Rematch():
            return Rematch(id=command_id)
        case asked.TakeSeat() | asked.UseHint():
            raise KeypegError("this cannot be sent on the socket; it has its own HTTP request")
        case _:
            assert_never(command)
