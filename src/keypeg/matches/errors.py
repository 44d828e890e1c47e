"""Why something cannot be done at a match, beyond the rules."""

from __future__ import annotations

from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn


class NoSuchMatch(KeypegError):
    """There is no match of this id."""


class MatchReused(KeypegError):
    """The id of a request was used for something else before."""


class NoPlace(NotYourTurn):
    """Only the players of a match can do this."""


class RowTooLate(NotYourTurn):
    """The time for this row, or this answer, ran out before it came."""


class WrongRow(AgainstTheRules):
    """This is not the next row."""


class NotDue(AgainstTheRules):
    """No clock has run out."""


class NoSuchLevel(CannotRead):
    """The computer does not play at such a level."""
