"""Whether a command is one that was carried out before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.matches.commands import (
    Accept,
    Another,
    Answer,
    Challenge,
    GiveUp,
    Guess,
    Leave,
    SetSecret,
    Start,
)
from keypeg.rules.events import Answered, Challenged, Guessed, Resigned
from keypeg.rules.events import SecretSet as SecretWasSet
from keypeg.rules.match.events import AnswersAccepted, Begun, Followed, InGame, Left

if TYPE_CHECKING:
    from keypeg.matches.commands import Command
    from keypeg.store.match_events import LoggedMatchEvent


def same(command: Command, event: LoggedMatchEvent) -> bool:
    """Whether `event` is what this command causes. Rows need no look: ids are not used twice."""
    inner = event.event if isinstance(event, InGame) else event
    match command, inner:
        case SetSecret(code), SecretWasSet(opening):
            return opening is not None and opening.code == code
        case Guess(_, code), Guessed(guessed):
            return code == guessed
        case Answer(_, keys), Answered(answered):
            return keys == answered
        case (
            (Start(), Begun())
            | (Leave(), Left())
            | (Challenge(), Challenged())
            | (Accept(), AnswersAccepted())
            | (GiveUp(), Resigned())
            | (Another(), Followed())
        ):
            return True
        case _:
            return False
