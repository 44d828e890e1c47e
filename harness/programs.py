"""Programs run to their end, within a limit; an error shows the output of one that takes longer."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any, AnyStr

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 100.0
"""Less than a test's own limit, so that the error shows the program's output."""


class StillRunning(AssertionError):
    """A program did not end in time; the message has its output."""


def run(
    command: Sequence[object], *, seconds: float = SECONDS, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with its output captured."""
    words = [str(word) for word in command]
    check, typed = options.pop("check", False), options.pop("input", None)
    for name in ("stdout", "stderr"):
        options.setdefault(name, subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL if typed is None else subprocess.PIPE)
    with subprocess.Popen(words, text=True, start_new_session=True, **options) as process:
        try:
            said, errors = process.communicate(typed, timeout=seconds)
        except subprocess.TimeoutExpired:
            _end_with_its_children(process)
            said, errors = process.communicate(timeout=SECONDS)
            output = f"{said or ''}\n{errors or ''}"
            raise StillRunning(f"{words} ran for {seconds} s and wrote:\n{output}") from None
        except BaseException:
            _end_with_its_children(process)
            raise
    done = subprocess.CompletedProcess(words, process.returncode, said, errors)
    if check:
        done.check_returncode()
    return done


def _end_with_its_children(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def read_line(process: subprocess.Popen[AnyStr], seconds: float = SECONDS) -> AnyStr:
    """The next line that a program writes, or nothing if it ended; a silent one is killed."""
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
        raise StillRunning(f"{process.args!r} wrote nothing for {seconds} s but {line!r}")
    return line
