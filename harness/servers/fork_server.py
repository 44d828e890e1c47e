"""The process that servers are forked from (harness/servers/forked.py): it has served already.

Solver workers are forked as well, which no shipped program does. With KEYPEG_TEST_SPAWN=1 they are
started as a shipped program starts them.
"""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import sys
import tempfile
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType

from harness import fork_server
from harness.clients.sockets import seated
from harness.programs import SECONDS
from harness.servers.in_process import running
from harness.servers.program import run
from keypeg import cli
from keypeg.client import Client


async def serve_once() -> None:
    """Load whatever a server needs, including its first requests and sockets."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            asyncio.timeout(SECONDS),
            running(Path(folder)) as server,
            Client(server.url) as client,
        ):
            one, two = await seated(client)
            async with one.connect() as maker, two.connect() as breaker:
                await maker.set_secret((1, 2, 3, 4))
                await breaker.guess((1, 2, 3, 4))


def start_forkserver() -> None:
    """Start the process that servers fork their solver workers from, with the solver loaded."""
    multiprocessing.set_forkserver_preload(["harness.servers.warmed"])
    forkserver.ensure_running()


def fork_solver_workers() -> None:
    """Fork solver workers, instead of starting an interpreter for each."""
    # The process that they are forked from is not a child of this one, which cannot check on it.
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[method-assign]
    context = multiprocessing.get_context("forkserver")
    multiprocessing.get_context = lambda _method=None: context  # type: ignore[assignment]


def run_forked() -> None:
    """Run the server, in a process that was forked from this one."""
    # A solver worker must not import what is loaded here.
    sys.modules["__main__"] = ModuleType("__main__")
    if not os.environ.get("KEYPEG_TEST_SPAWN"):
        fork_solver_workers()
    run()


def load() -> None:
    """Load what servers need, once for all of them."""
    start_forkserver()
    importlib.import_module("asyncpg")
    asyncio.run(serve_once())
    cli.main = run_forked  # type: ignore[assignment] # what a forked program runs


if __name__ == "__main__":
    fork_server.main(load)
