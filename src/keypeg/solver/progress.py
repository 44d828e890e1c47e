"""Long work and whoever waits for it: told how far it is, able to call it off."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancelled(KeypegError):
    """The work was called off."""


class Watch:
    """Reports to `progress` what is done and of how much, and asks `cancelled` whether to go on."""

    def __init__(
        self,
        of: int,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | Event | None = None,
    ) -> None:
        self.done, self.of = 0, of
        self.progress = progress
        self.cancelled = cancelled.is_set if isinstance(cancelled, Event) else cancelled

    def check(self) -> None:
        """Stop here if the work was called off."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("the work was called off before it was done")

    def add(self, codes: int) -> None:
        """So many codes more are done."""
        self.done += codes
        if self.progress is not None and codes:
            self.progress(self.done, self.of)
