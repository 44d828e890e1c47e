"""What tests of the server share."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.compiling import compile_elsewhere
from tests.timeouts import AGAIN_SECONDS


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """The solver compiled and cached, so that no worker is a minute late with its first answer."""
    with outside_the_limit():
        compile_elsewhere()


@contextmanager
def outside_the_limit() -> Iterator[None]:
    """What is done for all tests takes nothing of the time of the one that happens to be first."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN_SECONDS)
