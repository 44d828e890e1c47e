"""Hints and reviews, off the event loop: one worker process, size-gated and time-limited.

A thinker sees a board and the rows played, as everybody at the table does, and so cannot give
away a secret.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from keypeg.rules.errors import AgainstTheRules, KeypegError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

AnsweredRow = tuple["Code", "KeyPegs"]

MOST_CODES: Final = 10**9
MOST_WAITING: Final = 32
WARM_SECONDS: Final = 600.0
"""The longest that compiling may take, on the slowest of machines."""


class Busy(KeypegError):
    """Too much thinking is asked for at once; ask again later."""


class TookTooLong(KeypegError):
    """The time for thinking ran out."""


class Repair(NamedTuple):
    """Were `row` answered so, this many codes would fit."""

    row: int
    black: int
    white: int
    codes_left: int


class Hint(NamedTuple):
    """What the rows tell: how many codes fit, a guess worth playing and why.

    Where no code fits there is no guess, but the rows that contradict each other and the
    single answers that would mend them.
    """

    codes_left: int
    exact: bool
    guess: Code | None
    why: str
    possible: bool = False
    contradicts: tuple[int, ...] = ()
    groups: int = 0
    largest: int = 0
    expected_guesses: float | None = None
    certainty: str | None = None
    contradiction: tuple[int, ...] = ()
    repairs: tuple[Repair, ...] = ()


class RowReview(NamedTuple):
    """What one row was worth. Losses and luck are in guesses."""

    row: int
    before: int
    after: int
    exact: bool
    bits: float | None
    possible: bool
    contradicts: tuple[int, ...]
    loss: float
    luck: float | None
    best: Code
    certainty: str


class GameReview(NamedTuple):
    """What the rows of a game come to."""

    rows: tuple[RowReview, ...]
    loss: float
    luck: float
    start: float
    certainty: str
    start_certainty: str


class Thinker(Protocol):
    """What a solver offers the server. Its methods run in the worker process."""

    def warm(self) -> None:
        """Get ready; this may take a minute."""

    def hint(self, board: Board, rows: Sequence[AnsweredRow]) -> Hint:
        """What to know before playing the next row."""

    def review(self, board: Board, rows: Sequence[AnsweredRow]) -> GameReview:
        """What each row was worth."""


def check_size(board: Board) -> None:
    """Refuse a board that is too big to think about."""
    if board.codes > MOST_CODES:
        raise AgainstTheRules(
            f"{board} has {board.codes:,} codes; hints and reviews go up to {MOST_CODES:,}"
        )


class Thinking:
    """The worker process, and who may use it: one job at a time, one for each client."""

    def __init__(self, thinker: Thinker, seconds: float) -> None:
        self._thinker, self._seconds = thinker, seconds
        self._lock = asyncio.Lock()
        self._clients: set[str] = set()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._starting: asyncio.Task[Connection] | None = None

    async def hint(self, client: str, board: Board, rows: Sequence[AnsweredRow]) -> Hint:
        """The thinker's hint."""
        hint: Hint = await self._ask(client, board, "hint", rows)
        return hint

    async def review(self, client: str, board: Board, rows: Sequence[AnsweredRow]) -> GameReview:
        """The thinker's review."""
        review: GameReview = await self._ask(client, board, "review", rows)
        return review

    def close(self) -> None:
        """End the worker process."""
        if self._starting is not None:
            self._starting.cancel()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = self._starting = None

    async def _ask(
        self, client: str, board: Board, method: str, rows: Sequence[AnsweredRow]
    ) -> Any:
        check_size(board)
        if client in self._clients or len(self._clients) >= MOST_WAITING:
            raise Busy("one question at a time, please")
        self._clients.add(client)
        try:
            async with self._lock:
                return await self._work(method, board, tuple(rows))
        finally:
            self._clients.discard(client)

    async def _work(self, *job: Any) -> Any:
        pipe = await self._worker()
        try:
            pipe.send(job)
            await _readable(pipe, self._seconds)
            answer = pipe.recv()
        except (TimeoutError, asyncio.CancelledError, OSError, EOFError) as error:
            # The worker is in the middle of something nobody waits for any more.
            self.close()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise TookTooLong(f"no answer within {self._seconds:g} seconds") from None
        if isinstance(answer, KeypegError):
            raise answer
        return answer

    async def _worker(self) -> Connection:
        """The pipe to a worker that is ready. Whoever waits too long for that is told so."""
        if self._starting is None or self._process is None or not self._process.is_alive():
            self.close()
            self._starting = asyncio.create_task(self._start())
        try:
            return await asyncio.wait_for(asyncio.shield(self._starting), self._seconds)
        except TimeoutError:
            raise Busy("the solver is still warming up; ask again in a minute") from None
        except (OSError, EOFError):
            self.close()
            raise Busy("the solver could not be started; ask again") from None

    async def _start(self) -> Connection:
        # A fresh interpreter: forking would copy the server's sockets and locks.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_think, args=(self._thinker, theirs), daemon=True, name="keypeg-thinking"
        )
        await asyncio.to_thread(self._process.start)
        theirs.close()
        await _readable(self._pipe, WARM_SECONDS)
        self._pipe.recv()
        return self._pipe


async def _readable(pipe: Connection, seconds: float) -> None:
    """Wait until there is something to read."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(pipe.fileno(), ready.set)
    try:
        await asyncio.wait_for(ready.wait(), seconds)
    finally:
        loop.remove_reader(pipe.fileno())


def _think(thinker: Thinker, pipe: Connection) -> None:
    """The worker: answers one job after another until the server goes away."""
    # Moves come first: the worker yields the processor to the server, where it can.
    if hasattr(os, "nice"):
        os.nice(10)
    thinker.warm()
    pipe.send("ready")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            method, board, rows = pipe.recv()
            try:
                pipe.send(getattr(thinker, method)(board, rows))
            except KeypegError as error:
                pipe.send(error)
