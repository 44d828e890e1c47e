"""A table as it is shown: its status, its games, its seats, and who is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from keypeg.messages.fields import Options
from keypeg.rules.game import Ending, Phase
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring
from keypeg.store.log import Stage

if TYPE_CHECKING:
    from keypeg.rules.board import Board


class PointsOut(msgspec.Struct, frozen=True):
    """What each seat has."""

    one: int
    two: int


class ResultOut(msgspec.Struct, frozen=True):
    """How a series ended; no winner is a tie."""

    winner: Seat | None
    points: PointsOut


class ProposalOut(msgspec.Struct, frozen=True):
    """A turn limit that a seat has proposed, in seconds; null is no limit."""

    seat: Seat
    seconds: int | None


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where the table is: what everybody there may know at a glance."""

    seq: int
    stage: Stage
    number: int
    """Which game of the series is on, counted from 1."""
    maker: Seat
    phase: Phase | None
    turn: Seat | None
    waits_for: Seat | None
    points: PointsOut
    score_line: PointsOut
    totals: PointsOut
    """The points of all series played at this table."""
    challengeable: bool
    result: ResultOut | None
    rematch: Seat | None
    """Who offers another series."""
    due: int | None
    """When the running turn, or the pause after a game, ends, in milliseconds of UTC; or null."""
    limit: int | None = None
    """The limit of the running turn, in seconds, or null."""
    next_limit: int | None = None
    """The limit from the next turn on, which differs once the players have agreed on another."""
    proposal: ProposalOut | None = None


class RowOut(msgspec.Struct, frozen=True):
    """A row: its pegs, or null where time ran out, and its key pegs once it is answered."""

    code: tuple[int, ...] | None
    black: int | None
    white: int | None


class GameOut(msgspec.Struct, frozen=True, kw_only=True):
    """One game, as much of it as its reader may see."""

    id: str
    maker: Seat
    rows: tuple[RowOut, ...]
    seal: str | None
    secret: tuple[int, ...] | None
    """Null until the shield is opened, except to its maker."""
    nonce: str | None
    revealed: bool
    ending: Ending | None
    void: bool


class SeatHolder(msgspec.Struct, frozen=True, kw_only=True):
    """A seat: who has it, if anybody has."""

    taken: bool
    name: str | None
    level: str | None
    """At which level the computer plays here; null for people."""


class BoardOut(msgspec.Struct, frozen=True, kw_only=True):
    """A board in numbers."""

    name: str
    holes: int
    colours: int
    rows: int
    blanks: bool
    repeats: bool


def board_out(board: Board) -> BoardOut:
    """A board in numbers."""
    return BoardOut(
        name=str(board),
        holes=board.holes,
        colours=board.colours,
        rows=board.rows,
        blanks=board.blanks,
        repeats=board.repeats,
    )


class TableOut(msgspec.Struct, frozen=True, kw_only=True):
    """A whole table as its reader may see it."""

    id: str
    seat: Seat | None
    """Whose view this is; null is a spectator's."""
    now: int
    board: BoardOut
    games_agreed: int
    key_pegs: KeyPegMode
    scoring: Scoring
    turn_seconds: int | None
    public: bool
    hints_allowed: bool
    hints_used: int
    one: SeatHolder
    two: SeatHolder
    status: Status
    options: Options
    games: tuple[GameOut, ...]


class TurnOut(msgspec.Struct, frozen=True, kw_only=True):
    """Whose turn it is at a table, in short."""

    id: str
    seat: Seat | None
    """Whose question this answers; null is a spectator's."""
    now: int
    since: int
    """When something last happened here, in milliseconds of UTC."""
    board: str
    games_agreed: int
    one: SeatHolder
    two: SeatHolder
    status: Status


class PresenceOut(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a player's socket is open, and if not, since when."""

    here: bool
    away_since: int | None
    claimable_at: int | None
    """When the opponent may claim the series, in milliseconds of UTC."""
