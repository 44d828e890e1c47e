"""Errors of a database: is it temporarily unavailable, or broken?"""

from __future__ import annotations

import traceback
from typing import Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as AllInUse

from keypeg.store.errors import Broken, StoreError, Unavailable

FAULTS: Final = (DBAPIError, AllInUse, OSError)
"""The errors raised when the database fails, as opposed to errors in the call."""

_BROKEN_SQLITE: Final = ("SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB")
_BROKEN_POSTGRESQL: Final = ("58030", "XX001", "XX002")  # io_error, data and index corrupted
_REASONS: Final = {
    "SQLITE_FULL": "the disk is full",
    "53100": "the disk is full",
    "SQLITE_BUSY": "another program has locked it",
    "SQLITE_CANTOPEN": "its file cannot be opened",
    "SQLITE_READONLY": "its file cannot be written",
    "28P01": "the password is wrong",
    "3D000": "there is no such database",
    "TimeoutError": "it does not answer",
}


def diagnose(fault: DBAPIError | AllInUse | OSError) -> StoreError:
    """The error to raise instead. It quotes nothing of the data that was to be written."""
    clear_frames(fault)
    origin = fault.orig if isinstance(fault, DBAPIError) else fault
    name = str(getattr(origin, "sqlite_errorname", None) or getattr(origin, "sqlstate", None) or "")
    if name.startswith(_BROKEN_SQLITE) or name in _BROKEN_POSTGRESQL:
        return Broken(f"the database failed ({name}); nothing more is accepted until a restart")
    name = name or type(origin).__name__
    reason = _REASONS.get(name, name)
    return Unavailable(f"the database cannot be used now: {reason}")


def clear_frames(fault: BaseException) -> None:
    """Frames in the traceback, SQLAlchemy's included, may refer to the error: reference cycles."""
    error: BaseException | None = fault
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
