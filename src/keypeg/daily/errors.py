"""Why something cannot be done at a daily code."""

from __future__ import annotations

from keypeg.rules.errors import AgainstTheRules, KeypegError


class NoSuchDay(KeypegError):
    """There is no code of this day, or not yet."""


class GuessReused(KeypegError):
    """The id of a guess was used for another guess before."""


class AlreadyDone(AgainstTheRules):
    """This attempt is over; what is played now is a replay."""
