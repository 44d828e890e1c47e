"""What tests of the server share."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """The solver compiled and cached, so that no worker is a minute late with its first answer."""
    program = "from keypeg.solver.warmup import warm; warm()"
    with Path(__file__).open("rb") as turn:
        # Tests that run side by side compile one after the other: the first does it for all.
        fcntl.flock(turn, fcntl.LOCK_EX)
        subprocess.run([sys.executable, "-c", program], check=True)
