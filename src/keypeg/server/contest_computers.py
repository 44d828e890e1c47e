"""The computer among the entrants of contests: it plays every code, one row after the other.

It plays the contests in turn, and thinks in the worker process like the computer at a table, as one
more address. Rows are stored as those of people are, so that it goes on after a restart. It is
given what everybody has of a code: the board and its own answered rows.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.attempts.errors import AlreadyDone, GuessReused
from keypeg.contests.game import board_of, computer_holder
from keypeg.draw import draw_guess
from keypeg.rules.errors import KeypegError
from keypeg.server.solver_worker import Busy
from keypeg.store.contests import ContestKey
from keypeg.store.errors import Moved, Unavailable

if TYPE_CHECKING:
    from keypeg.contests.game import Contests
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.table.computer import Player, Rows

_ACCOUNT: Final = "contests"
_PAUSE_SECONDS: Final = 1.0
"""How long to wait when the solver is busy, or the database is away."""
_log = logging.getLogger("keypeg.contests")


class _Turn(NamedTuple):
    """A code that a computer player has still to break."""

    key: ContestKey
    board: Board
    level: str


class ContestComputers:
    """The contests in which the computer has rows to play, and the task that plays them."""

    def __init__(self, contests: Contests, player: Player) -> None:
        self._contests, self._player = contests, player
        self._waiting: deque[str] = deque()
        """Contests that have not been looked at yet."""
        self._playing: deque[deque[_Turn]] = deque()
        """What is left to play, by contest; the next row is one of the first."""
        self._running: asyncio.Task[None] | None = None

    async def start(self, now: int) -> None:
        """Go on wherever the computer was not done."""
        self.want(*await self._contests.store.with_computers(now))

    def want(self, *ids: str) -> None:
        """Play in these contests."""
        self._waiting.extend(ids)
        if self._waiting and (self._running is None or self._running.done()):
            self._running = asyncio.get_running_loop().create_task(self._play())

    async def close(self) -> None:
        """Stop; what is left is played after the next start."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _play(self) -> None:
        while self._waiting or self._playing:
            try:
                await self._take_in()
                await self._play_a_row()
            except (Busy, Unavailable):
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _take_in(self) -> None:
        """Look what is left to play in the next contest that waits."""
        if not self._waiting:
            return
        contest = await self._contests.store.find(self._waiting[0])
        self._waiting.popleft()
        if contest is None:
            return
        board, numbers = board_of(contest), range(1, len(contest.seals) + 1)
        left = deque(
            _Turn(ContestKey(contest.id, number, entrant), board, level)
            for number in numbers
            for entrant, level in enumerate(contest.computers, 1)
        )
        if left:
            self._playing.append(left)

    async def _play_a_row(self) -> None:
        """One row in the first contest, which then comes last."""
        if not self._playing:
            return
        left = self._playing[0]
        self._playing.rotate(-1)
        try:
            if await self._moved(left[0]):
                left.popleft()
        except (Busy, Unavailable):
            raise
        except KeypegError as error:
            # It is closed, removed or damaged.
            _log.info("the computer stops playing in a contest", extra={"reason": str(error)})
            left.clear()
        if not left:
            self._playing.remove(left)

    async def _moved(self, turn: _Turn) -> bool:
        """Play the next row of an attempt, if there is one; whether the attempt is done."""
        attempt = await self._contests.store.read(turn.key)
        if attempt is not None and attempt.done:
            return True
        played = () if attempt is None else tuple((row.code, row.keys) for row in attempt.rows)
        code = await self._think(turn, played)
        contest, number, _ = turn.key
        # Whichever process plays this row, its id is the same: only one of them succeeds.
        guess = (f"row-{len(played) + 1}", code)
        try:
            await self._contests.guess(contest, number, computer_holder(turn.level), guess)
        except (GuessReused, Moved):
            return False
        except AlreadyDone:
            return True
        return False

    async def _think(self, turn: _Turn, rows: Rows) -> Code:
        code: Code | None = None
        try:
            code = await self._player.guess(turn.board, rows, turn.level, _ACCOUNT)
        except Busy:
            raise
        except Exception as error:  # noqa: BLE001 - the contest goes on, whatever befalls the solver
            reason = {"reason": type(error).__name__}
            _log.warning("the computer cannot think in a contest", extra=reason)
        if code is not None:
            return code
        return await asyncio.to_thread(draw_guess, turn.board, rows)
