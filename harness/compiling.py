"""Compiling the solver with Numba before tests need it, once for all processes.

`make test` does this while it checks types. Tests that need a compiled solver call it again, which
takes a second once the code is cached.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from pathlib import Path

from harness.programs import run
from keypeg.cli import cli
from keypeg.files import lock
from keypeg.solver.warmup import warm

COMMANDS = (
    ("prove", "--board", "2x3"),
    ("evaluate", "--board", "2x3"),
    ("suggest", "--board", "2x3", "--level", "strong"),
)
"""They need code that advice does not."""
MOST_SECONDS = 350.0
"""For the wait and the work together; less than pytest's own `faulthandler_timeout`."""


def compile_here() -> None:
    """Compile in this process, or load what another has compiled."""
    warm()
    run_commands()


def run_commands() -> None:
    """Run each command, without its output."""
    with contextlib.redirect_stdout(io.StringIO()):
        for command in COMMANDS:
            cli(list(command), standalone_mode=False)


def compile_elsewhere() -> None:
    """Compile in a separate process; of several callers at once, the first does it for all."""
    ends = time.monotonic() + MOST_SECONDS
    with Path(__file__).open("rb") as turn:
        while not lock(turn.fileno()):
            assert time.monotonic() < ends, "another process has not finished compiling"
            time.sleep(0.1)
        command = [sys.executable, "-m", "harness.compiling"]
        done = run(command, seconds=max(1.0, ends - time.monotonic()))
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    compile_here()
