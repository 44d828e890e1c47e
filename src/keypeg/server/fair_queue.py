"""A queue that is fair to network addresses: next comes the address that was served least.

Each address waits in a line of its own. However many questions one address asks, and however long
the answers take, another address waits for one of them at most.
"""

from __future__ import annotations

from collections import deque
from typing import Final, Generic, TypeVar

MOST_REMEMBERED: Final = 1_000
"""How many addresses with nothing waiting are remembered."""
_Item = TypeVar("_Item")


class FairQueue(Generic[_Item]):
    """Items by address. An idle address is served at once, but does not save up its turns."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self._lines: dict[str, deque[_Item]] = {}
        self._count = 0
        self._served: dict[str, float] = {}
        """For how many seconds each address was served; the most recent is last."""
        self._level = 0.0
        """The seconds of the address that was served last. A new line starts from here."""

    def __len__(self) -> int:
        return self._count

    def __contains__(self, item: object) -> bool:
        return any(item in line for line in self._lines.values())

    def add(self, address: str, item: _Item) -> _Item | None:
        """Queue `item`. Returns what must go: the item itself, or the last of the longest line.

        So an address that fills the queue does not keep others out.
        """
        line = self._lines.get(address, ())
        if len(line) >= self._most_each:
            return item
        if len(self) < self._most:
            self._put(address).append(item)
            return None
        longest = max(self._lines, key=lambda name: len(self._lines[name]))
        if len(self._lines[longest]) <= len(line) + 1:
            return item
        pushed_out = self._lines[longest][-1]
        self.remove(pushed_out)
        self._put(address).append(item)
        return pushed_out

    def put_back(self, address: str, item: _Item) -> None:
        """Queue an item again, before the others of its address."""
        self._put(address).appendleft(item)

    def remove(self, item: _Item) -> None:
        """Remove an item, if it is still queued."""
        for address, line in self._lines.items():
            if item in line:
                line.remove(item)
                self._count -= 1
                if not line:
                    del self._lines[address]
                return

    def first(self) -> tuple[str, _Item]:
        """The next item with its address. The queue must not be empty."""
        address = min(self._lines, key=lambda name: self._served[name])
        self._level = max(self._level, self._served[address])
        return address, self._lines[address][0]

    def others(self, address: str) -> bool:
        """Whether another address waits."""
        return any(name != address for name in self._lines)

    def shares(self, address: str) -> int:
        """By what to divide the time that is left, for a fair part for this address's first item.

        Each address gets the same part, which the items of its line share.
        """
        return len(self._lines) * len(self._lines.get(address, ()))

    def charge(self, address: str, seconds: float) -> None:
        """Note for how many seconds this address was served."""
        self._served[address] = max(self._served.pop(address, 0.0), self._level) + seconds
        if len(self._served) > MOST_REMEMBERED + len(self._lines):
            del self._served[next(name for name in self._served if name not in self._lines)]

    def _put(self, address: str) -> deque[_Item]:
        """The line of this address, for one more. A new one has neither credit nor debt."""
        self._count += 1
        if address not in self._lines:
            self._lines[address] = deque()
            self._served[address] = max(self._served.get(address, 0.0), self._level)
        return self._lines[address]
