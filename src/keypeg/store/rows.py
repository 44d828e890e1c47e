"""Entries as rows of the database, and how a batch of them is written in one transaction."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError

from keypeg.store import failpoints
from keypeg.store.chain import SET_END
from keypeg.store.errors import Moved, StoreError
from keypeg.store.faults import clear_frames
from keypeg.store.schema import entries, tables

if TYPE_CHECKING:
    import asyncio

    from sqlalchemy import Connection
    from sqlalchemy.sql.dml import UpdateBase

    from keypeg.store.log import Card, Entry

_Rows = list[dict[str, object]]


@dataclass(slots=True)
class QueuedEntry:
    """An entry that is to be written, and the future its caller is waiting for."""

    table_id: str
    entry: Entry
    card: Card | None
    seat: str
    payload: bytes
    mac: bytes
    end: bytes
    """The MAC of the table once this is its last entry."""
    done: asyncio.Future[None]

    def settle(self, error: StoreError | None) -> None:
        """Wake the caller, with an error if the entry was refused."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)

    def entry_row(self) -> dict[str, object]:
        """The row of the entry."""
        entry = self.entry
        return {
            "table_id": self.table_id,
            "seq": entry.seq,
            "previous": entry.seq - 1 or None,
            "at": entry.at,
            "seat": self.seat,
            "command_id": entry.command_id,
            "payload": self.payload,
            "mac": self.mac,
        }

    def table_row(self, card: Card) -> dict[str, object]:
        """The row of its table, with this card."""
        return {
            "named": self.table_id,
            "public": int(card.public),
            "stage": card.stage.value,
            "due": card.due,
            "changed": self.entry.at,
            "mac": self.end,
        }

    def end_row(self) -> dict[str, object]:
        """What changes in the row of its table if the card does not."""
        return {"named": self.table_id, "mac": self.end}


class _Statement:
    """A statement that is executed with each of many rows.

    SQLite's driver is called directly, since SQLAlchemy takes longer over a batch than SQLite does.
    """

    def __init__(self, statement: UpdateBase, *columns: str) -> None:
        self._statement = statement
        compiled = statement.compile(dialect=sqlite.dialect(), column_keys=columns)
        self._text = str(compiled)
        self._values = itemgetter(*compiled.positiontup or ())

    def execute(self, connection: Connection, rows: _Rows) -> None:
        """Execute it with these rows, if there are any."""
        if not rows:
            return
        if connection.dialect.name != "sqlite":
            connection.execute(self._statement, rows)
            return
        driver: Any = connection.connection.driver_connection
        try:
            driver.executemany(self._text, map(self._values, rows))
        except sqlite3.Error as error:
            raise _as_sqlalchemy(error, self._text) from error


def _as_sqlalchemy(error: sqlite3.Error, statement: str) -> Exception:
    """The error that SQLAlchemy would raise, without the values that were to be written."""
    made: Exception = DBAPIError.instance(
        statement, None, error, sqlite3.Error, hide_parameters=True
    )
    return made


_CARD = ("public", "stage", "due", "changed", "mac")
_create_table = _Statement(insert(tables).values(id=bindparam("named")), "named", *_CARD)
_update_table = _Statement(update(tables).where(tables.c.id == bindparam("named")), "named", *_CARD)
_set_end = _Statement(SET_END, "named", "mac")
_insert_entry = _Statement(insert(entries), *(column.name for column in entries.columns))


def insert_batch(batch: list[QueuedEntry], connection: Connection) -> None:
    """Write all of a batch, or raise an error."""
    opened = [job.table_row(job.card) for job in batch if job.card and job.entry.seq == 1]
    changed = [job.table_row(job.card) for job in batch if job.card and job.entry.seq > 1]
    others = [job.end_row() for job in batch if job.card is None]
    _create_table.execute(connection, opened)
    # Entries come before the changes of tables, so that two processes that write to the same table
    # meet here, in the order of the batch, and not in a deadlock.
    _insert_entry.execute(connection, [job.entry_row() for job in batch])
    _update_table.execute(connection, changed)
    _set_end.execute(connection, others)
    failpoints.reach(failpoints.AFTER_INSERT)


def insert_one_by_one(batch: list[QueuedEntry], connection: Connection) -> dict[int, StoreError]:
    """Write what can be written of a batch; the errors of the others, by id of the job."""
    refused: dict[int, StoreError] = {}
    for job in batch:
        try:
            with connection.begin_nested():
                insert_batch([job], connection)
        except IntegrityError as error:
            clear_frames(error)
            refused[id(job)] = _refusal(connection, job)
    return refused


def _refusal(connection: Connection, job: QueuedEntry) -> StoreError:
    """The error for an entry that the database rejected."""
    last = select(func.max(entries.c.seq)).where(entries.c.table_id == job.table_id)
    at = connection.scalar(last) or 0
    if at != job.entry.seq - 1:
        return Moved(f"the table is at entry {at}; entry {job.entry.seq} does not follow it")
    return StoreError("the database rejected this entry: it violates a constraint")
