"""When to look for garbage: not on Python's schedule, but when memory has grown.

Sockets, tables and moves leave no reference cycles behind, so there is next to nothing to find; yet
with 10,000 sockets Python stops everything for 100 to 600 ms, again and again, to look for it.
A look through everything takes more than a second then, and so is rare: looking only after
growth bounds what may lie about, be it by a fault of ours or by somebody's malice. Memory that open
sockets use does not count: everybody would have to wait just when 10,000 have arrived.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

GROWTH: Final = 2
BLIND_LOOKS: Final = 60
"""Collect after this many checks in which memory could not be measured."""
LEAST_BYTES: Final = 256 * 2**20
SOCKET_BYTES: Final = 32 * 1024
"""What an open socket uses, with its share of a table."""
_STATM: Final = Path("/proc/self/statm")


def resident() -> int | None:
    """How many bytes of memory this process has; None where it cannot be told."""
    try:
        pages = int(_STATM.read_text("ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


class Collector:
    """Collects garbage when memory has doubled since the last time, but for what sockets use."""

    def __init__(
        self,
        measure: Callable[[], int | None] = resident,
        sockets: Callable[[], int] = lambda: 0,
    ) -> None:
        """`measure` says how many bytes there are, and `sockets` how many sockets are open."""
        self._resident, self._sockets = measure, sockets
        self._most = 0
        self._blind = 0

    def _measure(self) -> int | None:
        """How many bytes there are besides those of open sockets."""
        now = self._resident()
        return None if now is None else max(0, now - SOCKET_BYTES * self._sockets())

    def start(self) -> None:
        """Replace Python's own schedule, if memory can be measured."""
        self.collect()
        # What is there now stays for ever.
        gc.freeze()
        if self._measure() is None:
            gc.set_threshold(50_000, 20, 1_000)
        else:
            gc.disable()

    def collect(self) -> None:
        """Collect now, and wait for the next growth."""
        gc.collect()
        self._blind = 0
        self._most = _allowed(self._measure() or 0)

    def look(self) -> None:
        """Collect if it is time to; a server that has shrunk has less to grow by."""
        if gc.isenabled():
            return  # Python does
        now = self._measure()
        self._blind = self._blind + 1 if now is None else 0
        if self._blind >= BLIND_LOOKS or (now or 0) > self._most:
            self.collect()
        elif now is not None:
            self._most = min(self._most, _allowed(now))


def _allowed(now: int) -> int:
    return max(int(GROWTH * now), now + LEAST_BYTES)
