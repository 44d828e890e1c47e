"""Asking for many things at once, as after a restart, when everybody comes back."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

_T = TypeVar("_T")
MOST: Final = 64


class Gathered(Generic[_T]):
    """What is asked for while earlier things are fetched is fetched together after them.

    An answer is never older than its question.
    """

    def __init__(self, fetch: Callable[[Sequence[str]], Awaitable[Mapping[str, _T]]]) -> None:
        self._fetch = fetch
        self._asked: dict[str, asyncio.Future[_T]] = {}
        self._fetching: asyncio.Task[None] | None = None

    async def get(self, name: str) -> _T:
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
            await self._fetching

    async def _fetch_on(self) -> None:
        while self._asked:
            some = dict(islice(self._asked.items(), MOST))
            for name in some:
                del self._asked[name]
            await self._answer(some)
        self._fetching = None

    async def _answer(self, asked: dict[str, asyncio.Future[_T]]) -> None:
        try:
            found = await self._fetch(tuple(asked))
        except Exception as error:  # noqa: BLE001 - for whoever asked
            for future in asked.values():
                future.set_exception(error)
                future.exception()  # nobody may be left to hear it
        else:
            for name, future in asked.items():
                future.set_result(found[name])
