"""A lock for those who work on a table, one after another.

If the holder fails because the database is unavailable, all who waited get the same error at
once, instead of each timing out in turn.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from keypeg.store.errors import Unavailable

if TYPE_CHECKING:
    from types import TracebackType


class WriteLock:
    """A lock, by `async with`, which may raise Unavailable to those who waited for it."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._failure: Unavailable | None = None
        """The last; a new one each time."""

    def locked(self) -> bool:
        """Whether somebody is at work."""
        return self._lock.locked()

    async def __aenter__(self) -> None:
        before = self._failure
        await self._lock.acquire()
        failure = self._failure
        if failure is not None and failure is not before:
            self._lock.release()
            raise failure.alone()

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, Unavailable):
            self._failure = error.alone()
        self._lock.release()
