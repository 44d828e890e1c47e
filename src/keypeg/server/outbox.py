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
        self._instead: Callable[[], str] | None = None
        self._filled = asyncio.Event()

    def put(self, message: str) -> bool:
        """Add a message; False if there is no room for it."""
        if self._instead is not None:
            return True
        if len(self._waiting) >= MOST_MESSAGES or self._characters + len(message) > MOST_CHARACTERS:
            return False
        self._waiting.append(message)
        self._characters += len(message)
        self._filled.set()
        return True

    def coalesce(self, make: Callable[[], str]) -> None:
        """Drop all that waits; when there is time to send, send what `make` gives then."""
        self._waiting.clear()
        self._characters = 0
        self._instead = make
        self._filled.set()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting and self._instead is None

    async def take(self) -> str:
        """The next message to be sent, as soon as there is one."""
        await self._filled.wait()
        if self._instead is not None:
            make, self._instead = self._instead, None
            message = make()
        else:
            message = self._waiting.popleft()
            self._characters -= len(message)
        if self.empty:
            self._filled.clear()
        return message
