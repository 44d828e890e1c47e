"""Typed lines, awaited: the table keeps running meanwhile, and a question can be withdrawn."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from getpass import getpass
from threading import Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 4096
"""Bytes kept of a line; the rest is dropped, so that it does not answer another question."""

_Read = tuple[int, bytes]
"""How many questions had been withdrawn when something was read, and what was read."""


class Keyboard:
    """Standard input, read in its own thread; `talking` is whether a person reads the questions."""

    def __init__(self, *, talking: bool) -> None:
        self.talking = talking
        self._rest = b""
        self._reading: asyncio.Future[_Read] | None = None
        self._thread: Thread | None = None
        self._withdrawn = 0
        """How many questions were withdrawn; what was read before the last of them is dropped."""

    async def ask(self, question: str) -> str:
        """The next line; raises EOFError at the end of input. Cancelling withdraws the question."""
        if not self.talking:
            return await self._line()
        sys.stdout.write(question)
        sys.stdout.flush()
        try:
            return await self._line()
        except (asyncio.CancelledError, EOFError):
            self._withdrawn += 1
            self._rest = b""
            _drop_typed()
            sys.stdout.write("\n")
            raise

    async def ask_secretly(self, question: str) -> str:
        """The same, not shown while it is typed."""
        if not self.talking:
            return await self._line()
        if sys.platform == "win32":
            return getpass(question)
        with _unseen():
            typed = await self.ask(question)
        sys.stdout.write("\n")
        return typed

    def hide(self) -> None:
        """Remove the last question from the screen."""
        hide_last_line()

    async def _line(self) -> str:
        while b"\n" not in self._rest and await self._read_on():
            pass
        line, ended, self._rest = self._rest.partition(b"\n")
        if not line and not ended:
            raise EOFError
        return line.decode(sys.stdin.encoding, "replace")

    async def _read_on(self) -> bool:
        """Read more; whether there was any."""
        chunk = await self._chunk()
        self._rest += chunk
        if b"\n" not in chunk:
            self._rest = self._rest[:LONGEST]
        return bool(chunk)

    async def _chunk(self) -> bytes:
        while True:
            # A reading that outlives its question serves the next one.
            if self._reading is None:
                self._reading = self._read(sys.stdin.fileno())
            withdrawn, chunk = await asyncio.shield(self._reading)
            self._reading = None
            if withdrawn == self._withdrawn:
                return chunk

    def _read(self, descriptor: int) -> asyncio.Future[_Read]:
        """What is typed next. A daemon thread reads it, so that exiting does not wait for a key."""
        loop = asyncio.get_running_loop()
        read: asyncio.Future[_Read] = loop.create_future()

        def work() -> None:
            try:
                chunk, error = os.read(descriptor, LONGEST), None
            except OSError as problem:
                chunk, error = b"", problem
            with contextlib.suppress(RuntimeError):  # the loop may be gone
                loop.call_soon_threadsafe(_settle, read, (self._withdrawn, chunk), error)

        self._thread = Thread(target=work, daemon=True)
        self._thread.start()
        return read


def _settle(read: asyncio.Future[_Read], chunk: _Read, error: OSError | None) -> None:
    if read.cancelled():
        return
    if error is None:
        read.set_result(chunk)
    else:
        read.set_exception(error)


def hide_last_line() -> None:
    """Erase the last line on the screen; where that is impossible, scroll it far up."""
    dumb = os.environ.get("TERM", "dumb") == "dumb"
    sys.stdout.write("\n" * 50 if dumb else "\x1b[1A\x1b[2K")
    sys.stdout.flush()


@contextlib.contextmanager
def _unseen() -> Iterator[None]:
    """Turn the terminal's echo off within the block."""
    import termios  # noqa: PLC0415 - only where there is a terminal

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    silent = [*before]
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def _drop_typed() -> None:
    """Drop a line that was begun and not finished."""
    if sys.platform != "win32":
        import termios  # noqa: PLC0415 - as above

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
