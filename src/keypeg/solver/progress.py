"""Long work: how far it is, and whether to go on."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancelled(KeypegError):
    """The work was cancelled before it was done."""


class Watch:
    """Reports to `progress` how much is done, of `of`; asks `cancelled` whether to stop."""

    def __init__(
        self,
        of: int,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | Event | None = None,
    ) -> None:
        self.done, self.of = 0, of
        self.progress = progress
        self.cancelled = cancelled.is_set if isinstance(cancelled, Event) else cancelled

    @property
    def stopped(self) -> bool:
        """Whether the work was cancelled."""
        return self.cancelled is not None and self.cancelled()

    def check(self) -> None:
        """Stop here if the work was cancelled."""
        if self.stopped:
            raise Cancelled("the work was cancelled before it was done")

    def add(self, codes: int) -> None:
        """Count this many more as done."""
        self.done += codes
        if self.progress is not None and codes:
            self.progress(self.done, self.of)
