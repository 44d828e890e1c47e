from __future__ import annotations

import subprocess
import sys

from harness.programs import run
from keypeg.interruption import AGAIN_SECONDS

PROGRAM = """
import ctypes, time

{first}

@ctypes.CFUNCTYPE(None)
def callback():
    raise KeyboardInterrupt

callback()
try:
    time.sleep({seconds})
except KeyboardInterrupt:
    print("interrupted")
else:
    print("lost")
"""
INSIST = "from keypeg.interruption import insist; insist()"


def interrupted(first: str, seconds: float) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-c", PROGRAM.format(first=first, seconds=seconds)], check=True)


def test_an_interruption_that_no_error_can_leave_comes_again() -> None:
    done = interrupted(INSIST, 600)
    assert done.stdout == "interrupted\n"
    assert not done.stderr


def test_without_that_it_would_be_lost() -> None:
    assert interrupted("", 20 * AGAIN_SECONDS).stdout == "lost\n"


def test_other_errors_are_told_as_ever() -> None:
    first = f"{INSIST}; ctypes.CFUNCTYPE(None)(lambda: 1 / 0)()\nraise SystemExit"
    done = interrupted(first, 0)
    assert "ZeroDivisionError" in done.stderr


HALF_MADE = "from llvmlite.binding.ffi import ObjectRef; ObjectRef.__new__(ObjectRef)"


def test_an_object_of_the_compiler_that_was_interrupted_is_freed_in_silence() -> None:
    assert not run([sys.executable, "-c", f"{INSIST}; {HALF_MADE}"], check=True).stderr
    assert "AttributeError" in run([sys.executable, "-c", HALF_MADE], check=True).stderr
