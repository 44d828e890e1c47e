"""Hints and analyses, off the event loop: one worker process, size-gated and time-limited.

`Thinker` is what a solver offers; `RulesAlone` is the one there always is. A thinker sees a
board and the rows played, as everybody at the table does, and so cannot give away a secret.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from keypeg.rules.errors import AgainstTheRules, KeypegError
from keypeg.rules.keypegs import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

AnsweredRow = tuple["Code", "KeyPegs"]

MOST_CODES: Final = 100_000
MOST_WAITING: Final = 32
START_SECONDS: Final = 20.0


class Busy(KeypegError):
    """Too much thinking is asked for at once; ask again later."""


class TookTooLong(KeypegError):
    """The time for thinking ran out."""


class Hint(NamedTuple):
    """What the rows tell: how many codes fit them all, and one such code worth playing."""

    codes_left: int
    guess: Code | None


class RowReview(NamedTuple):
    """What one row told: how many codes were possible before its answer, and after."""

    before: int
    after: int


class Thinker(Protocol):
    """What a solver offers the server. Its methods run in the worker process."""

    def hint(self, board: Board, rows: Sequence[AnsweredRow]) -> Hint:
        """What to know before playing the next row."""

    def review(self, board: Board, rows: Sequence[AnsweredRow]) -> tuple[RowReview, ...]:
        """What each row told."""


class RulesAlone:
    """A thinker that tries every code."""

    def hint(self, board: Board, rows: Sequence[AnsweredRow]) -> Hint:
        """The codes left are counted; the guess is the middle one of them."""
        left = _fitting(_every_code(board), rows)
        return Hint(len(left), left[len(left) // 2] if left else None)

    def review(self, board: Board, rows: Sequence[AnsweredRow]) -> tuple[RowReview, ...]:
        """Counts the codes left, row by row."""
        left = list(_every_code(board))
        reviews = []
        for row in rows:
            fitting = _fitting(left, [row])
            reviews.append(RowReview(len(left), len(fitting)))
            left = fitting
        return tuple(reviews)


def _every_code(board: Board) -> Iterable[Code]:
    if board.repeats:
        return itertools.product(board.symbols, repeat=board.holes)
    return itertools.permutations(board.symbols, board.holes)


def _fitting(codes: Iterable[Code], rows: Sequence[AnsweredRow]) -> list[Code]:
    return [code for code in codes if all(score(code, guess) == keys for guess, keys in rows)]


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

    async def hint(self, client: str, board: Board, rows: Sequence[AnsweredRow]) -> Hint:
        """The thinker's hint."""
        hint: Hint = await self._ask(client, board, "hint", rows)
        return hint

    async def review(
        self, client: str, board: Board, rows: Sequence[AnsweredRow]
    ) -> tuple[RowReview, ...]:
        """The thinker's review."""
        reviews: tuple[RowReview, ...] = await self._ask(client, board, "review", rows)
        return reviews

    def close(self) -> None:
        """End the worker process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

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
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self.close()
            # A fresh interpreter: forking would copy the server's sockets and locks.
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=_think, args=(self._thinker, theirs), daemon=True, name="keypeg-thinking"
            )
            await asyncio.to_thread(self._process.start)
            theirs.close()
            await _readable(self._pipe, START_SECONDS)
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
    pipe.send("ready")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            method, board, rows = pipe.recv()
            try:
                pipe.send(getattr(thinker, method)(board, rows))
            except KeypegError as error:
                pipe.send(error)
