"""The one writer of a log in this process, while other processes may write to it too.

Work waits for its turn. Whoever finds that another process has written reads on and tries again,
and only the whole log refuses a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from keypeg.rules.errors import AgainstTheRules
from keypeg.store.errors import Moved, Unavailable
from keypeg.table.errors import Stale
from keypeg.table.write_lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from keypeg.rules.errors import KeypegError

ATTEMPTS: Final = 8
_T = TypeVar("_T")
_Follower = TypeVar("_Follower")


class OneWriter(Generic[_Follower]):
    """Takes turns at a log. A follower, who acts on what other processes do, is not kept."""

    def __init__(self) -> None:
        self.removed = False
        """Whether the database does not have this log any more."""
        self._lock = WriteLock()

    @property
    def busy(self) -> bool:
        """Whether somebody is at work."""
        return self._lock.locked()

    async def in_turn(
        self, follower: _Follower, work: Callable[..., Awaitable[_T]], *arguments: object
    ) -> _T:
        """Do some work while nobody else does any; again, if another process was faster."""
        async with self._lock:
            if self.removed:
                raise self._gone()
            for _ in range(ATTEMPTS):
                try:
                    return await work(*arguments)
                except Moved:
                    if not await self._read_on(follower):
                        self._remove(follower)
                        raise self._gone() from None
                except (AgainstTheRules, Stale):
                    if not await self._read_on(follower):
                        raise
        raise Unavailable("other servers keep writing to this; try again")

    async def catch_up(self, follower: _Follower) -> None:
        """Take in what other processes wrote."""
        async with self._lock:
            await self._read_on(follower)

    async def finish(self) -> None:
        """Wait until what is being written is written."""
        async with self._lock:
            pass

    async def _read_on(self, follower: _Follower) -> bool:
        """Take in what follows in the log; whether there was anything."""
        raise NotImplementedError

    def _remove(self, follower: _Follower) -> None:
        """Note that the log is gone."""
        raise NotImplementedError

    def _gone(self) -> KeypegError:
        """The error for whoever asks for a log that is gone."""
        raise NotImplementedError
