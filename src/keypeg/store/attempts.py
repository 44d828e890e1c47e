"""Attempts at codes by breakers who play alone, in the same database as the log.

What is an attempt's key, and what is kept besides its rows, is up to the kind of code: see
`daily_attempts` and `contests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import and_, delete, func, insert, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from keypeg.rules.keypegs import KeyPegs
from keypeg.store.errors import Moved
from keypeg.store.faults import clear_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Table

    from keypeg.rules.code import Code
    from keypeg.store.sql import SqlLog

NOT_BROKEN: Final = 0
"""Stands in place of the number of rows, for a player who did not break the code."""
_ROW: Final = ("guess_id", "code", "black", "white")


class PlayedRow(NamedTuple):
    """A guess with its answer. `id` was made by whoever guessed."""

    id: str
    code: Code
    keys: KeyPegs


@dataclass(frozen=True, slots=True)
class Attempt:
    """The rows that somebody has played at one code; times in milliseconds since the epoch."""

    begun: int
    changed: int
    """When the last row was played."""
    rows: tuple[PlayedRow, ...]
    needed: int | None
    """The rows that were needed, NOT_BROKEN, or None while it goes on."""

    @property
    def done(self) -> bool:
        """Whether the code is broken, or all rows are used."""
        return self.needed is not None


Key = TypeVar("Key", bound=NamedTuple)
Kind = TypeVar("Kind", bound=Attempt)


class Attempts(Generic[Key, Kind]):
    """The attempts of one kind in the database of a log: a table of them, and one of their rows."""

    def __init__(
        self, log: SqlLog, attempts: Table, rows: Table, key: type[Key], kind: type[Kind]
    ) -> None:
        self._log, self._attempts, self._rows = log, attempts, rows
        self._key, self._kind = key, kind
        kept = [name for name in kind.__dataclass_fields__ if name != "rows"]
        self._wanted = (
            select(*attempts.c[*kept], *rows.c[*_ROW])
            .select_from(attempts.join(rows))
            .order_by(*rows.primary_key.columns)
        )

    async def read(self, key: Key) -> Kind | None:
        """An attempt, or None if nothing has been played."""
        rows = await self._log.fetch(self._wanted.where(self._is(self._attempts, key)))
        return self._attempt(rows) if rows else None

    async def add(self, key: Key, before: Kind | None, after: Kind) -> None:
        """Write the last row of `after`. When this returns, the row is on disk.

        Raises Moved if the attempt is no longer what it was in `before`.
        """
        if not await self._log.transact(partial(self._add, key, before, after)):
            raise Moved("another process has written this row first")

    async def old(self, before: int) -> int:
        """How many attempts were last continued before then."""
        wanted = select(func.count()).where(self._attempts.c.changed < before)
        return int((await self._log.fetch(wanted))[0][0])

    async def remove_old(self, before: int) -> int:
        """Delete those attempts, and nothing else. Returns how many they were."""
        return await self._log.transact(partial(self._remove_old, before))

    async def keys(self) -> list[Key]:
        """All attempts that are stored."""
        columns = self._attempts.primary_key.columns
        rows = await self._log.fetch(select(*columns).order_by(*columns))
        return [self._key(*row) for row in rows]

    def _attempt(self, rows: Sequence[Row[Any]]) -> Kind:
        played = tuple(
            PlayedRow(row.guess_id, tuple(row.code), KeyPegs(row.black, row.white)) for row in rows
        )
        fields = self._kind.__dataclass_fields__
        kept = {name: getattr(rows[0], name) for name in fields if name != "rows"}
        return self._kind(**kept, rows=played)

    def _is(self, table: Table, key: Key) -> ColumnElement[bool]:
        return and_(*(table.c[name] == value for name, value in _named(key).items()))

    def _add(self, key: Key, before: Kind | None, after: Kind, connection: Connection) -> bool:
        row = after.rows[-1]
        kept = {name: getattr(after, name) for name in after.__dataclass_fields__ if name != "rows"}
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
                    connection.execute(insert(self._attempts), {**_named(key), **kept})
                else:
                    mine = self._is(self._attempts, key)
                    connection.execute(update(self._attempts).where(mine), kept)
                connection.execute(insert(self._rows), {**_named(key), **played})
        except IntegrityError as error:
            clear_frames(error)
            return False
        if after.done:
            self._note_end(key, after, connection)
        return True

    def _note_end(self, key: Key, after: Kind, connection: Connection) -> None:
        """Write what else changes when an attempt is done, in the same transaction."""

    def _remove_old(self, before: int, connection: Connection) -> int:
        old = self._attempts.c.changed < before
        # Rows that are being added to these attempts wait, and then find no attempt.
        names = tuple(self._attempts.primary_key.columns)
        connection.execute(select(*names).where(old).with_for_update())
        found = select(*names).where(old)
        mine = tuple_(*(self._rows.c[column.name] for column in names))
        connection.execute(delete(self._rows).where(mine.in_(found)))
        return connection.execute(delete(self._attempts).where(old)).rowcount


def _named(key: NamedTuple) -> Mapping[str, Any]:
    return key._asdict()
