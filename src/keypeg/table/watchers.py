"""Who is called when a table has moved on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from keypeg.store import failpoints

if TYPE_CHECKING:
    from collections.abc import Callable


class Watcher(NamedTuple):
    """Whom to call when the table has moved on, and when the log does not have it any more."""

    moved: Callable[[int], None]
    removed: Callable[[], None] | None


class Watchers:
    """Those who watch one table, and the last entry that they were told of."""

    def __init__(self) -> None:
        self.told = 0
        self._watchers: dict[object, Watcher] = {}

    def __len__(self) -> int:
        return len(self._watchers)

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Let somebody watch; calling the result ends that."""
        key = object()
        self._watchers[key] = watcher

        def stop() -> None:
            self._watchers.pop(key, None)

        return stop

    def tell(self, seq: int) -> None:
        """Call everybody, if they have not been told of entry `seq`."""
        if self.told == seq:
            return
        failpoints.reach(failpoints.AFTER_ACK)
        self.told = seq
        for watcher in tuple(self._watchers.values()):
            watcher.moved(seq)

    def dismiss(self) -> None:
        """The log does not have the table any more: tell everybody, once."""
        watchers = tuple(self._watchers.values())
        self._watchers.clear()
        for watcher in watchers:
            if watcher.removed is not None:
                watcher.removed()

    def clear(self) -> None:
        """Call nobody any more."""
        self._watchers.clear()
