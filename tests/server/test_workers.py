"""`keypeg serve --workers N`: several processes behind one port, kept alive and ended together."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from pathlib import Path

import psutil
import pytest

from harness.clients.sockets import seated
from harness.databases import RedisServer
from harness.servers.processes import ServerProcess
from keypeg.client import Client
from keypeg.rules.series import Seat
from tests.server.test_process import keypeg, refused


def serving(database: str, folder: Path, redis: RedisServer | None, workers: int) -> ServerProcess:
    more = {"KEYPEG_REDIS": redis.url} if redis else {}
    return ServerProcess(
        database, folder, KEYPEG_WORKERS=str(workers), KEYPEG_KEY="5a" * 32, **more
    )


def workers_of(pid: int) -> set[int]:
    return {child.pid for child in psutil.Process(pid).children()}


def wait_for_workers(server: ServerProcess, count: int) -> set[int]:
    deadline = time.monotonic() + 20
    while len(found := workers_of(server.pid)) != count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("defended", [True, False])
def test_the_key_is_in_no_environment_and_no_argument(
    shared_address: str, tmp_path: Path, defended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as an operator would, in an interpreter of its own; the key comes in its environment."""
    if not defended:
        monkeypatch.setenv("KEYPEG_TEST_SHOW_KEY", "1")
    server = serving(shared_address, tmp_path, None, 2)
    server.prefix = ("env",)
    with server:
        for process in map(psutil.Process, [server.pid, *wait_for_workers(server, 2)]):
            assert "KEYPEG_WORKERS" in process.environ()
            said = [*process.environ().values(), *process.environ(), *process.cmdline()]
            shown = any("5a" * 32 in text or "KEYPEG_KEY" in text for text in said)
            assert shown is not defended
        assert server.stop() == 0


@pytest.mark.anyio
async def test_workers_serve_together_and_a_dead_one_is_replaced(
    shared_address: str, redis: RedisServer, tmp_path: Path
) -> None:
    with serving(shared_address, tmp_path, redis, 2) as server:
        before = wait_for_workers(server, 2)
        async with Client(server.url) as client:
            one, two = await seated(client, board="4x6/99")
            async with one.connect() as maker, two.connect() as breaker:
                await maker.set_secret((1, 2, 3, 4))
                for victim in before:
                    await breaker.guess((5, 5, 6, 6))
                    os.kill(victim, signal.SIGKILL)
                    await asyncio.to_thread(wait_for_workers, server, 2)
                await breaker.guess((5, 5, 6, 6))
        assert not wait_for_workers(server, 2) & before
        assert server.stop() == 0
    log = server.log.read_text()
    assert "a worker ended and is replaced" in log
    assert '"level": "error"' not in log


def test_sigterm_ends_every_worker(shared_address: str, tmp_path: Path) -> None:
    with serving(shared_address, tmp_path, None, 3) as server:
        children = wait_for_workers(server, 3)
        assert server.stop() == 0
        assert not any(map(psutil.pid_exists, children))


def test_workers_end_when_their_parent_is_killed(shared_address: str, tmp_path: Path) -> None:
    with serving(shared_address, tmp_path, None, 2) as server:
        children = [psutil.Process(pid) for pid in wait_for_workers(server, 2)]
        server.kill()
        _, alive = psutil.wait_procs(children, timeout=20)
        assert alive == []


def test_a_frozen_worker_is_killed_in_the_end(shared_address: str, tmp_path: Path) -> None:
    with serving(shared_address, tmp_path, None, 2) as server:
        frozen = wait_for_workers(server, 2).pop()
        os.kill(frozen, signal.SIGSTOP)
        assert server.stop() == 0
        assert not psutil.pid_exists(frozen)


def test_several_workers_on_sqlite_are_refused_with_the_reason(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/keypeg.db"
    options = ("serve", "--port", "0", "--database", database)
    line = refused(keypeg(*options, "--workers", "2"), 2)
    assert "2 workers need PostgreSQL: a SQLite file serves one process" in line
    line = refused(keypeg(*options, "--redis", "redis://x"), 2)
    assert "one process on SQLite needs none" in line


def test_workers_that_cannot_start_say_why_once() -> None:
    address = "postgresql://keypeg:hunter2@127.0.0.1:1/keypeg"
    options = ("--port", "0", "--workers", "3", "--database", address)
    line = refused(keypeg("serve", *options, KEYPEG_KEY="00" * 32))
    assert "PostgreSQL at 127.0.0.1:1 refused the connection" in line


def test_an_address_that_is_no_redis_is_refused(shared_address: str) -> None:
    options = ("--port", "0", "--database", shared_address, "--redis", "http://x:hunter2@y")
    line = refused(keypeg("serve", *options, KEYPEG_KEY="5a" * 32), 2)
    assert "Redis is given as redis://host:port" in line
    assert "hunter2" not in line


def test_a_redis_that_is_not_there_hinders_no_start(shared_address: str, tmp_path: Path) -> None:
    extra = {"KEYPEG_REDIS": "redis://127.0.0.1:1", "KEYPEG_KEY": "5a" * 32}
    with ServerProcess(shared_address, tmp_path, **extra) as server:
        assert server.stop() == 0
    assert not re.search(r'"level": "error"', server.log.read_text())


@pytest.mark.anyio
async def test_a_table_opened_before_the_upgrade_to_workers_goes_on(
    shared_address: str, tmp_path: Path
) -> None:
    with ServerProcess(shared_address, tmp_path, KEYPEG_KEY="5a" * 32) as alone:
        async with Client(alone.url) as client:
            one = await client.open_table(name="Ann")
        alone.stop()
    with serving(shared_address, tmp_path, None, 2) as server:
        async with Client(server.url) as client:
            two = await client.take_seat(one.table, Seat.TWO, "Bob")
            assert (await two.look()).status.seq == 2
        server.stop()
