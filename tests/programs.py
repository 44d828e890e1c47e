"""Programs run by tests: each ends within a limit, or the test says what it had said until then."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from typing import Any, AnyStr

SECONDS = 100.0
"""Less than a test's own limit, so that what a program said is told by the one who ran it."""


class StillRunning(AssertionError):
    """A program that did not end in time, with what it said."""


def run(
    command: Sequence[object], *, seconds: float = SECONDS, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; what it says is kept apart from our own output."""
    options = {"capture_output": True, "text": True, "check": False, **options}
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, timeout=seconds, **options)  # noqa: PLW1510 - see options
    except subprocess.TimeoutExpired as late:
        said = "\n".join(_text(output) for output in (late.stdout, late.stderr) if output)
        raise StillRunning(f"{' '.join(words)} ran for {seconds} s and said:\n{said}") from None


def read_line(process: subprocess.Popen[AnyStr], seconds: float = SECONDS) -> AnyStr:
    """The next line that a program says, or nothing if it ended; one that is silent is killed."""
    assert process.stdout is not None
    silent = threading.Event()

    def give_up() -> None:
        silent.set()
        process.kill()

    timer = threading.Timer(seconds, give_up)
    timer.start()
    try:
        line = process.stdout.readline()
    finally:
        timer.cancel()
    if silent.is_set():
        raise StillRunning(f"{process.args!r} said nothing for {seconds} s but {line!r}")
    return line


def _text(output: str | bytes) -> str:
    return output if isinstance(output, str) else output.decode(errors="replace")
