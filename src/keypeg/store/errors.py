"""What can go wrong with a log, as types."""

from __future__ import annotations

from typing import Self

from keypeg.rules.errors import KeypegError


class StoreError(KeypegError):
    """Anything the store refuses or cannot do."""

    def alone(self) -> Self:
        """The same to tell others, without the frames that it came through, which may know them."""
        return type(self)(*self.args)


class Moved(StoreError):
    """Another process wrote this table's next entry first: read on and decide again."""


class Unavailable(StoreError):
    """The database cannot be reached or has no room. Nothing was acknowledged; try again later.

    Whether the entry was written is not known until the log can be read again.
    """


class Broken(StoreError):
    """The disk failed under the database: what it holds is not to be trusted until a restart.

    After a failed fsync nobody can say what is on disk, so nothing may be acknowledged any more.
    """


class DatabaseTooNew(StoreError):
    """The database was written by a newer keypeg than this one."""


class Served(StoreError):
    """A server has this database open, and whoever asks needs it alone."""


class WrongKey(StoreError):
    """The secrets in the database were encrypted with another key, or the key is not one."""


class Unreadable(StoreError):
    """Something in the log that this program cannot understand."""
