"""Attempts at daily codes, in the same database as the log.

An attempt belongs to whoever has a token, which is known here by its hash. The distribution of a
day is kept as counts, and never computed from the attempts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from keypeg.store.attempts import Attempt, Attempts
from keypeg.store.faults import clear_frames
from keypeg.store.schema import daily_attempts, daily_counts, daily_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from keypeg.store.sql import SqlLog


class DailyKey(NamedTuple):
    """Whose attempt it is, on which day and board; the day as in 2026-11-18."""

    day: str
    board: str
    holder: str


@dataclass(frozen=True, slots=True)
class DailyAttempt(Attempt):
    """An attempt at a daily code."""

    counts: int
    """1 if it is, or will be, part of the day's distribution; otherwise 0."""


class DailyAttempts(Attempts[DailyKey, DailyAttempt]):
    """The attempts at daily codes in the database of a log, and their distribution."""

    def __init__(self, log: SqlLog) -> None:
        super().__init__(log, daily_attempts, daily_rows, DailyKey, DailyAttempt)

    async def distribution(self, day: str, board: str) -> dict[int, int]:
        """How many players needed how many rows, of those who count."""
        counts = daily_counts.c
        rows = await self._log.fetch(
            select(counts.needed, counts.players)
            .where(counts.day == day, counts.board == board)
            .order_by(counts.needed)
        )
        return {row.needed: row.players for row in rows}

    def _note_end(self, key: DailyKey, after: DailyAttempt, connection: Connection) -> None:
        """Count one more player, whether or not another process counts the first at this time."""
        if not after.counts:
            return
        counts = daily_counts.c
        of = {"day": key.day, "board": key.board, "needed": after.needed}
        one_more = (
            update(daily_counts)
            .where(*(counts[name] == value for name, value in of.items()))
            .values(players=counts.players + 1)
        )
        if connection.execute(one_more).rowcount:
            return
        try:
            with connection.begin_nested():
                connection.execute(insert(daily_counts), {**of, "players": 1})
        except IntegrityError as error:
            clear_frames(error)
            connection.execute(one_more)
