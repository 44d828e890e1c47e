"""Matches on a database that several processes use: following what others wrote to them.

As at tables, the unique numbers of entries make that safe, and this makes it fast: notices over
the bus, a look each second, and overdue clocks of processes that are gone.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError
from keypeg.store.errors import StoreError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from keypeg.matches.live_match import LiveMatch
    from keypeg.matches.matches import Matches

MOST_OVERDUE: Final = 100
"""How many overdue matches are loaded in one round."""
PASSED_OVER_SECONDS: Final = 60.0
"""How long to wait before trying a match again that could not be loaded."""
_log = logging.getLogger("keypeg.sharing")


class SharedMatches:
    """Follows what other processes write to matches that are in use here."""

    def __init__(
        self, matches: Matches, spawn: Callable[[Coroutine[object, object, None]], None]
    ) -> None:
        self._matches, self._spawn = matches, spawn
        self._behind: dict[str, int] = {}
        self._passed_over: dict[str, float] = {}

    def heard(self, match_id: str, seq: int) -> None:
        """Follow a notice, if it is about a match in use here."""
        match = self._matches.at_hand(match_id)
        if match is not None and match.busy and seq > match.seq:
            self._catch_up(match, seq)

    async def look(self) -> None:
        """See what became of the matches in use here."""
        watched = {match.id: match for match in self._matches.watched()}
        if not watched:
            return
        for name, seq in (await self._matches.store.last(list(watched))).items():
            if seq > watched[name].seq:
                self._catch_up(watched[name], seq)

    async def ring(self, before: int) -> None:
        """Load matches whose clocks nobody has ended: loading ends them."""
        now = time.monotonic()
        self._passed_over = {name: t for name, t in self._passed_over.items() if t > now}
        for name in await self._matches.store.overdue(before, MOST_OVERDUE, self._passed_over):
            try:
                await self._matches.get(name)
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, others wait behind it
                self._passed_over[name] = now + PASSED_OVER_SECONDS
                why = {"match": name, "reason": type(error).__name__}
                _log.error("a match cannot be taken up", extra=why)

    def _catch_up(self, match: LiveMatch, seq: int) -> None:
        """Let a match read on, once at a time however many notices there are."""
        if match.id in self._behind:
            self._behind[match.id] = max(seq, self._behind[match.id])
            return
        self._behind[match.id] = seq
        self._spawn(self._read_on(match))

    async def _read_on(self, match: LiveMatch) -> None:
        try:
            wanted = 0
            while match.seq < self._behind[match.id] != wanted:
                # A false notice is followed once.
                wanted = self._behind[match.id]
                await match.catch_up()
        except StoreError:
            pass  # the next look tries again
        except KeypegError as error:
            why = {"match": match.id, "reason": type(error).__name__}
            _log.error("a match cannot be read on", extra=why)
        finally:
            del self._behind[match.id]
