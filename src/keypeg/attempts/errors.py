"""Why a row is not answered."""

from __future__ import annotations

from keypeg.rules.errors import AgainstTheRules, KeypegError


class GuessReused(KeypegError):
    """The id of a guess was used for another guess before."""


class AlreadyDone(AgainstTheRules):
    """This attempt is over; what is played now is a replay."""
