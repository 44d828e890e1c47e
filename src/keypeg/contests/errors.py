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


class ContestClosed(AgainstTheRules):
    """The time for a contest is over."""


class NotDoneYet(AgainstTheRules):
    """What others have played is shown to those who are done."""
