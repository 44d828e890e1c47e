"""Whether a command with a known id is a repeat: it is compared with the event it caused."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    RowExpired,
    SecretSet,
)
from keypeg.store.events import (
    HintUsed,
    LogEvent,
    RematchOffered,
    SeatTaken,
    TimeCredited,
    TimeOffered,
)
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
    Open,
    OwnCommand,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.decisions import opening
from keypeg.table.names import tidy
from keypeg.table.view import visible_at_table

if TYPE_CHECKING:
    from keypeg.table.state import State


def opened_by(command: Open, events: tuple[LogEvent, ...], state: State) -> bool:
    """Whether `command` is what brought about the first events of a table, as anybody sees them."""
    if tuple(map(visible_at_table, opening(command))) != events:
        return False
    sitter = None if command.seat is None else state.sitter(command.seat)
    return sitter is None or sitter.token_hash == command.token_hash


def same(
    command: Command | OwnCommand, event: LogEvent, state: State, *, claimed: bool = False
) -> bool:
    """Whether `command` is what brought `event` about, as the seat that asked for it sees it.

    `claimed` says that a game was closed by a claim, which its event does not show.
    """
    match command, event:
        case NextGame() | ClaimAbsent(), Closed():
            return isinstance(command, ClaimAbsent) is claimed
        case TakeSeat(), SeatTaken(seat, name):
            sitter = state.sitter(seat)
            held = sitter is not None and sitter.token_hash == command.token_hash
            return held and name == tidy(command.name)
        case SetSecret(code), SecretSet(opening, expired=False):
            return opening is not None and opening.code == code
        case Guess(code), Guessed(guess):
            return code == guess
        case Answer(keys), Answered(given, expired=False):
            return keys == given
        case OfferTime(seconds), TimeOffered(offered):
            return seconds == offered
        case ProposeLimit(limit), LimitProposed(_, proposed):
            return limit == proposed
        case AcceptLimit(limit), LimitAccepted(accepted):
            return limit == accepted
        case UseHint(grade), HintUsed(_, asked):
            return grade is asked
        case CreditTime(), TimeCredited():
            return True
        case Expire(), RowExpired() | SecretSet(expired=True) | Answered(expired=True) | Closed():
            return True
        case _:
            return any(
                isinstance(command, asked) and isinstance(event, done) for asked, done in _PLAIN
            )


_PLAIN = (
    (Challenge, Challenged),
    (Rematch, RematchOffered),
    (Resign, Resigned),
    (ClaimAbsent, Abandoned),
    (DeclineLimit, LimitDeclined),
    (WithdrawLimit, LimitWithdrawn),
)
