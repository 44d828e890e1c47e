"""What a client is told on its socket."""

from __future__ import annotations

import msgspec

from keypeg.messages.events import EntryOut
from keypeg.messages.fields import Options
from keypeg.messages.matches import MatchOut
from keypeg.messages.tables import PresenceOut, Status, TableOut
from keypeg.rules.series import Seat


class _Told(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something that a client is told."""


class Welcome(_Told, frozen=True, tag="welcome"):
    """The socket is open. With no seq in the hello, `table` holds everything so far."""

    seat: Seat | None
    seq: int
    now: int
    status: Status
    options: Options
    table: TableOut | None = None


class Missed(_Told, frozen=True, tag="missed"):
    """Entries that followed the seq in the hello, in order, and where the table is now.

    More may follow, until the last entry is the one that the status is of.
    """

    entries: tuple[EntryOut, ...]
    status: Status
    options: Options


class Update(_Told, frozen=True, tag="update"):
    """Something happened; where the table was after it, and what the reader might do then."""

    now: int
    entry: EntryOut
    status: Status
    options: Options


class Snapshot(_Told, frozen=True, tag="snapshot"):
    """Everything so far, for a spectator who could not keep up."""

    table: TableOut


class Present(_Told, frozen=True, tag="presence"):
    """Who is here."""

    now: int
    one: PresenceOut
    two: PresenceOut


class Ack(_Told, frozen=True, tag="ack"):
    """A command is done, and on disk, as entry `seq`. A repeated one gets the same answer."""

    id: str
    seq: int


class Refused(_Told, frozen=True, tag="refused"):
    """A command was not done. A stale or reused one gets the table as it is now."""

    id: str
    code: str
    message: str
    table: TableOut | None = None


class Time(_Told, frozen=True, tag="time"):
    """The server's time, in milliseconds of UTC."""

    now: int


class Error(_Told, frozen=True, tag="error"):
    """A message could not be read, or the table could not be opened."""

    code: str
    message: str


class MatchUpdate(_Told, frozen=True, tag="match"):
    """A match as you see it now, in place of all that you were told before."""

    match: MatchOut


ClientOut = (
    Welcome | Missed | Update | Snapshot | Present | Ack | Refused | Time | Error | MatchUpdate
)
