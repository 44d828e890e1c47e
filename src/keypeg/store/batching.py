"""Batching: requests that arrive while others are being fetched are fetched together.

This helps after a restart, when everybody reconnects, and whenever requests arrive faster than
they could be fetched one by one.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence

_K = TypeVar("_K", bound="Hashable")
_T = TypeVar("_T")
MOST: Final = 64


class Batched(Generic[_K, _T]):
    """Fetches values by name, as many as are waiting in one batch.

    A fetch begins after all of its values were requested, so values are never stale.
    """

    def __init__(self, fetch: Callable[[Sequence[_K]], Awaitable[Mapping[_K, _T]]]) -> None:
        self._fetch = fetch
        self._asked: dict[_K, asyncio.Future[_T]] = {}
        self._fetching: asyncio.Task[None] | None = None

    async def get(self, name: _K) -> _T:
        """The value of this name."""
        loop = asyncio.get_running_loop()
        if name not in self._asked:
            self._asked[name] = loop.create_future()
            if self._fetching is None:
                self._fetching = loop.create_task(self._fetch_on())
        # If this caller is cancelled, others may still be waiting for the same value.
        return await asyncio.shield(self._asked[name])

    async def close(self) -> None:
        """Wait until all requests are answered."""
        if self._fetching is not None:
            await asyncio.wait([self._fetching])

    async def _fetch_on(self) -> None:
        try:
            while self._asked:
                await self._answer(self._take(MOST))
        finally:
            self._fetching = None

    def _take(self, most: int | None) -> dict[_K, asyncio.Future[_T]]:
        """Remove the first `most` requests from the queue and return them."""
        some = dict(islice(self._asked.items(), most))
        for name in some:
            del self._asked[name]
        return some

    async def _answer(self, asked: dict[_K, asyncio.Future[_T]]) -> None:
        try:
            found = await self._fetch(tuple(asked))
        except BaseException as error:
            # Fail all waiting requests at once, rather than after one timeout for each batch.
            _fail(error, (*asked.values(), *self._take(None).values()))
            # Futures refer to the error, whose traceback refers to this frame: a reference cycle.
            del asked
            if not isinstance(error, Exception):
                raise
        else:
            for name, future in asked.items():
                future.set_result(found[name])


def _fail(error: BaseException, futures: Iterable[asyncio.Future[_T]]) -> None:
    for future in futures:
        if isinstance(error, Exception):
            future.set_exception(error)
            future.exception()  # mark it as retrieved, in case nobody is waiting any longer
        else:
            future.cancel()
