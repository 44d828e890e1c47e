"""Tables of this process, on disk or in memory: opened and resumed from a terminal."""

from __future__ import annotations

import hashlib
import shlex
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError
from keypeg.rules.series import Seat
from keypeg.store.memory import MemoryLog
from keypeg.table import Open, Person, Settings, State, Tables
from keypeg.table.commands import TakeSeat
from keypeg.table.errors import NoSuchTable
from keypeg.table.tokens import hashed, new_token
from keypeg.terminal.saved_seats import FILE, SavedSeat, SavedSeats
from keypeg.terminal.sitting import LocalSitting

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from keypeg.store.sql import SqlLog
    from keypeg.table import Table
    from keypeg.terminal.choices import SeriesChoices

MEMORY: Final = "memory"
"""The address of tables that are not saved."""

RESUME: Final = "'keypeg play --resume' continues from here."
"""How to come back to tables in the default database."""

Names = dict[Seat, str]


class NothingToResume(KeypegError):
    """There is no unfinished series that began here."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A series that can be resumed."""

    saved: SavedSeat
    state: State
    changed: int
    """When something last happened, in milliseconds of UTC."""


class LocalTables:
    """The tables at one address; made by `local_tables_at`."""

    def __init__(self, address: str, tables: Tables, seats: SavedSeats) -> None:
        self._address, self._tables, self._seats = address, tables, seats

    async def sit_down(self, settings: Settings, names: Mapping[Seat, str]) -> LocalSitting:
        """A new table; all its people are at this terminal."""
        seats = tuple(seat for seat in Seat if isinstance(settings.holder(seat), Person))
        tokens = {seat: new_token() for seat in seats}
        first, *others = seats
        table = await self._tables.open(Open(settings, first, names[first], hashed(tokens[first])))
        sitting = self._sitting(table, seats)
        for seat in others:
            await sitting.ask(seat, TakeSeat(names[seat], hashed(tokens[seat])))
        self._seats.keep(SavedSeat(self._address, table.id, tokens))
        return sitting

    async def resume(self, saved: SavedSeat) -> LocalSitting:
        """The table of saved seats, with those that are still ours."""
        table = await self._tables.get(saved.table)
        seats = tuple(
            seat for seat, token in saved.tokens.items() if _seat_of(table.state, token) is seat
        )
        if not seats:
            raise NothingToResume("the seats of this table are held by others")
        return self._sitting(table, seats)

    async def unfinished(self) -> list[Unfinished]:
        """The unfinished series that began here, the latest first."""
        found = []
        for saved in self._seats.all(self._address):
            try:
                table = await self._tables.get(saved.table)
            except NoSuchTable:
                continue
            if table.state.series.over:
                self._seats.drop(saved)
            else:
                found.append(Unfinished(saved, table.state, table.view(None)[-1].at))
        return found

    async def latest(self) -> LocalSitting:
        """The latest unfinished series."""
        found = await self.unfinished()
        if not found:
            raise NothingToResume("there is no unfinished series; 'keypeg play' starts one")
        return await self.resume(found[0].saved)

    def _sitting(self, table: Table, seats: tuple[Seat, ...]) -> LocalSitting:
        return LocalSitting(table, self._tables.clock, seats, way_back(self._address))


def way_back(address: str) -> str:
    """How to continue a series at this address; a password in it is not repeated."""
    if address == MEMORY:
        return ""
    from keypeg.store.engines import parse_address  # noqa: PLC0415 - slow to import, as below
    from keypeg.store.paths import default_database  # noqa: PLC0415

    if address == default_database():
        return RESUME
    if parse_address(address).password:
        return "'keypeg play --resume' with the same --database continues from here."
    return f"'keypeg play --resume --database {shlex.quote(address)}' continues from here."


def _seat_of(state: State, token: str) -> Seat | None:
    """The seat that a token is the right to; tables from here once stored another hash of it."""
    return state.seat_of(hashed(token)) or state.seat_of(hashlib.sha256(token.encode()).hexdigest())


@asynccontextmanager
async def local_tables_at(address: str) -> AsyncIterator[LocalTables]:
    """The tables at an address: MEMORY, or that of a database."""
    if address == MEMORY:
        async with _running(address, MemoryLog(), None) as tables:
            yield tables
        return
    # Slow to import, and most commands need no database.
    from keypeg.store.engines import parse_address  # noqa: PLC0415
    from keypeg.store.paths import data_folder  # noqa: PLC0415
    from keypeg.store.sql import SqlLog  # noqa: PLC0415

    url = parse_address(address)
    on_disk = url.get_backend_name() == "sqlite" and url.database
    folder = Path(str(url.database)).parent if on_disk else data_folder()
    async with _running(address, await SqlLog.open(address), folder / FILE) as tables:
        yield tables


@asynccontextmanager
async def seated(address: str, choices: SeriesChoices | None) -> AsyncIterator[LocalSitting]:
    """A new table with these choices; without any, the latest unfinished series."""
    async with local_tables_at(address) as tables:
        if choices is None:
            yield await tables.latest()
        else:
            yield await tables.sit_down(choices.settings, choices.names)


@asynccontextmanager
async def _running(
    address: str, log: MemoryLog | SqlLog, seats: Path | None
) -> AsyncIterator[LocalTables]:
    tables = Tables(log)
    try:
        await tables.start()
        yield LocalTables(address, tables, SavedSeats(seats))
    finally:
        await tables.close()
        await log.close()
