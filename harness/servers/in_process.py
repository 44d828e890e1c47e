"""A real server on real sockets, in this process: a test can inspect and patch its objects."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from harness.servers.settings import ROOMY
from keypeg.server.addresses import own_origins
from keypeg.server.app import Application, open_application
from keypeg.server.process import Server, bind
from keypeg.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from keypeg.server.solver_worker import Solver

START_SECONDS = 60.0
"""The longest that a server may take to start, on the busiest of machines."""


class Running:
    """A server in this process."""

    def __init__(self, application: Application, port: int) -> None:
        self.application = application
        self.port = port
        self.url = f"http://127.0.0.1:{port}"


@asynccontextmanager
async def running(
    database: Path | str, solver: Solver | None = None, /, **settings: Any
) -> AsyncIterator[Running]:
    """A server during the block, on its own database."""
    address = database if isinstance(database, str) else f"sqlite:///{database}/keypeg.db"
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    chosen = Settings(port=port, database=address, **{**ROOMY, **settings})
    application = await open_application(chosen, own_origins(chosen.host, port), solver)
    server = Server(application, chosen)
    serving = asyncio.create_task(server._serve([listening]))
    try:
        async with asyncio.timeout(START_SECONDS):
            while not server.started:
                await asyncio.sleep(0.005)
        yield Running(application, port)
    finally:
        server.should_exit = True
        await serving
        await application.close()
