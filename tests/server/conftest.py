"""The compiled solver, for all tests of the server."""

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.compiling import compile_elsewhere
from harness.servers.restartable import restartable_server
from keypeg.client import Client
from tests.timeouts import AGAIN_SECONDS


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """Compile the solver, so that no worker takes a minute for its first answer."""
    with outside_the_limit():
        compile_elsewhere()


@pytest.fixture
async def advised(tmp_path: Path) -> AsyncIterator[Client]:
    """A client of a server whose solver is ready at once.

    Its worker is forked. A worker yields the processor to everybody else, and on a busy machine one
    that has to be started takes minutes.
    """
    with restartable_server(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as server:
        async with Client(server.url, timeout=100.0) as client:
            yield client


@contextmanager
def outside_the_limit() -> Iterator[None]:
    """Do something for all tests outside the time limit of the one that happens to be first."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN_SECONDS)
