"""Messages of the daily code: what its players are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from keypeg.daily.codes import game_id
from keypeg.daily.days import DAY, begins, day_at, number_of
from keypeg.messages.attempts import AttemptRow, rows_out
from keypeg.messages.events import nonce_out
from keypeg.messages.tables import BoardOut, board_out
from keypeg.store.attempts import NOT_BROKEN

if TYPE_CHECKING:
    from keypeg.daily.game import Disclosure, Played


class DailySeal(msgspec.Struct, frozen=True, kw_only=True):
    """The seal of a day's code; code and nonce open it, and are null until they may be known."""

    game: str
    """The id that was sealed with the code."""
    board: str
    seal: str
    code: tuple[int, ...] | None
    nonce: str | None


class DailyDay(msgspec.Struct, frozen=True, kw_only=True):
    """A day, and the seals of its codes."""

    date: str
    number: int
    seals: tuple[DailySeal, ...]


class DailyDays(msgspec.Struct, frozen=True, kw_only=True):
    """Today and tomorrow, in UTC; times are in milliseconds since the epoch."""

    now: int
    next: int
    """When tomorrow begins."""
    first: str
    """The day of code number 1."""
    today: DailyDay
    tomorrow: DailyDay


class DailyCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many players needed this many rows; null rows stand for a code that was not broken."""

    rows: int | None
    players: int


class DailyEnding(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent only to those who are done."""

    code: tuple[int, ...]
    nonce: str
    broken: bool
    distribution: tuple[DailyCount, ...]
    """Of all who began on the day itself, and were done before its seal was opened to all."""
    optimum: tuple[AttemptRow, ...]
    """The rows that the strategy book would have needed."""


class DailyOut(msgspec.Struct, frozen=True, kw_only=True):
    """A day's code as one player sees it."""

    now: int
    next: int
    """When the next day begins."""
    date: str
    number: int
    board: BoardOut
    game: str
    seal: str
    counts: bool
    """Whether this attempt is part of the day's distribution, or will be once it is done."""
    rows: tuple[AttemptRow, ...]
    ending: DailyEnding | None


class DailyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The row in which a guess was answered, and the day after it."""

    row: int
    day: DailyOut


def daily_out(seen: Played, now: int) -> DailyOut:
    """A day as its player is sent it. Hides nothing: `daily.game` has decided what is seen."""
    attempt = seen.attempt
    played = [(row.code, row.keys) for row in attempt.rows] if attempt else []
    return DailyOut(
        now=now,
        next=begins(day_at(now) + DAY),
        date=str(seen.day),
        number=number_of(seen.day),
        board=board_out(seen.board),
        game=game_id(seen.day),
        seal=seen.seal,
        counts=seen.counts,
        rows=rows_out(played),
        ending=None if seen.ending is None else _ending(seen.ending, broken=seen.broken),
    )


def _ending(ending: Disclosure, *, broken: bool) -> DailyEnding:
    distribution = [
        DailyCount(rows=None if rows == NOT_BROKEN else rows, players=players)
        for rows, players in ending.distribution.items()
    ]
    return DailyEnding(
        code=ending.opening.code,
        nonce=nonce_out(ending.opening) or "",
        broken=broken,
        distribution=tuple(distribution),
        optimum=rows_out(ending.optimum),
    )
