"""What a process keeps in memory by its id, such as its tables: one object for each id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from keypeg.table.write_lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kept(Protocol):
    """Something with a log, of which there is one object for each id."""

    @property
    def id(self) -> str:
        """Its name."""
        ...

    @property
    def seq(self) -> int:
        """The number of the last entry of its log."""
        ...

    @property
    def busy(self) -> bool:
        """Whether it is in use."""
        ...

    @property
    def removed(self) -> bool:
        """Whether its log does not exist any more."""
        ...

    def remove(self) -> None:
        """Its log does not exist any more."""


_Item = TypeVar("_Item", bound=Kept)


class InMemory(Generic[_Item]):
    """The items of one kind that are in memory. Those out of use stay while there is room."""

    def __init__(self, idle_bytes: int, item_bytes: int, entry_bytes: int) -> None:
        """An item takes about `item_bytes`, and `entry_bytes` for each entry of its log."""
        self._idle_bytes, self._item_bytes, self._entry_bytes = idle_bytes, item_bytes, entry_bytes
        self._kept: dict[str, _Item] = {}
        self._alive: WeakValueDictionary[str, _Item] = WeakValueDictionary()
        self._loading: WeakValueDictionary[str, WriteLock] = WeakValueDictionary()
        self._refused: set[str] = set()
        self._added = 0
        """Bytes of the items that came into memory since the last look at those out of use."""

    @property
    def all(self) -> list[_Item]:
        """All items in memory, also those that are only used elsewhere and no longer kept."""
        return list(self._alive.values())

    @property
    def kept(self) -> list[_Item]:
        """The items that would stay if nobody used them."""
        return list(self._kept.values())

    def at_hand(self, id_: str) -> _Item | None:
        """The item of this id, if it is in memory."""
        item = self._alive.get(id_)
        return None if item is None or item.removed else item

    def lock(self, id_: str) -> WriteLock:
        """Held while an item is made, so that it becomes one object."""
        return self._loading.setdefault(id_, WriteLock())

    def is_first_refusal(self, id_: str) -> bool:
        """Whether this id is refused for the first time, so that it is logged once."""
        known = id_ in self._refused
        self._refused.add(id_)
        return not known

    def keep(self, item: _Item) -> None:
        """Keep an item in memory."""
        self._kept[item.id] = self._alive[item.id] = item
        self._added += self._weight(item)
        # Looking at all items costs time, so it waits until there is something to let go.
        if self._added > max(self._idle_bytes // 2, self._item_bytes * len(self._kept) // 2):
            self.let_go()

    def let_go(self) -> None:
        """Let go of the items that nobody uses, those that came first, until the rest fit."""
        idle = {id_: self._weight(item) for id_, item in self._kept.items() if not item.busy}
        over = sum(idle.values()) - self._idle_bytes // 2
        for id_, weight in idle.items():
            if over <= 0:
                break
            del self._kept[id_]
            over -= weight
        self._added = 0

    def forget(self, ids: Iterable[str]) -> None:
        """Let go of items whose logs were taken out of the database, and tell them."""
        for id_ in ids:
            item = self._alive.get(id_)
            if item is not None:
                item.remove()
                self._kept.pop(id_, None)

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()

    def _weight(self, item: _Item) -> int:
        """About how many bytes of memory an item takes."""
        return self._item_bytes + self._entry_bytes * item.seq
