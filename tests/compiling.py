"""Has Numba compile the solver before tests need it, once for all processes.

`make test` does this while it checks types. Tests that need a compiled solver ask for it again,
which takes a second once it is done.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import sys
from pathlib import Path

from keypeg.cli import cli
from keypeg.solver.warmup import warm
from tests.programs import run

COMMANDS = (
    ("prove", "--board", "2x3"),
    ("evaluate", "--board", "2x3"),
    ("suggest", "--board", "2x3", "--level", "strong"),
)
"""What is compiled for these is not all compiled for advice."""
MOST_SECONDS = 350.0
"""Less than pytest's own `faulthandler_timeout`."""


def compile_here() -> None:
    """Compile in this process, or load what another has compiled."""
    warm()
    run_commands()


def run_commands() -> None:
    """Run each command, and let nobody hear what it says."""
    with contextlib.redirect_stdout(io.StringIO()):
        for command in COMMANDS:
            cli(list(command), standalone_mode=False)


def compile_elsewhere() -> None:
    """Compile in a process of its own; of several who ask at once the first does it for all."""
    with Path(__file__).open("rb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        done = run([sys.executable, "-m", "tests.compiling"], seconds=MOST_SECONDS)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    compile_here()
