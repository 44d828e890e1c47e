"""Asking for many things at once: after a restart, when everybody comes back, or whenever more is
asked for than can be fetched one by one."""

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
    """What is asked for while earlier things are fetched is fetched together after them.

    An answer is never older than its question.
    """

    def __init__(self, fetch: Callable[[Sequence[_K]], Awaitable[Mapping[_K, _T]]]) -> None:
        self._fetch = fetch
        self._asked: dict[_K, asyncio.Future[_T]] = {}
        self._fetching: asyncio.Task[None] | None = None

    async def get(self, name: _K) -> _T:
        """The thing of this name."""
        loop = asyncio.get_running_loop()
        if name not in self._asked:
            self._asked[name] = loop.create_future()
            if self._fetching is None:
                self._fetching = loop.create_task(self._fetch_on())
        # Others may wait for the same when this one goes away.
        return await asyncio.shield(self._asked[name])

    async def close(self) -> None:
        """Wait until everybody has an answer."""
        if self._fetching is not None:
            await asyncio.wait([self._fetching])

    async def _fetch_on(self) -> None:
        try:
            while self._asked:
                await self._answer(self._taken(MOST))
        finally:
            self._fetching = None

    def _taken(self, most: int | None) -> dict[_K, asyncio.Future[_T]]:
        """The first that were asked for; they are no longer waiting."""
        some = dict(islice(self._asked.items(), most))
        for name in some:
            del self._asked[name]
        return some

    async def _answer(self, asked: dict[_K, asyncio.Future[_T]]) -> None:
        try:
            found = await self._fetch(tuple(asked))
        except BaseException as error:
            # All who wait are told: nobody waits for one failure after another.
            _tell(error, (*asked.values(), *self._taken(None).values()))
            # They know the error that knows this frame.
            del asked
            if not isinstance(error, Exception):
                raise
        else:
            for name, future in asked.items():
                future.set_result(found[name])


def _tell(error: BaseException, futures: Iterable[asyncio.Future[_T]]) -> None:
    for future in futures:
        if isinstance(error, Exception):
            future.set_exception(error)
            future.exception()  # nobody may be left to hear it
        else:
            future.cancel()
