"""What attempts in contests have lost against the best play: computed once somebody asks, and kept.

Contests take their turn at the solver like one more address, so that no advice waits for them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError
from keypeg.server.solver_worker import MOST_CODES, Asker, Busy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board
    from keypeg.server.solver_worker import SolverWorker
    from keypeg.store.contests import ContestKey, ContestStore

MOST_WANTED: Final = 10_000
"""Attempts that wait; whatever is more is asked for again."""
_ASKER: Final = Asker("contests")
_PAUSE_SECONDS: Final = 1.0
"""How long to wait when the solver is busy."""
_log = logging.getLogger("keypeg.contests")


class Losses:
    """The attempts whose loss is wanted, and the task that computes one after the other."""

    def __init__(self, store: ContestStore, solver: SolverWorker) -> None:
        self._store, self._solver = store, solver
        self._wanted: dict[ContestKey, Board] = {}
        self._hopeless: set[ContestKey] = set()
        """What the solver could not review in its time."""
        self._running: asyncio.Task[None] | None = None

    def want(self, board: Board, keys: Iterable[ContestKey]) -> bool:
        """Have these rated; returns whether any of them will be."""
        if board.codes > MOST_CODES:
            return False
        wanted = {key: board for key in keys if key not in self._hopeless}
        for key in wanted:
            if len(self._wanted) < MOST_WANTED:
                self._wanted[key] = board
        if self._wanted and (self._running is None or self._running.done()):
            self._running = asyncio.get_running_loop().create_task(self._rate_all())
        return bool(wanted)

    async def close(self) -> None:
        """Stop; what is not rated yet will be asked for again."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _rate_all(self) -> None:
        while self._wanted:
            key, board = next(iter(self._wanted.items()))
            try:
                await self._rate(key, board)
            except Busy:
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            except KeypegError as error:
                _log.warning("an attempt in a contest is not rated: %s", error)
                self._give_up(key)
            del self._wanted[key]

    async def _rate(self, key: ContestKey, board: Board) -> None:
        attempt = await self._store.read(key)
        if attempt is None:
            return
        rows = tuple((row.code, row.keys) for row in attempt.rows)
        review = await self._solver.review(_ASKER, board, rows)
        if review.complete:
            await self._store.keep_loss(key, max(0, round(review.loss * 1000)))
        else:
            self._give_up(key)

    def _give_up(self, key: ContestKey) -> None:
        if len(self._hopeless) >= MOST_WANTED:
            self._hopeless.clear()
        self._hopeless.add(key)
