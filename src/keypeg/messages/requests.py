"""What the bodies of requests say: a table to open, a seat to take, a question for the solver."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from keypeg.messages.fields import BoardName, CommandId, Keys, Level, Name, Pegs, Retry
from keypeg.rules.board import LIMITS
from keypeg.rules.series import Seat
from keypeg.rules.terms import LONGEST_TURN, MOST_GAMES, KeyPegMode, Scoring
from keypeg.store.events import Grade


class NewTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table to be opened."""

    board: BoardName = "classic"
    games: Annotated[int, Meta(ge=2, le=MOST_GAMES, multiple_of=2)] = 2
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    scoring: Scoring = Scoring.ROWS
    turn_seconds: Annotated[int, Meta(ge=1, le=LONGEST_TURN)] | None = None
    opponent: Level | None = None
    """The level of the computer in the other seat; null leaves it to a person."""
    seat: Seat | None = Seat.ONE
    """The seat to take at once; null takes none."""
    name: Name = "Player"
    first_maker: Seat = Seat.ONE
    public: bool = False
    hints: bool | None = None
    """Whether hints may be asked for; null allows them against the computer only."""
    retry: Retry | None = None


class TakeSeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who sits down."""

    seat: Seat
    name: Name = "Player"
    retry: Retry | None = None


class AskHint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A breaker who wants a hint; that it was given is written to the log, with its grade.

    Only `best`, which null stands for, is given all there is; any other grade the number of codes.
    """

    id: CommandId
    grade: Grade | None = None


class AskTicket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom a socket is for: a seat one holds; null is the one held, or else a spectator."""

    seat: Seat | None = None


class AnsweredRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a real board, with its key pegs."""

    code: Pegs
    black: Keys
    white: Keys


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A board and the rows played on it, to be thought about."""

    board: BoardName = "classic"
    rows: Annotated[tuple[AnsweredRow, ...], Meta(max_length=LIMITS["rows"][1])] = ()
