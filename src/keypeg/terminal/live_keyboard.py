"""A prompt below which things happen: what is told appears above the line that is being typed.

The terminal's own line editing is off meanwhile, since it cannot show a begun line again. In a
pipe, and where there is no such terminal, this is the plain `Keyboard`.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING, Final

from keypeg.terminal.keyboard import LONGEST, Keyboard

if TYPE_CHECKING:
    from collections.abc import Iterator

_RETURN: Final = "\r"
_ERASE: Final = "\r\x1b[J"
"""Erases the current line and all below it."""
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])")
"""What arrow keys and the like send."""
_END_OF_INPUT, _KILL_LINE, _KILL_WORD = "\x04", "\x15", "\x17"
_BACKSPACES: Final = "\x7f\b"


class LiveKeyboard(Keyboard):
    """Standard input at which `write` may be called while a line is typed."""

    def __init__(self, *, talking: bool) -> None:
        super().__init__(talking=talking)
        drawn = sys.stdin.isatty() and sys.stdout.isatty()
        self._edits = talking and drawn and sys.platform != "win32"
        self._question: str | None = None
        self._typed = ""
        self._wraps = 0
        """How many lines the question goes on below its first, where it is too long for one."""
        self._ahead = ""
        """What was typed after the end of a line."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, line: str) -> None:
        """Tell something, above the line that is being typed."""
        if self._question is None:
            print(line)  # noqa: T201 - this is the terminal
            return
        sys.stdout.write(f"{self._clear()}{line}\n")
        self._wraps = 0
        self._show()

    @contextlib.contextmanager
    def editing(self) -> Iterator[None]:
        """Within the block, lines are edited here and not by the terminal."""
        if not self._edits:
            yield
            return
        import termios  # noqa: PLC0415 - only where there is a terminal

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        raw = [*before]
        raw[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, raw)
        try:
            yield
        finally:
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)

    async def ask(self, question: str) -> str:
        """The next line; raises EOFError at the end of input. Cancelling withdraws the question."""
        if not self._edits:
            return await super().ask(question)
        self._question, self._typed, self._wraps = question, "", 0
        self._show()
        end = "\n"
        try:
            return await self._edited()
        except asyncio.CancelledError:
            # What was begun answers no other question.
            self._withdrawn += 1
            self._ahead, end = "", self._clear()
            self._decoder.reset()
            raise
        finally:
            self._question = None
            sys.stdout.write(end)
            sys.stdout.flush()

    async def _edited(self) -> str:
        while True:
            text, self._ahead = _ESCAPES.sub("", self._ahead), ""
            for at, key in enumerate(text):
                if key in "\r\n":
                    self._ahead = text[at + 1 :]
                    self._show()
                    return self._typed
                self._press(key)
            self._show()
            chunk = await self._chunk()
            if not chunk:
                raise EOFError
            self._ahead = self._decoder.decode(chunk)

    def _press(self, key: str) -> None:
        if key in _BACKSPACES:
            self._typed = self._typed[:-1]
        elif key == _KILL_LINE:
            self._typed = ""
        elif key == _KILL_WORD:
            self._typed = self._typed.rstrip().rpartition(" ")[0]
        elif key == _END_OF_INPUT:
            if not self._typed:
                raise EOFError
        elif key.isprintable() and len(self._typed) < LONGEST:
            self._typed += key

    def _show(self) -> None:
        """Show the question, and what is typed, in the place of what was shown of them before."""
        text = f"{self._question}{self._typed}"
        sys.stdout.write(f"{self._clear() if _draws() else _RETURN}{text}")
        sys.stdout.flush()
        self._wraps = (_columns(text) - 1) // max(shutil.get_terminal_size().columns, 1)

    def _clear(self) -> str:
        """What removes the question, or, where that is impossible, ends its line."""
        up = f"\x1b[{self._wraps}A" if self._wraps > 0 else ""
        return f"{up}{_ERASE}" if _draws() else "\n"


def _columns(text: str) -> int:
    """How wide a text is in a terminal."""
    shown = (one for one in text if not unicodedata.combining(one))
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in shown)


def _draws() -> bool:
    """Whether the terminal can erase a line."""
    return os.environ.get("TERM", "dumb") != "dumb"
