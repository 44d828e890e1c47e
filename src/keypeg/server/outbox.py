"""What waits to be sent on one socket: bounded, so that a slow reader costs little memory."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_MESSAGES: Final = 64
MOST_CHARACTERS: Final = 256 * 1024


class Outbox:
    """Messages in order. Our messages are ASCII but for players' names, so length is size."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self._characters = 0
        self._instead: tuple[Callable[[], str], ...] = ()
        self._filled = asyncio.Event()

    def put(self, message: str) -> bool:
        """Add a message; False if there is no room for it."""
        if self._instead:
            return True
        if len(self._waiting) >= MOST_MESSAGES or self._characters + len(message) > MOST_CHARACTERS:
            return False
        self._add(message)
        self._filled.set()
        return True

    def _add(self, message: str) -> None:
        self._waiting.append(message)
        self._characters += len(message)

    def coalesce(self, *make: Callable[[], str]) -> None:
        """Drop all that waits; when there is time to send, send what each of `make` gives then."""
        self.drop()
        self._instead = make
        self._filled.set()

    def drop(self) -> None:
        """Drop all that waits."""
        self._waiting.clear()
        self._characters = 0
        self._instead = ()
        self._filled.clear()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting and not self._instead

    async def take(self) -> str:
        """The next message to be sent, as soon as there is one."""
        await self._filled.wait()
        # All at once: what is put after the first of them is not in the others.
        make, self._instead = self._instead, ()
        for one in make:
            self._add(one())
        message = self._waiting.popleft()
        self._characters -= len(message)
        if self.empty:
            self._filled.clear()
        return message
