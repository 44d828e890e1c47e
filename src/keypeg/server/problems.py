"""What each refusal is called on the wire, as data: a word for programs and an HTTP status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.attempts.errors import AlreadyDone, GuessReused
from keypeg.contests import errors as contests
from keypeg.daily.errors import NoSuchDay
from keypeg.matches import errors as matches
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.server.security import NotAllowed
from keypeg.server.solver_worker import Busy, TookTooLong
from keypeg.store.errors import StoreError, Unreadable
from keypeg.table.errors import (
    CommandReused,
    HintsOff,
    LogFull,
    NoSuchTable,
    SeatHeld,
    Stale,
    TooEarly,
    TooLate,
)

if TYPE_CHECKING:
    from keypeg.messages import TableOut
    from keypeg.table.errors import Conflict


class Kind(NamedTuple):
    """A kind of refusal."""

    status: int
    code: str


class Degraded(KeypegError):
    """The server can read, and cannot write."""


KINDS: Final[dict[type[KeypegError], Kind]] = {
    NoSuchTable: Kind(404, "no-such-table"),
    NoSuchDay: Kind(404, "no-such-day"),
    contests.NoSuchContest: Kind(404, "no-such-contest"),
    matches.NoSuchMatch: Kind(404, "no-such-match"),
    NotAllowed: Kind(401, "not-allowed"),
    Stale: Kind(409, "stale"),
    CommandReused: Kind(409, "conflict"),
    GuessReused: Kind(409, "conflict"),
    contests.ContestReused: Kind(409, "conflict"),
    matches.MatchReused: Kind(409, "conflict"),
    matches.NoPlace: Kind(409, "no-place"),
    matches.RowTooLate: Kind(409, "too-late"),
    matches.WrongRow: Kind(409, "wrong-row"),
    AlreadyDone: Kind(409, "already-done"),
    contests.NotEntered: Kind(409, "not-entered"),
    contests.OwnCode: Kind(409, "own-code"),
    contests.NotDoneYet: Kind(409, "not-done"),
    contests.ContestFull: Kind(409, "contest-full"),
    contests.TooManySpectators: Kind(409, "contest-full"),
    contests.Entered: Kind(409, "entered"),
    contests.Watching: Kind(409, "watching"),
    contests.ContestClosed: Kind(409, "contest-closed"),
    SeatHeld: Kind(409, "seat-held"),
    TooLate: Kind(409, "too-late"),
    TooEarly: Kind(409, "too-early"),
    HintsOff: Kind(403, "hints-off"),
    LogFull: Kind(409, "log-full"),
    NotYourTurn: Kind(409, "not-your-turn"),
    CannotRead: Kind(422, "cannot-read"),
    AgainstTheRules: Kind(409, "against-the-rules"),
    Busy: Kind(429, "busy"),
    TookTooLong: Kind(503, "took-too-long"),
    Degraded: Kind(503, "degraded"),
    Unreadable: Kind(503, "unreadable"),
    StoreError: Kind(503, "unavailable"),
    KeypegError: Kind(409, "refused"),
}
"""Looked through in order: a special kind stands before the kind it is one of."""


class Outdated(Exception):
    """A command that did not fit the table any more, and the table as it is now."""

    def __init__(self, conflict: Conflict, table: TableOut) -> None:
        super().__init__(str(conflict))
        self.conflict, self.table = conflict, table


def kind_of(error: KeypegError) -> Kind:
    """What `error` is called on the wire."""
    return next(kind for type_, kind in KINDS.items() if isinstance(error, type_))
