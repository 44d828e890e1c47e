"""The errors of the store."""

from __future__ import annotations

from typing import Self

from keypeg.rules.errors import KeypegError


class StoreError(KeypegError):
    """The base of all errors of the store."""

    def alone(self) -> Self:
        """A copy without a traceback, whose frames might refer to those who get the error."""
        return type(self)(*self.args)


class Moved(StoreError):
    """Another process wrote this entry first: read the new entries and decide again."""


class Unavailable(StoreError):
    """The database cannot be reached, or its disk is full. Nothing was acknowledged; try again.

    Whether the entry was written is not known until the log can be read again.
    """


class Broken(StoreError):
    """The disk failed, so the database cannot be trusted until a restart.

    After a failed fsync it is not known what is on disk, so nothing more may be acknowledged.
    """


class DatabaseTooNew(StoreError):
    """The database was written by a newer version of keypeg."""


class Served(StoreError):
    """A server is using this database, and the caller needs exclusive use."""


class NotEmpty(StoreError):
    """The database already holds tables."""


class WrongKey(StoreError):
    """The secrets in the database were encrypted with another key, or the key is not valid."""


class Unreadable(StoreError):
    """Something in the database that this version of keypeg cannot read."""


class Altered(Unreadable):
    """A log that somebody has changed without the key of the database."""
