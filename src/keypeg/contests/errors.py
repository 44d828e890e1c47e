"""Why something cannot be done at a contest."""

from __future__ import annotations

from keypeg.rules.errors import AgainstTheRules, KeypegError


class NoSuchContest(KeypegError):
    """There is no contest of this id, or no code or entrant of this number in it."""


class ContestReused(KeypegError):
    """The id of a request was used for another contest before."""


class NotEntered(AgainstTheRules):
    """Only whoever has entered a contest may guess."""


class OwnCode(AgainstTheRules):
    """Whoever chose the codes cannot break them."""


class ContestFull(AgainstTheRules):
    """As many have entered as may."""


class TooManySpectators(AgainstTheRules):
    """As many watch as may."""


class Entered(AgainstTheRules):
    """Whoever has entered a contest cannot watch it instead."""


class Watching(AgainstTheRules):
    """Whoever watches a contest has seen its codes, and cannot enter it."""


class ContestClosed(AgainstTheRules):
    """The time for a contest is over."""


class NotDoneYet(AgainstTheRules):
    """What others have played is shown to those who are done."""
