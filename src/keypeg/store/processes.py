"""What the processes on one database tell each other besides the log.

Which processes live, who is connected to which, which tickets are used up, and how far each
table's log has come. Nothing here is needed to rebuild a table; all of it may be lost.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from keypeg.rules.series import Seat
from keypeg.store.engines import PATIENCE, aside_engine
from keypeg.store.faults import FAULTS, diagnose
from keypeg.store.schema import entries, presence, processes, spent, tables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from sqlalchemy import URL
    from sqlalchemy.sql.expression import Executable

MOST_AT_ONCE: Final = 10_000
"""Tables asked for in one query; PostgreSQL takes 32,767 parameters."""
KEPT_MILLISECONDS: Final = 60 * 60 * 1000
"""For how long it is remembered who left."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A seat as the database knows it: the process it is or was connected to, and until when."""

    process: str
    until: int | None
    """Milliseconds of UTC: when it left, or until when its process vouches for it."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A table from outside: its last entry, and who sits connected to it."""

    seq: int
    seats: dict[Seat, Sighting] = field(default_factory=dict)


class Processes:
    """The shared notes of the processes on one PostgreSQL; `process` is this one's name."""

    def __init__(self, url: URL, process: str, patience: float | None = PATIENCE) -> None:
        self.process = process
        self._patience = patience
        self._engine = aside_engine(url)

    async def close(self) -> None:
        """Let go of the database."""
        await self._engine.dispose()

    async def vouch(self, until: int) -> bool:
        """This process lives, and will until then unless it says so again.

        False if that was not known before: then nothing else that it noted is known either.
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
        """Who connected to this process, taking the seat over from any other, and who left it."""
        came = [
            {"table_id": table, "seat": seat.value, "process": self.process}
            for table, seat in sorted(arrived, key=_by_name)
        ]
        went = [
            {"named": table, "place": seat.value, "now": now}
            for table, seat in sorted(left, key=_by_name)
        ]
        wanted = insert(presence).values(gone=None)
        taken = {"process": wanted.excluded.process, "gone": None}
        arriving = wanted.on_conflict_do_update(index_elements=["table_id", "seat"], set_=taken)
        leaving = (
            update(presence)
            .where(presence.c.table_id == bindparam("named"))
            .where(presence.c.seat == bindparam("place"))
            .where(presence.c.process == self.process)
            .values(gone=bindparam("now"))
        )
        await self._write((arriving, came), (leaving, went))

    async def spend(self, ticket: str, until: int) -> bool:
        """Use a ticket up; False if it was already. It need not be remembered after `until`."""
        row = {"ticket": ticket, "until": until}
        used = insert(spent).on_conflict_do_nothing()
        return await self._write((used, [row])) == 1

    async def look(self, names: Sequence[str]) -> dict[str, Glance]:
        """How far these tables have come and who is at them, in one query."""
        found: dict[str, Glance] = {}
        for start in range(0, len(names), MOST_AT_ONCE):
            for row in await self._read(_glance(names[start : start + MOST_AT_ONCE])):
                glance = found.setdefault(row.id, Glance(row.seq or 0))
                if row.seat is not None:
                    until = row.until if row.gone is None else row.gone
                    glance.seats[Seat(row.seat)] = Sighting(row.process, until)
        return found

    async def overdue(self, before: int, limit: int, but: Collection[str] = ()) -> list[str]:
        """Tables whose turn ended before then, and which nobody has said so of."""
        late = select(tables.c.id).where(tables.c.due < before, tables.c.id.not_in(but))
        return [row.id for row in await self._read(late.order_by(tables.c.due).limit(limit))]

    async def sweep(self, now: int) -> None:
        """Forget what is worth nothing any more."""
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


def _by_name(place: tuple[str, Seat]) -> tuple[str, str]:
    """The same order in every process, so that two cannot wait for each other."""
    return place[0], place[1].value


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
