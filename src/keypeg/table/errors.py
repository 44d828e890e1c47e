"""What a table refuses beyond the rules of the game, as types."""

from __future__ import annotations

from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn


class NoSuchTable(KeypegError):
    """There is no table of this name."""


class Conflict(KeypegError):
    """A command that does not fit what was done already. `seq` is where the table is."""

    def __init__(self, message: str, seq: int) -> None:
        super().__init__(message)
        self.seq = seq


class CommandReused(Conflict):
    """A command id that this seat used before, for something else."""


class Stale(Conflict):
    """Meant for a table that has moved on: look at what happened since, and decide again."""


class SeatHeld(AgainstTheRules):
    """Somebody has this seat."""


class NotReady(NotYourTurn):
    """A seat is empty still."""


class TooLate(NotYourTurn):
    """The time for this turn ran out before it came."""


class TooEarly(NotYourTurn):
    """What may be done later, but not yet: the clock still runs, or the opponent may come back."""


class HintsOff(AgainstTheRules):
    """This table is played without hints."""


class LogFull(AgainstTheRules):
    """So much has happened at this table that more belongs at a new one."""


class NoSuchLevel(CannotRead):
    """The computer does not play at such a level."""
