"""What requests are answered with, besides tables and advice."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from keypeg.messages.tables import BoardOut, TableOut
from keypeg.rules.series import Seat
from keypeg.store.log import Stage


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that was taken. Programs get its token here, once; pages get it as a cookie."""

    table: str
    seat: Seat | None
    token: str | None


class TicketOut(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket for one socket."""

    ticket: str
    seconds: int


class ListedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A public table."""

    id: str
    stage: Stage
    changed: int


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What a new table may be set to."""

    boards: tuple[BoardOut, ...]
    levels: tuple[str, ...]


class HealthOut(msgspec.Struct, frozen=True):
    """Whether the server is well."""

    status: str
    version: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why something was not done: a word for programs, a sentence for people."""

    code: str
    message: str
    table: TableOut | UnsetType = UNSET
    """The table as it is now, if the command did not fit it any more."""
