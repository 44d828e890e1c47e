"""The solver off the event loop: a worker process that answers one question after another.

It sees a board and the rows played, as everybody at the table does, and so cannot give
away a secret. Whoever asks has an answer or a refusal within the time set, the wait in the
queue included. It is told how long it may take, and to stop when nobody waits any
more; one that goes on regardless is killed, and its successor starts at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import time
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from keypeg.rules.errors import AgainstTheRules, KeypegError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

AnsweredRow = tuple["Code", "KeyPegs"]
Rows = tuple[AnsweredRow, ...]

MOST_CODES: Final = 10**9
MOST_WAITING: Final = 256
LEAST_SECONDS: Final = 1.0
"""The least time for an answer, however long the queue is."""
SOLVER_SHARE: Final = 0.8
"""The fraction of the time that the solver may use; the rest is for stopping."""
WARM_SECONDS: Final = 600.0
"""The longest that compiling may take, on the slowest of machines."""
PAUSE_SECONDS: Final = 1.0
"""Between the death of a worker that was not killed and the next one."""
_READY: Final = "ready"
_log = logging.getLogger("keypeg.thinking")


class Busy(KeypegError):
    """Too much thinking is asked for at once; ask again later."""


class TookTooLong(KeypegError):
    """The time for thinking ran out."""


class Patience:
    """How long whoever asks will wait, from now on, and whether they have gone."""

    def __init__(self, seconds: float, gone: Callable[[], bool] = lambda: False) -> None:
        self.seconds, self.gone = seconds, gone
        self._end = time.monotonic() + seconds

    def over(self) -> bool:
        """Whether nobody waits any more."""
        return time.monotonic() > self._end or self.gone()


class Asker(NamedTuple):
    """Somebody who wants advice, and how much at once: a seat at a table, a network address."""

    name: str
    allowance: int = 1


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
    """What the rows of a game come to; rows that there was no time for are left out."""

    rows: tuple[RowReview, ...]
    loss: float
    luck: float
    start: float
    certainty: str
    start_certainty: str
    complete: bool = True


class Solver(Protocol):
    """What a solver offers the server. Its methods run in a worker process.

    Each keeps to the patience it is given, or raises when that is over.
    """

    def warm(self) -> None:
        """Get ready; this may take a minute."""

    def hint(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> Hint:
        """What to know before playing the next row."""

    def review(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> GameReview:
        """What each row was worth."""

    def guess(
        self, board: Board, rows: Sequence[AnsweredRow], patience: Patience, level: str
    ) -> Code | None:
        """What a player of `level` plays next; None where no code fits."""


def check_size(board: Board) -> None:
    """Refuse a board that is too big to give advice on."""
    if board.codes > MOST_CODES:
        raise AgainstTheRules(
            f"{board} has {board.codes:,} codes; hints and reviews go up to {MOST_CODES:,}"
        )


@dataclass(eq=False)
class _Question:
    """Something to think about: a method of the solver and what it is to be told."""

    job: tuple[Any, ...]
    answer: asyncio.Future[Any]
    """Cancelled when whoever asked has gone."""
    deadline: float


class SolverWorker:
    """A worker process and the queue for it, first come, first served."""

    def __init__(self, solver: Solver, seconds: float) -> None:
        self._solver, self._seconds = solver, seconds
        self._waiting: deque[_Question] = deque()
        self._asking: Counter[Asker] = Counter()
        self._arrived = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Get a worker ready, if there is none yet."""
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """End the worker."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def hint(self, asker: Asker, board: Board, rows: Rows) -> Hint:
        """The solver's hint."""
        hint: Hint = await self._advise(asker, "hint", board, rows)
        return hint

    async def review(self, asker: Asker, board: Board, rows: Rows) -> GameReview:
        """The solver's review."""
        review: GameReview = await self._advise(asker, "review", board, rows)
        return review

    async def guess(self, board: Board, rows: Rows, level: str) -> Code | None:
        """The solver's guess."""
        guess: Code | None = await self._ask("guess", board, rows, level)
        return guess

    async def _advise(self, asker: Asker, method: str, board: Board, rows: Rows) -> Any:
        check_size(board)
        if self._asking[asker] >= asker.allowance:
            raise Busy("your previous question is still being answered; wait for it")
        self._asking[asker] += 1
        try:
            return await self._ask(method, board, rows)
        finally:
            self._asking[asker] -= 1
            if not self._asking[asker]:
                del self._asking[asker]

    async def _ask(self, method: str, board: Board, rows: Rows, *more: object) -> Any:
        """What the solver says to this, in time, or a refusal."""
        if len(self._waiting) >= MOST_WAITING:
            raise Busy("too many questions at once; ask again")
        self.start()
        loop = asyncio.get_running_loop()
        question = _Question(
            (method, board, rows, *more), loop.create_future(), loop.time() + self._seconds
        )
        self._waiting.append(question)
        self._arrived.set()
        try:
            async with asyncio.timeout_at(question.deadline):
                return await question.answer
        except TimeoutError:
            if question in self._waiting:
                raise Busy("the solver is busy or still warming up; ask again") from None
            raise _too_long(self._seconds) from None
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(question)

    async def _run(self) -> None:
        """Keep a worker that answers, and replace one that fails."""
        while True:
            try:
                with _worker(self._solver) as pipe:
                    await _readable(pipe, WARM_SECONDS)
                    pipe.recv()
                    while True:
                        await self._answer(await self._next(), pipe)
            except TimeoutError:
                _log.warning("the solver took too long and was killed")
            except Exception as error:  # noqa: BLE001 - whatever befell this one, there is a next
                _log.error("the solver's process ended", extra={"reason": type(error).__name__})
                await asyncio.sleep(PAUSE_SECONDS)

    async def _next(self) -> _Question:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting[0]

    async def _answer(self, question: _Question, pipe: Connection) -> None:
        left = question.deadline - asyncio.get_running_loop().time()
        share = max(left / len(self._waiting), min(left, LEAST_SECONDS))
        pipe.send((SOLVER_SHARE * share, *question.job))
        # Only now: a worker that died while idle has not had the question.
        self._waiting.popleft()
        try:
            answer = await self._hear(question, pipe)
        except Exception:
            _settle(question, _too_long(self._seconds))
            raise
        _settle(question, answer)

    async def _hear(self, question: _Question, pipe: Connection) -> Any:
        """What the worker says; whoever goes away calls the thinking off."""

        def call_off(_answer: object) -> None:
            with contextlib.suppress(OSError):
                pipe.send(None)

        question.answer.add_done_callback(call_off)
        try:
            # Counted from here: a worker must not be killed because a question waited in the queue.
            await _readable(pipe, self._seconds)
            return pipe.recv()
        finally:
            question.answer.remove_done_callback(call_off)


def _too_long(seconds: float) -> TookTooLong:
    return TookTooLong(f"no answer within {seconds:g} seconds")


def _settle(question: _Question, answer: Any) -> None:
    if question.answer.done():
        return
    if isinstance(answer, KeypegError):
        question.answer.set_exception(answer)
    else:
        question.answer.set_result(answer)


@contextmanager
def _worker(solver: Solver) -> Iterator[Connection]:
    """The pipe to a new worker process, which is killed afterwards."""
    # A fresh interpreter: forking would copy the server's sockets and locks.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=_work, args=(solver, theirs), daemon=True, name="keypeg-thinking"
    )
    with ours:
        with theirs:
            process.start()
        try:
            yield ours
        finally:
            # Not waited for: its remains are cleared away when the next one starts, or at the end.
            process.kill()


async def _readable(pipe: Connection, seconds: float) -> None:
    """Wait until there is something to read."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(pipe.fileno(), ready.set)
    try:
        async with asyncio.timeout(seconds):
            await ready.wait()
    finally:
        loop.remove_reader(pipe.fileno())


def _work(solver: Solver, pipe: Connection) -> None:
    """The worker: answers one question after another until the server goes away."""
    # Ctrl-C is for the server, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Moves come first: the worker yields the processor to the server, however that is favoured.
    if hasattr(os, "nice"):
        os.nice(max(10, 10 - os.nice(0)))
    solver.warm()
    with contextlib.suppress(EOFError, OSError):
        pipe.send(_READY)
        while True:
            asked = pipe.recv()
            # None cancels a question that has just been answered: there is nothing to do.
            if asked is not None:
                pipe.send(_thought(solver, pipe, *asked))


def _thought(
    solver: Solver, pipe: Connection, seconds: float, method: str, board: Board, *more: Any
) -> object:
    rows, *others = more
    # Whatever comes during a thought calls it off, and so does the end of the server.
    patience = Patience(seconds, pipe.poll)
    try:
        return getattr(solver, method)(board, rows, patience, *others)
    except KeypegError as error:
        return TookTooLong("the time for this ran out") if patience.over() else error
    except Exception as error:  # noqa: BLE001 - a worker that can go on does
        return TookTooLong(f"the solver failed: {type(error).__name__}")
