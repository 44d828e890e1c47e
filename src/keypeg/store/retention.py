"""Old tables: finding them, and deleting them from the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from keypeg.store.codec import one_of
from keypeg.store.engines import parse_address, reader_engine, writer_engine
from keypeg.store.faults import FAULTS, diagnose
from keypeg.store.log import Stage
from keypeg.store.schema import entries, presence, tables

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True, slots=True)
class Idle:
    """A table whose last entry was written at `last`, in milliseconds since the epoch."""

    table_id: str
    stage: Stage
    last: int


class Retention:
    """Finds and deletes old tables. Must be closed with `close`."""

    def __init__(self, address: str) -> None:
        url = parse_address(address)
        # A search may take long. On a connection of its own, it does not block players.
        self._readers, self._writer = reader_engine(url), writer_engine(url)

    async def close(self) -> None:
        """Close the connections."""
        await self._readers.dispose()
        await self._writer.dispose()

    async def finished(self, before: int) -> list[Idle]:
        """Tables whose last series is over, and whose last entry was written before then."""
        return await self._find(tables.c.stage == Stage.OVER.value, before)

    async def abandoned(self, before: int) -> list[Idle]:
        """Unfinished tables, public or not, whose last entry was written before then."""
        return await self._find(tables.c.stage != Stage.OVER.value, before)

    async def _find(self, which: ColumnElement[bool], before: int) -> list[Idle]:
        last = func.max(entries.c.at)
        wanted = (
            select(tables.c.id, tables.c.stage, last.label("last"))
            .join(entries, entries.c.table_id == tables.c.id)
            .where(which)
            .group_by(tables.c.id, tables.c.stage)
            .having(last < before)
            .order_by(last)
        )
        try:
            async with self._readers.connect() as connection:
                rows = (await connection.execute(wanted)).all()
        except FAULTS as fault:
            raise diagnose(fault) from fault
        return [Idle(row.id, one_of(Stage, row.stage), row.last) for row in rows]

    async def remove(self, idle: Idle) -> bool:
        """Delete a table, unless a new entry has been written. Returns whether it was deleted."""
        try:
            async with self._writer.begin() as connection:
                if await self._last(connection, idle.table_id) != idle.last:
                    return False
                await _delete(connection, idle.table_id)
        except FAULTS as fault:
            raise diagnose(fault) from fault
        return True

    async def remove_whole(self, table_id: str) -> None:
        """Delete a table, whatever has been written."""
        try:
            async with self._writer.begin() as connection:
                await _delete(connection, table_id)
        except FAULTS as fault:
            raise diagnose(fault) from fault

    async def _last(self, connection: AsyncConnection, table_id: str) -> int | None:
        """The time of the last entry. Locks the table until the end of the transaction."""
        held = select(tables.c.id).where(tables.c.id == table_id).with_for_update()
        await connection.execute(held)
        last = select(func.max(entries.c.at)).where(entries.c.table_id == table_id)
        found: int | None = await connection.scalar(last)
        return found


async def _delete(connection: AsyncConnection, table_id: str) -> None:
    for table in (presence, entries):
        await connection.execute(delete(table).where(table.c.table_id == table_id))
    await connection.execute(delete(tables).where(tables.c.id == table_id))
