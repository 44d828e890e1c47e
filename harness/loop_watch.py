"""How long an event loop is held by each callback, in processor time of its thread."""

from __future__ import annotations

import asyncio
import threading
import time
from asyncio.events import Handle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hold(NamedTuple):
    """One callback that held the loop."""

    milliseconds: float
    what: str


class LoopWatch:
    """Measures the callbacks that run in one thread. What other programs use is not counted."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.longest = Hold(0.0, "nothing")

    def reset(self) -> Hold:
        """The longest hold since the last reset."""
        longest, self.longest = self.longest, Hold(0.0, "nothing")
        return longest

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Measure during the block."""
        run = Handle._run

        def measured(handle: Any) -> None:
            if threading.get_ident() != self.thread:
                run(handle)
                return
            began = time.thread_time()
            run(handle)
            spent = 1000 * (time.thread_time() - began)
            if spent > self.longest.milliseconds:
                self.longest = Hold(spent, _described(handle))

        Handle._run = measured  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            Handle._run = run  # type: ignore[method-assign]


def _described(handle: Any) -> str:
    owner = getattr(handle._callback, "__self__", None)
    return repr(owner if isinstance(owner, asyncio.Task) else handle)[:300]
