"""What waits to be sent on one socket: bounded, so that a slow reader costs little memory."""

from __future__ import annotations

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

    def put(self, message: str) -> bool:
        """Add a message; False if there is no room for it.

        Where nothing waits there is room for any: the longest table is larger than the limit.
        """
        if self._instead:
            return True
        full = len(self._waiting) >= MOST_MESSAGES
        if full or (self._waiting and self._characters + len(message) > MOST_CHARACTERS):
            return False
        self._add(message)
        return True

    def _add(self, message: str) -> None:
        self._waiting.append(message)
        self._characters += len(message)

    def coalesce(self, *make: Callable[[], str]) -> None:
        """Drop all that waits; when there is time to send, send what each of `make` gives then."""
        self.drop()
        self._instead = make

    def drop(self) -> None:
        """Drop all that waits."""
        self._waiting.clear()
        self._characters = 0
        self._instead = ()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting and not self._instead

    def take(self) -> str:
        """The next message to be sent; there must be one."""
        # All at once: what is put after the first of them is not in the others.
        make, self._instead = self._instead, ()
        for one in make:
            self._add(one())
        message = self._waiting.popleft()
        self._characters -= len(message)
        return message
