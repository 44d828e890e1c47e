"""Playing daily codes: takes guesses, and decides what their players may see.

What is seen of a day is built from what its player has been answered. The code is added only
once this attempt is done, so nothing before that can depend on it; its seal does not tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keypeg.attempts.answers import MOST_RACES, next_rows, row_of
from keypeg.attempts.errors import AlreadyDone
from keypeg.attempts.optimum import optimum
from keypeg.daily.codes import PURPOSE, Codes, daily_board
from keypeg.daily.days import DAY, FIRST_DAY, DayPhase, day_at, phase
from keypeg.daily.errors import NoSuchDay
from keypeg.rules.code import check_code
from keypeg.store.attempts import NOT_BROKEN
from keypeg.store.daily_attempts import DailyAttempt, DailyAttempts, DailyKey
from keypeg.store.errors import Moved

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import date

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.store.sql import SqlLog
    from keypeg.table.clock import Clock
    from keypeg.table.computer import Rows


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What is disclosed once an attempt is done."""

    opening: Opening
    distribution: dict[int, int]
    """How many players needed how many rows; NOT_BROKEN stands for those who did not break it."""
    optimum: Rows
    """The rows that the strategy book would have needed."""


@dataclass(frozen=True, slots=True)
class Played:
    """A day as one player sees it."""

    day: date
    board: Board
    phase: DayPhase
    seal: str
    attempt: DailyAttempt | None
    ending: Disclosure | None

    @property
    def broken(self) -> bool:
        """Whether the code was broken."""
        return self.attempt is not None and self.attempt.needed not in (None, NOT_BROKEN)

    @property
    def counts(self) -> bool:
        """Whether the attempt is part of the day's distribution, or will be once it is done."""
        if self.attempt is None:
            return self.phase is DayPhase.RUNNING
        late = not self.attempt.done and self.phase is DayPhase.OVER
        return bool(self.attempt.counts) and not late


class Daily:
    """The daily codes of one key, and the attempts at them in one database."""

    def __init__(self, log: SqlLog, clock: Clock) -> None:
        self.attempts: Final = DailyAttempts(log)
        self._codes, self._clock = Codes(log.derive(PURPOSE)), clock

    def now(self) -> int:
        """The time, in milliseconds since the epoch."""
        return self._clock.utc()

    def today(self) -> date:
        """The day whose code counts now."""
        today = day_at(self.now())
        if today < FIRST_DAY:
            raise NoSuchDay(f"the clock here says {today}, and the first code is of {FIRST_DAY}")
        return today

    def seal(self, day: date, board: Board) -> str:
        """The seal of a day up to tomorrow."""
        self._check(day, board)
        return self._codes.seal(day, board)

    async def opened(self, day: date, board: Board, holder: str | None) -> Opening | None:
        """What a seal is opened with, if the day is over or this attempt is done."""
        attempt = await self._read(day, board, holder)
        if phase(day, self.today()) is DayPhase.OVER:
            return self._codes.opening(day, board)
        done = attempt is not None and attempt.done
        return self._codes.opening(day, board) if done else None

    async def look(self, day: date, board: Board, holder: str | None) -> Played:
        """A day as the holder of a token sees it; None has no token yet."""
        attempt = await self._read(day, board, holder)
        self._refuse_ahead(day, attempt)
        return await self._played(day, board, attempt)

    async def guess(
        self,
        day: date,
        board: Board,
        holder: str,
        row: tuple[str, Code],
        may_begin: Callable[[], Awaitable[object]] | None = None,
    ) -> tuple[int, Played]:
        """Answer a guess with its id; gives the number of its row. The same id is answered once.

        When this returns, the row is on disk. `may_begin` is called before a new attempt begins,
        and raises if it may not.
        """
        id_, code = row
        check_code(code, board)
        key = DailyKey(str(day), str(board), holder)
        for _ in range(MOST_RACES):
            attempt = await self._read(day, board, holder)
            known = row_of(attempt, id_, code)
            if known is not None:
                return known, await self._played(day, board, attempt)
            self._refuse_ahead(day, attempt)
            _refuse_done(day, attempt)
            if attempt is None and may_begin is not None:
                await may_begin()
            secret, now = self._codes.opening(day, board).code, self.now()
            phase_now = phase(day, self.today())
            after = answered(secret, board, attempt, row, phase_now, now)
            try:
                await self.attempts.add(key, attempt, after)
            except Moved:
                continue
            return len(after.rows), await self._played(day, board, after)
        raise Moved("too many guesses came at once; send this one again")

    async def _read(self, day: date, board: Board, holder: str | None) -> DailyAttempt | None:
        self._check(day, board)
        if holder is None:
            return None
        return await self.attempts.read(DailyKey(str(day), str(board), holder))

    def _check(self, day: date, board: Board) -> None:
        daily_board(str(board))
        if not FIRST_DAY <= day <= self.today() + DAY:
            raise NoSuchDay(f"there is no code of {day}; choose {FIRST_DAY} to {self.today()}")

    def _refuse_ahead(self, day: date, attempt: DailyAttempt | None) -> None:
        """Refuse a day that has not begun.

        A clock that was set back takes nothing from those who have begun.
        """
        today = self.today()
        if attempt is None and phase(day, today) is DayPhase.AHEAD:
            raise NoSuchDay(f"the code of {day} begins at midnight in UTC; today is {today}")

    async def _played(self, day: date, board: Board, attempt: DailyAttempt | None) -> Played:
        ending = None
        if attempt is not None and attempt.done:
            opening = self._codes.opening(day, board)
            counts = await self.attempts.distribution(str(day), str(board))
            ending = Disclosure(opening, counts, await optimum(board, opening.code) or ())
        now = phase(day, self.today())
        return Played(day, board, now, self._codes.seal(day, board), attempt, ending)


def answered(
    secret: Code,
    board: Board,
    before: DailyAttempt | None,
    row: tuple[str, Code],
    now: DayPhase,
    at: int,
) -> DailyAttempt:
    """The attempt with one more row and its answer; `now` is what its day is at the time."""
    rows, needed = next_rows(secret, board, before, row)
    counts = before.counts and now is not DayPhase.OVER if before else now is DayPhase.RUNNING
    return DailyAttempt(before.begun if before else at, at, rows, needed, int(counts))


def _refuse_done(day: date, attempt: DailyAttempt | None) -> None:
    if attempt is not None and attempt.done:
        raise AlreadyDone(f"the code of {day} is done; trying it again is a replay")
