"""What tests of the server share."""

import fcntl
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.programs import run
from tests.timeouts import AGAIN_SECONDS

COMPILING_SECONDS = 350.0
"""Less than pytest's own `faulthandler_timeout`."""


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """The solver compiled and cached, so that no worker is a minute late with its first answer."""
    program = "from keypeg.solver.warmup import warm; warm()"
    with Path(__file__).open("rb") as turn, outside_the_limit():
        # Tests that run side by side compile one after the other: the first does it for all.
        fcntl.flock(turn, fcntl.LOCK_EX)
        done = run([sys.executable, "-c", program], seconds=COMPILING_SECONDS)
        assert done.returncode == 0, done.stderr


@contextmanager
def outside_the_limit() -> Iterator[None]:
    """What is done for all tests takes nothing of the time of the one that happens to be first."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN_SECONDS)
