"""Errors of a database: is it temporarily unavailable, or broken?"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as AllInUse

from keypeg.store.errors import Broken, StoreError, Unavailable, Unreadable

if TYPE_CHECKING:
    from sqlalchemy import URL

FAULTS: Final = (DBAPIError, AllInUse, OSError)
"""The errors raised when the database fails, as opposed to errors in the call."""

_BROKEN_SQLITE: Final = ("SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB")
_BROKEN_POSTGRESQL: Final = ("58030", "XX001", "XX002")  # io_error, data and index corrupted
POSTGRESQL_PORT: Final = 5432
_REASONS: Final = {
    "SQLITE_FULL": "the disk is full",
    "53100": "the disk is full",
    "SQLITE_BUSY": "another program has locked it",
    "SQLITE_CANTOPEN": "its file cannot be opened",
    "SQLITE_READONLY": "its file cannot be written",
    "SQLITE_IOERR_SHMSIZE": "the disk is full",
    "28P01": "the password is wrong",
    "3D000": "there is no such database",
    "TimeoutError": "it does not answer",
}


def diagnose(fault: DBAPIError | AllInUse | OSError, url: URL | None = None) -> StoreError:
    """The error to raise instead. It quotes nothing of the data that was to be written.

    With the database's `url`, the error names what cannot be opened there.
    """
    clear_frames(fault)
    origin = fault.orig if isinstance(fault, DBAPIError) else fault
    name = str(getattr(origin, "sqlite_errorname", None) or getattr(origin, "sqlstate", None) or "")
    if url is not None and name == "SQLITE_NOTADB":
        return not_a_database(url)
    if url is not None and isinstance(origin, ConnectionRefusedError):
        host = url.host or url.query.get("host") or "localhost"
        place = f"{host}:{url.port or POSTGRESQL_PORT}"
        return Unavailable(f"PostgreSQL at {place} refused the connection")
    if name not in _REASONS and (name.startswith(_BROKEN_SQLITE) or name in _BROKEN_POSTGRESQL):
        return Broken(f"the database failed ({name}); nothing more is accepted until a restart")
    name = name or type(origin).__name__
    reason = _REASONS.get(name) or getattr(origin, "strerror", None) or name
    return Unavailable(f"the database cannot be used now: {reason}")


def not_a_database(url: URL) -> Unreadable:
    """The error for a file that is something else."""
    return Unreadable(f"{url.database} is not a SQLite database")


def clear_frames(fault: BaseException) -> None:
    """Frames in the traceback, SQLAlchemy's included, may refer to the error: reference cycles."""
    error: BaseException | None = fault
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
