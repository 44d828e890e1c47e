from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import ctypes, time

{first}

@ctypes.CFUNCTYPE(None)
def callback():
    raise KeyboardInterrupt

callback()
try:
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
else:
    print("lost")
"""
INSIST = "from keypeg.interruption import insist; insist()"


def run(first: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(first=first)]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_an_interruption_that_no_error_can_leave_comes_again() -> None:
    done = run(INSIST)
    assert done.stdout == "interrupted\n"
    assert not done.stderr


def test_without_that_it_would_be_lost() -> None:
    assert run("").stdout == "lost\n"


def test_other_errors_are_told_as_ever() -> None:
    done = run(f"{INSIST}; ctypes.CFUNCTYPE(None)(lambda: 1 / 0)()\nraise SystemExit")
    assert "ZeroDivisionError" in done.stderr
