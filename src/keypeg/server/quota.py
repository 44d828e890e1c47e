"""How much may be written in a day from one network address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.server.limits import Buckets
from keypeg.server.solver_worker import Busy

if TYPE_CHECKING:
    from keypeg.server.refusals import Refusals

DAY_SECONDS: Final = 24 * 60 * 60
_ALMOST: Final = 0.999


class Quota:
    """Entries that each address may still write. A series under way may use as many again.

    An entry is charged to the address it was sent from, once it is written: what is refused takes
    no room, and nobody can use up what belongs to others.
    """

    def __init__(self, entries_per_day: int, refusals: Refusals) -> None:
        self._buckets = Buckets(entries_per_day / DAY_SECONDS, entries_per_day)
        self._refusals = refusals

    def spent(self, address: str) -> bool:
        """Whether no new table or series may begin."""
        return not self._buckets.of(address).take(0.0)

    def check(self, address: str, *, begins: bool = False) -> None:
        """Refuse an entry if far too many were written, or one that begins a series if too many."""
        bucket = self._buckets.of(address)
        over = not bucket.take(0.0)
        if over and (begins or bucket.wait(0.0) >= _ALMOST * DAY_SECONDS):
            self._refusals.note("entries", address)
            raise Busy("too much was written from your address today; wait a while")

    def charge(self, address: str, entries: int = 1) -> None:
        """These entries were written."""
        self._buckets.of(address).charge(entries)
