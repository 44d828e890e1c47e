"""The compiled solver, for all tests of the server."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.compiling import compile_elsewhere
from tests.timeouts import AGAIN_SECONDS


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """Compile the solver, so that no worker takes a minute for its first answer."""
    with outside_the_limit():
        compile_elsewhere()


@contextmanager
def outside_the_limit() -> Iterator[None]:
    """Do something for all tests outside the time limit of the one that happens to be first."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN_SECONDS)
