"""How much one network address may have written in a day, at the tables that it opened."""

from __future__ import annotations

from typing import Final

from keypeg.server.limits import Buckets
from keypeg.server.solver_worker import Busy

DAY_SECONDS: Final = 24 * 60 * 60
_ALMOST: Final = 0.999


class Quota:
    """Entries that each address may still write. A series under way may use as many again."""

    def __init__(self, entries_per_day: int) -> None:
        self._buckets = Buckets(entries_per_day / DAY_SECONDS, entries_per_day)

    def spent(self, address: str) -> bool:
        """Whether no new table or series may begin."""
        return not self._buckets.of(address).take(0.0)

    def charge(self, address: str) -> None:
        """An entry is about to be written, or refused: refuse it here if far too many were."""
        bucket = self._buckets.of(address)
        if not bucket.take(0.0) and bucket.wait(0.0) >= _ALMOST * DAY_SECONDS:
            raise Busy("too much was played today at tables opened from one address; wait a while")
        bucket.charge(1.0)
