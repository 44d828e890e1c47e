"""Reading the rows of entries, those of many tables in one query."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, or_, select

from keypeg.store.batching import Batched
from keypeg.store.schema import entries, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row, Select

    from keypeg.store.sql import SqlLog

MOST_ROWS: Final = 2_000
"""The most entries that are read in one query for several tables."""
_Columns = tuple[Any, ...]
_Position = tuple[str, int]
# Built once, since building a statement takes a noticeable part of a read.
_WITH_END: Final = select(entries, tables.c.mac.label("end")).join(tables)
"""Entries, each with the MAC of its table, which says where the log ends."""
_READ: Final = (
    _WITH_END.where(entries.c.table_id.in_(bindparam("tables", expanding=True)))
    .order_by(entries.c.table_id, entries.c.seq)
    .limit(MOST_ROWS)
)


@cache
def _read_after(tables: int) -> Select[*_Columns]:
    """A query for the entries after a given entry, in each of this many tables."""
    each = (
        and_(
            entries.c.table_id == bindparam(f"table{number}"),
            entries.c.seq > bindparam(f"after{number}"),
        )
        for number in range(tables)
    )
    return _WITH_END.where(or_(*each)).order_by(entries.c.table_id, entries.c.seq)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


class EntryRows:
    """The rows of entries in the database of a log."""

    def __init__(self, log: SqlLog) -> None:
        self._log = log
        self._whole = Batched(self._read_whole)
        self._newer = Batched(self._read_newer)

    async def whole(self, table_id: str) -> Sequence[Row[*_Columns]]:
        """All entries of a table. Empty for a table that does not exist."""
        return await self._whole.get(table_id)

    async def after(self, table_id: str, seq: int) -> Sequence[Row[*_Columns]]:
        """The entries of a table after the entry `seq`."""
        return await self._newer.get((table_id, seq))

    async def close(self) -> None:
        """Wait for the queries that are under way."""
        await self._whole.close()
        await self._newer.close()

    async def _read_whole(self, names: Sequence[str]) -> dict[str, Sequence[Row[*_Columns]]]:
        found: dict[str, Sequence[Row[*_Columns]]] = dict.fromkeys(names, ())
        rows = await self._log.fetch(_READ, {"tables": names})
        while True:
            found |= {name: list(of) for name, of in groupby(rows, lambda row: row.table_id)}
            if len(rows) < MOST_ROWS:
                return found
            # The query was cut off: read the rest of the last table, then the tables after it.
            last = rows[-1]
            further = {"table0": last.table_id, "after0": last.seq}
            rest = await self._log.fetch(_read_after(1), further)
            found[last.table_id] = [*found[last.table_id], *rest]
            left = [name for name in names if not found[name]]
            rows = await self._log.fetch(_READ, {"tables": left})

    async def _read_newer(
        self, positions: Sequence[_Position]
    ) -> dict[_Position, Sequence[Row[*_Columns]]]:
        """Read the entries after the given ones. There are usually few for each table."""
        # The number of tables is rounded up to a power of two, so that few different statements
        # have to be prepared.
        asked = [*positions, *[positions[-1]] * (_power_of_two(len(positions)) - len(positions))]
        values: dict[str, Any] = {
            f"table{number}": table for number, (table, _) in enumerate(asked)
        }
        values |= {f"after{number}": after for number, (_, after) in enumerate(asked)}
        rows = await self._log.fetch(_read_after(len(asked)), values)
        found = {name: list(of) for name, of in groupby(rows, lambda row: row.table_id)}
        return {
            (table, after): [row for row in found.get(table, ()) if row.seq > after]
            for table, after in positions
        }
