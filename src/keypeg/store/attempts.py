"""Attempts at daily codes, in the same database as the log.

An attempt belongs to whoever has a token, which is known here by its hash. The distribution of a
day is kept as counts, and never computed from the attempts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from keypeg.rules.keypegs import KeyPegs
from keypeg.store.errors import Moved
from keypeg.store.faults import clear_frames
from keypeg.store.schema import daily_attempts, daily_counts, daily_rows

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

    from keypeg.rules.code import Code
    from keypeg.store.sql import SqlLog

NOT_BROKEN: Final = 0
"""Stands in place of the number of rows, for a player who did not break the code."""


_READ: Final = (
    select(
        *daily_attempts.c["begun", "counts", "needed"],
        *daily_rows.c["guess_id", "code", "black", "white"],
    )
    .select_from(daily_attempts.join(daily_rows))
    .order_by(daily_rows.c.row)
)


class AttemptKey(NamedTuple):
    """Whose attempt it is, on which day and board; the day as in 2026-11-18."""

    day: str
    board: str
    holder: str


class PlayedRow(NamedTuple):
    """A guess with its answer. `id` was made by whoever guessed."""

    id: str
    code: Code
    keys: KeyPegs


@dataclass(frozen=True, slots=True)
class Attempt:
    """The rows that somebody has played on one day; `begun` in milliseconds since the epoch."""

    begun: int
    counts: bool
    """Whether it is, or will be, part of the day's distribution."""
    rows: tuple[PlayedRow, ...]
    needed: int | None
    """The rows that were needed, NOT_BROKEN, or None while it goes on."""


class Attempts:
    """The attempts in the database of a log."""

    def __init__(self, log: SqlLog) -> None:
        self._log = log

    async def read(self, key: AttemptKey) -> Attempt | None:
        """An attempt, or None if nothing has been played."""
        rows = await self._log.fetch(_READ.where(_is(daily_attempts, key)))
        if not rows:
            return None
        first = rows[0]
        played = tuple(
            PlayedRow(row.guess_id, tuple(row.code), KeyPegs(row.black, row.white)) for row in rows
        )
        return Attempt(first.begun, bool(first.counts), played, first.needed)

    async def add(self, key: AttemptKey, before: Attempt | None, after: Attempt, at: int) -> None:
        """Write the last row of `after`. When this returns, the row is on disk.

        Raises Moved if the attempt is no longer what it was in `before`.
        """
        if not await self._log.transact(partial(_add, key, before, after, at)):
            raise Moved("another process has written this row first")

    async def distribution(self, day: str, board: str) -> dict[int, int]:
        """How many players needed how many rows, of those who count."""
        counts = daily_counts.c
        rows = await self._log.fetch(
            select(counts.needed, counts.players)
            .where(counts.day == day, counts.board == board)
            .order_by(counts.needed)
        )
        return {row.needed: row.players for row in rows}

    async def old(self, before: int) -> int:
        """How many attempts were last continued before then."""
        wanted = select(func.count()).where(daily_attempts.c.changed < before)
        return int((await self._log.fetch(wanted))[0][0])

    async def remove_old(self, before: int) -> int:
        """Delete those attempts; the distributions stay. Returns how many they were."""
        return await self._log.transact(partial(_remove_old, before))

    async def keys(self) -> list[AttemptKey]:
        """All attempts that are stored."""
        columns = daily_attempts.c
        wanted = select(columns.day, columns.board, columns.holder)
        rows = await self._log.fetch(wanted.order_by(*daily_attempts.primary_key.columns))
        return [AttemptKey(*row) for row in rows]


def _is(table: Table, key: AttemptKey) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in key._asdict().items()))


def _add(
    key: AttemptKey, before: Attempt | None, after: Attempt, at: int, connection: Connection
) -> bool:
    row = after.rows[-1]
    state = {"counts": int(after.counts), "changed": at, "needed": after.needed}
    played = {
        "row": len(after.rows),
        "guess_id": row.id,
        "code": bytes(row.code),
        "black": row.keys.black,
        "white": row.keys.white,
    }
    try:
        with connection.begin_nested():
            if before is None:
                new = {**key._asdict(), "begun": after.begun, **state}
                connection.execute(insert(daily_attempts), new)
            else:
                connection.execute(update(daily_attempts).where(_is(daily_attempts, key)), state)
            connection.execute(insert(daily_rows), {**key._asdict(), **played})
    except IntegrityError as error:
        clear_frames(error)
        return False
    if after.counts and after.needed is not None:
        _count(key, after.needed, connection)
    return True


def _count(key: AttemptKey, needed: int, connection: Connection) -> None:
    """Count one more player, whether or not another process counts the first at the same time."""
    counts = daily_counts.c
    of = {"day": key.day, "board": key.board, "needed": needed}
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


def _remove_old(before: int, connection: Connection) -> int:
    old = daily_attempts.c.changed < before
    # Rows that are being added to these attempts wait, and then find no attempt.
    names = tuple(daily_attempts.primary_key.columns)
    connection.execute(select(*names).where(old).with_for_update())
    found = select(*names).where(old)
    mine = tuple_(*(daily_rows.c[column.name] for column in names))
    connection.execute(delete(daily_rows).where(mine.in_(found)))
    return connection.execute(delete(daily_attempts).where(old)).rowcount
