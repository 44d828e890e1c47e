"""What attempts in contests have lost against the best play: computed once somebody asks, and kept.

Contests take their turn at the solver like one more address, so that no advice waits for them.
Among those who asked, addresses take turns.
"""

from __future__ import annotations

import asyncio
import logging
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.errors import KeypegError
from keypeg.server.fair_queue import FairQueue
from keypeg.server.solver_worker import MOST_CODES, Asker, Busy
from keypeg.store.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board
    from keypeg.server.solver_worker import SolverWorker
    from keypeg.store.contests import ContestKey, ContestStore

MOST_WANTED: Final = 10_000
"""Attempts that wait; whatever is more is asked for again."""
MOST_AT_ONCE: Final = 1_000
"""Attempts that one request adds."""
_ASKER: Final = Asker("contests")
_PAUSE_SECONDS: Final = 1.0
"""How long to wait when the solver is busy, or the database away."""
_log = logging.getLogger("keypeg.contests")


class _Wanted(NamedTuple):
    """An attempt, and the address that wants to know its loss."""

    address: str
    key: ContestKey


class Losses:
    """The attempts whose loss is wanted, and the task that computes one after the other."""

    def __init__(self, store: ContestStore, solver: SolverWorker) -> None:
        self._store, self._solver = store, solver
        self._queue: FairQueue[_Wanted] = FairQueue(MOST_WANTED, MOST_WANTED)
        self._waiting: dict[_Wanted, Board] = {}
        """Those in the queue."""
        self._hopeless: set[ContestKey] = set()
        """What the solver could not review in its time."""
        self._rated: set[ContestKey] = set()
        """What was rated while others wait: another address may have asked for it too."""
        self._running: asyncio.Task[None] | None = None

    def want(self, board: Board, keys: Iterable[ContestKey], address: str) -> bool:
        """Have these rated for an address; returns whether any of them will be."""
        if board.codes > MOST_CODES:
            return False
        hopeful = (key for key in keys if key not in self._hopeless)
        wanted = [_Wanted(address, key) for key in islice(hopeful, MOST_AT_ONCE)]
        for one in wanted:
            self._add(one, board)
        if self._waiting and (self._running is None or self._running.done()):
            self._running = asyncio.get_running_loop().create_task(self._rate_all())
        return bool(wanted)

    def _add(self, wanted: _Wanted, board: Board) -> None:
        if wanted in self._waiting:
            return
        refused = self._queue.add(wanted.address, wanted)
        if refused is not wanted:
            self._waiting[wanted] = board
        if refused is not None:
            self._waiting.pop(refused, None)

    async def close(self) -> None:
        """Stop; what is not rated yet will be asked for again."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _rate_all(self) -> None:
        now = asyncio.get_running_loop().time
        while self._waiting:
            address, wanted = self._queue.first()
            began = now()
            try:
                if self._is_settled(wanted.key):
                    await asyncio.sleep(0)  # there may be thousands
                else:
                    await self._rate(wanted.key, self._waiting[wanted])
            except (Busy, Unavailable):
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            except KeypegError as error:
                _log.warning("an attempt in a contest is not rated: %s", error)
                self._give_up(wanted.key)
            self._queue.charge(address, now() - began)
            self._queue.remove(wanted)
            self._waiting.pop(wanted, None)
        self._rated.clear()

    async def _rate(self, key: ContestKey, board: Board) -> None:
        attempt = await self._store.read(key)
        if attempt is None:
            return
        rows = tuple((row.code, row.keys) for row in attempt.rows)
        review = await self._solver.review(_ASKER, board, rows)
        if not review.complete:
            self._give_up(key)
            return
        await self._store.keep_loss(key, max(0, round(review.loss * 1000)))
        _add_to(self._rated, key)

    def _is_settled(self, key: ContestKey) -> bool:
        return key in self._rated or key in self._hopeless

    def _give_up(self, key: ContestKey) -> None:
        _add_to(self._hopeless, key)


def _add_to(kept: set[ContestKey], key: ContestKey) -> None:
    if len(kept) >= MOST_WANTED:
        kept.clear()
    kept.add(key)
