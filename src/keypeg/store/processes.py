"""What several processes on one database share besides the log.

This is: which processes are running, which players are connected to which process, which tickets
have been used, and the last entry of each table. None of it is needed to rebuild a table, and all
of it may be lost.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from keypeg.rules.series import Seat
from keypeg.store.engines import PATIENCE, unsynced_engine
from keypeg.store.faults import FAULTS, diagnose
from keypeg.store.schema import entries, presence, processes, spent, tables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from sqlalchemy import URL
    from sqlalchemy.sql.expression import Executable

MOST_AT_ONCE: Final = 10_000
"""The most tables in one query. PostgreSQL allows 32,767 parameters."""
KEPT_MILLISECONDS: Final = 60 * 60 * 1000
"""How long it is remembered that a player left."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The connection of a seat: to which process, and until when."""

    process: str
    until: int | None
    """When the player left, or when the lease of the process ends; milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Glance:
    """The last entry of a table, and who is connected to it."""

    seq: int
    seats: dict[Seat, Sighting] = field(default_factory=dict)


class Processes:
    """What the processes on one PostgreSQL database share. `process` is the name of this one."""

    def __init__(self, url: URL, process: str, patience: float | None = PATIENCE) -> None:
        self.process = process
        self._patience = patience
        self._engine = unsynced_engine(url)

    async def close(self) -> None:
        """Close the connections."""
        await self._engine.dispose()

    async def vouch(self, until: int) -> bool:
        """Renew the lease of this process until then.

        Returns False if the database had no lease of this process. Then everything else that it
        had recorded is lost too.
        """
        known = update(processes).where(processes.c.id == self.process).values(until=until)
        if await self._write((known, None)):
            return True
        row = {"id": self.process, "until": until}
        await self._write((insert(processes).on_conflict_do_nothing(), [row]))
        return False

    async def note(
        self, arrived: Iterable[tuple[str, Seat]], left: Iterable[tuple[str, Seat]], now: int
    ) -> None:
        """Record who connected to this process, perhaps from another one, and who left it."""
        came = [
            {"table_id": table, "seat": seat.value, "process": self.process}
            for table, seat in sorted(arrived, key=_by_name)
        ]
        went = [
            {"named": table, "chair": seat.value, "now": now}
            for table, seat in sorted(left, key=_by_name)
        ]
        wanted = insert(presence).values(gone=None)
        taken = {"process": wanted.excluded.process, "gone": None}
        arriving = wanted.on_conflict_do_update(index_elements=["table_id", "seat"], set_=taken)
        leaving = (
            update(presence)
            .where(presence.c.table_id == bindparam("named"))
            .where(presence.c.seat == bindparam("chair"))
            .where(presence.c.process == self.process)
            .values(gone=bindparam("now"))
        )
        await self._write((arriving, came), (leaving, went))

    async def spend(self, ticket: str, until: int) -> bool:
        """Mark a ticket as used until `until`. Returns False if it had been used before."""
        row = {"ticket": ticket, "until": until}
        used = insert(spent).on_conflict_do_nothing()
        return await self._write((used, [row])) == 1

    async def look(self, names: Sequence[str]) -> dict[str, Glance]:
        """The last entries of these tables, and who is connected to them."""
        found: dict[str, Glance] = {}
        for start in range(0, len(names), MOST_AT_ONCE):
            for row in await self._read(_glance(names[start : start + MOST_AT_ONCE])):
                glance = found.setdefault(row.id, Glance(row.seq or 0))
                if row.seat is not None:
                    until = row.until if row.gone is None else row.gone
                    glance.seats[Seat(row.seat)] = Sighting(row.process, until)
        return found

    async def overdue(self, before: int, limit: int, but: Collection[str] = ()) -> list[str]:
        """Tables whose turn should have ended before then, but no process has ended it."""
        late = select(tables.c.id).where(tables.c.due < before, tables.c.id.not_in(but))
        return [row.id for row in await self._read(late.order_by(tables.c.due).limit(limit))]

    async def sweep(self, now: int) -> None:
        """Delete what is no longer needed."""
        old = now - KEPT_MILLISECONDS
        await self._write(
            (delete(spent).where(spent.c.until < now), None),
            (delete(presence).where(presence.c.gone < old), None),
            (delete(processes).where(processes.c.until < old), None),
        )

    async def _write(self, *steps: tuple[Executable, list[dict[str, Any]] | None]) -> int:
        try:
            async with asyncio.timeout(self._patience), self._engine.begin() as connection:
                count = 0
                for statement, rows in steps:
                    if rows is None or len(rows) == 1:
                        done = await connection.execute(statement, rows[0] if rows else None)
                        count += done.rowcount
                    elif rows:
                        await connection.execute(statement, rows)
                return count
        except FAULTS as fault:
            raise diagnose(fault) from fault

    async def _read(self, wanted: Executable) -> Iterator[Any]:
        try:
            async with asyncio.timeout(self._patience), self._engine.connect() as connection:
                return iter((await connection.execute(wanted)).all())
        except FAULTS as fault:
            raise diagnose(fault) from fault


def _by_name(seat: tuple[str, Seat]) -> tuple[str, str]:
    """A sort key: the same order in every process prevents deadlocks."""
    return seat[0], seat[1].value


def _glance(names: Sequence[str]) -> Executable:
    last = (
        select(entries.c.seq)
        .where(entries.c.table_id == tables.c.id)
        .order_by(entries.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    here = presence.c.table_id == tables.c.id
    alive = processes.c.id == presence.c.process
    return (
        select(
            tables.c.id,
            last.label("seq"),
            presence.c.seat,
            presence.c.process,
            presence.c.gone,
            processes.c.until,
        )
        .select_from(tables.outerjoin(presence, here).outerjoin(processes, alive))
        .where(tables.c.id.in_(names))
    )
