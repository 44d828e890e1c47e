"""Several processes behind one port: started, watched, started again, ended together.

The parent holds the port and serves nobody. Its children are forked, each a whole server; one
that dies is replaced at once. If the parent dies, they end by themselves.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

TICK_SECONDS: Final = 0.05
PAUSE_SECONDS: Final = 1.0
"""Between two starts of a worker that dies as soon as it is started."""
LAST_SECONDS: Final = 10.0
"""Workers that take longer to end are killed."""
_log = logging.getLogger("keypeg.workers")


def ending_signals() -> tuple[int, ...]:
    """The signals that stop the server cleanly, except those it was started to ignore.

    `nohup` has SIGHUP ignored, and a script's shell SIGINT for what it starts with `&`, so that
    Ctrl+C ends what runs in the foreground alone.
    """
    signs = [signal.SIGTERM, signal.SIGINT]
    if hasattr(signal, "SIGHUP"):  # not on Windows
        signs.append(signal.SIGHUP)
    return tuple(sign for sign in signs if signal.getsignal(sign) is not signal.SIG_IGN)


class CannotFork(KeypegError):
    """This system cannot have several workers."""


@dataclass(frozen=True, slots=True)
class Worker:
    """What a child knows of its parent: a pipe to say it is ready, one that ends with it."""

    ready: int
    lifeline: int

    def say_ready(self) -> None:
        """Tell the parent that this worker serves."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.ready, b"!")
        os.close(self.ready)


class Workers:
    """The parent's view of its children."""

    def __init__(self, count: int) -> None:
        if not hasattr(os, "fork"):
            raise CannotFork("this system cannot start several workers; leave --workers at 1")
        self._count = count
        self._signs = ending_signals()
        self._born: dict[int, float] = {}
        self._lifeline, self._held = os.pipe()
        self._stopping = False

    def run(self, announce: Callable[[], None]) -> Worker | None:
        """Start workers and keep them; in a worker return what it is, in the end None."""
        previous = [signal.signal(sign, self._stop) for sign in self._signs]
        # The first alone: it brings the database up to date, and says why if it cannot start.
        worker = self._start(wait=True)
        while worker is None and len(self._born) < self._count and not self._stopping:
            worker = self._start(wait=True)
        if worker is None and not self._stopping:
            announce()
            worker = self._keep()
        if worker is not None:
            return worker
        self._end()
        for sign, handler in zip(self._signs, previous, strict=True):
            signal.signal(sign, handler)
        return None

    def _stop(self, _sign: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _start(self, *, wait: bool = False) -> Worker | None:
        """Fork. In the child, what it is; in the parent None."""
        hears, ready = os.pipe()
        child = os.fork()
        if child == 0:
            for sign in self._signs:
                signal.signal(sign, signal.SIG_DFL)
            os.close(hears)
            os.close(self._held)
            return Worker(ready, self._lifeline)
        os.close(ready)
        self._born[child] = time.monotonic()
        if wait:
            self._wait_for(child, hears)
        os.close(hears)
        return None

    def _wait_for(self, child: int, hears: int) -> None:
        """Wait until a worker is ready; if it ended instead, exit with the same status."""
        while not self._stopping:
            readable, _, _ = select.select([hears], [], [], TICK_SECONDS)
            if readable and os.read(hears, 1):
                return
            if readable:
                self._born.pop(child)
                _, status = os.waitpid(child, 0)
                self._end()
                sys.exit(os.waitstatus_to_exitcode(status))

    def _keep(self) -> Worker | None:
        """Replace every worker that ends, until told to stop."""
        due: list[float] = []
        while not self._stopping:
            time.sleep(TICK_SECONDS)
            due += [self._next_start(child) for child in self._ended()]
            while due and min(due) <= time.monotonic():
                due.remove(min(due))
                worker = self._start()
                if worker is not None:
                    return worker
        return None

    def _ended(self) -> list[int]:
        """Those that have ended since they were last looked for."""
        return [child for child in self._born if os.waitpid(child, os.WNOHANG)[0]]

    def _next_start(self, child: int) -> float:
        lived = time.monotonic() - self._born.pop(child)
        _log.warning("a worker ended and is replaced", extra={"seconds": round(lived, 1)})
        return time.monotonic() + (0.0 if lived > PAUSE_SECONDS else PAUSE_SECONDS)

    def _end(self) -> None:
        """End every worker in order, and those that do not listen by force."""
        os.close(self._held)
        self._send(signal.SIGTERM)
        deadline = time.monotonic() + LAST_SECONDS
        while self._born and time.monotonic() < deadline:
            for child in self._ended():
                del self._born[child]
            time.sleep(TICK_SECONDS)
        self._send(signal.SIGKILL)
        for child in self._born:
            os.waitpid(child, 0)

    def _send(self, sign: int) -> None:
        for child in self._born:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, sign)
