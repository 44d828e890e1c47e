"""What a table does beside whoever asked for it."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeVar

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Tasks:
    """The running tasks of one table. A failure that nobody expects is logged."""

    def __init__(self, table_id: str) -> None:
        self._table_id = table_id
        self._running: set[asyncio.Task[object]] = set()

    def __iter__(self) -> Iterator[asyncio.Task[object]]:
        return iter(tuple(self._running))

    def __len__(self) -> int:
        return len(self._running)

    def spawn(self, work: Coroutine[object, object, _T]) -> asyncio.Task[_T]:
        """Do this beside everything else."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    async def cancel(self) -> None:
        """Cancel all of them, and wait for their ends."""
        tasks = tuple(self)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, KeypegError):
            _log.error("a table failed", exc_info=error, extra={"table": self._table_id})
