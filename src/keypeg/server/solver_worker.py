"""The solver off the event loop: a worker process that answers one question after another.

It sees a board and the rows played, as everybody at the table does, and so cannot give away a
secret. Every question gets an answer or a refusal within its time limit, which includes the wait in
the queue. The worker is sent a limit, and told to stop when nobody waits for the answer any longer.
One that goes on regardless is killed, and a new one starts at once.

Network addresses take turns. A long search makes way for other addresses, and starts over later.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import signal
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from keypeg.rules.errors import AgainstTheRules, KeypegError
from keypeg.server.fair_queue import FairQueue
from keypeg.server.scheduling import leave_a_core_free, use_default_slices

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
MOST_WAITING_EACH: Final = 32
"""The most questions of one address in the queue: as many of its people play the computer."""
QUANTUM: Final = 0.5
"""Seconds after which a search makes way for other addresses; twice as many the next time."""
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
    """Too many questions wait for the solver; ask again later."""


class TookTooLong(KeypegError):
    """The time for thinking ran out."""


class Patience:
    """How long the client waits for an answer, and whether it has disconnected."""

    def __init__(self, seconds: float, gone: Callable[[], bool] = lambda: False) -> None:
        self.seconds, self.gone = seconds, gone
        self._end = time.monotonic() + seconds

    def over(self) -> bool:
        """Whether nobody waits for the answer any longer."""
        return time.monotonic() > self._end or self.gone()


class Asker(NamedTuple):
    """Somebody who wants advice, and how much at once: a seat at a table, a network address.

    Askers at one address take their turns together.
    """

    name: str
    allowance: int = 1
    address: str = ""


class Repair(NamedTuple):
    """If `row` gets this answer, this many codes fit."""

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
    """A question: a method of the solver and its arguments."""

    job: tuple[Any, ...]
    answer: asyncio.Future[Any]
    """Cancelled when the client has disconnected."""
    deadline: float
    address: str
    quantum: float = QUANTUM
    begun: float = 0.0
    interrupted: bool = False


class SolverWorker:
    """A worker process and the queue for it, in which addresses take turns."""

    def __init__(self, solver: Solver, seconds: float) -> None:
        self._solver, self._seconds = solver, seconds
        self._waiting: FairQueue[_Question] = FairQueue(MOST_WAITING, MOST_WAITING_EACH)
        self._asking: Counter[Asker] = Counter()
        self._make_way: Callable[[], None] = lambda: None
        """Asks the search under way to stop, if another address must have its turn."""
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

    async def guess(self, board: Board, rows: Rows, level: str, address: str = "") -> Code | None:
        """The solver's guess, at a table that this address opened."""
        guess: Code | None = await self._ask(address, "guess", board, rows, level)
        return guess

    async def _advise(self, asker: Asker, method: str, board: Board, rows: Rows) -> Any:
        check_size(board)
        if self._asking[asker] >= asker.allowance:
            raise Busy("your previous question is still being answered; wait for it")
        self._asking[asker] += 1
        try:
            return await self._ask(asker.address or asker.name, method, board, rows)
        finally:
            self._asking[asker] -= 1
            if not self._asking[asker]:
                del self._asking[asker]

    async def _ask(self, address: str, method: str, board: Board, rows: Rows, *more: object) -> Any:
        """The answer of the solver, in time, or a refusal."""
        loop = asyncio.get_running_loop()
        question = _Question(
            (method, board, rows, *more), loop.create_future(), loop.time() + self._seconds, address
        )
        refused = self._waiting.add(address, question)
        if refused is question:
            raise _busy()
        if refused is not None:
            _settle(refused, _busy())
        self.start()
        self._arrived.set()
        self._make_way()
        try:
            async with asyncio.timeout_at(question.deadline):
                return await question.answer
        except TimeoutError:
            if question in self._waiting:
                raise Busy("the solver is busy or still warming up; ask again") from None
            raise _too_long(self._seconds) from None
        finally:
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
        return self._waiting.first()[1]

    async def _answer(self, question: _Question, pipe: Connection) -> None:
        now, address = asyncio.get_running_loop().time, question.address
        question.begun, question.interrupted = now(), False
        left = question.deadline - question.begun
        share = max(left / self._waiting.shares(address), min(left, LEAST_SECONDS))
        pipe.send((SOLVER_SHARE * share, *question.job))
        # Only now: a worker that died while idle has not had the question.
        self._waiting.remove(question)
        try:
            answer = await self._hear(question, pipe)
        except Exception:
            _settle(question, _too_long(self._seconds))
            raise
        finally:
            self._waiting.charge(address, now() - question.begun)
        unfinished = question.interrupted and isinstance(answer, TookTooLong)
        if unfinished and not question.answer.done():
            question.quantum *= 2
            self._waiting.put_back(address, question)
        else:
            _settle(question, answer)

    async def _hear(self, question: _Question, pipe: Connection) -> Any:
        """The worker's answer. The search stops if the client leaves or it is another's turn."""
        loop = asyncio.get_running_loop()

        def call_off(_answer: object = None) -> None:
            with contextlib.suppress(OSError):
                pipe.send(None)

        def make_way() -> None:
            # A timer may ring a little early.
            over = loop.time() > question.begun + question.quantum - 0.01
            if over and not question.interrupted and self._waiting.others(question.address):
                question.interrupted = True
                call_off()

        question.answer.add_done_callback(call_off)
        self._make_way = make_way
        turn = loop.call_at(question.begun + question.quantum, make_way)
        try:
            # Counted from here: a worker must not be killed because a question waited in the queue.
            await _readable(pipe, self._seconds)
            return pipe.recv()
        finally:
            turn.cancel()
            self._make_way = lambda: None
            question.answer.remove_done_callback(call_off)


def _busy() -> Busy:
    return Busy("too many questions at once; ask again")


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
    use_default_slices()
    leave_a_core_free()
    solver.warm()
    with contextlib.suppress(EOFError, OSError):
        pipe.send(_READY)
        while True:
            asked = pipe.recv()
            # None cancels a question that has just been answered: there is nothing to do.
            if asked is not None:
                pipe.send(_answer_of(solver, pipe, *asked))


def _answer_of(
    solver: Solver, pipe: Connection, seconds: float, method: str, board: Board, *more: Any
) -> object:
    rows, *others = more
    # Anything that arrives during a search stops it, and so does the end of the server.
    patience = Patience(seconds, pipe.poll)
    try:
        return getattr(solver, method)(board, rows, patience, *others)
    except KeypegError as error:
        return TookTooLong("the time for this ran out") if patience.over() else error
    except Exception as error:  # noqa: BLE001 - a worker that can go on does
        return TookTooLong(f"the solver failed: {type(error).__name__}")
