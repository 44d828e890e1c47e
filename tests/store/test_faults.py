"""Full disks, failing disks, lost databases: nothing is acknowledged that is not on disk."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from sqlalchemy import text

from harness import programs
from harness.databases import postgresql_address
from keypeg.store.errors import Moved, Unavailable, Unreadable
from keypeg.store.sql import SqlLog
from tests.stalling import stalling
from tests.store.changes import change
from tests.store.entries import KEY, WAITING, guessed, opened

pytestmark = pytest.mark.anyio


async def test_a_full_disk_refuses_and_takes_again_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "keypeg.store")
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    await _limit_pages(log, 40)
    written = await _fill(log)
    assert written > 10
    assert "the disk is full" in _trouble(log)
    with pytest.raises(Unavailable):
        await log.append(f"t{written}", opened(), WAITING)
    assert await log.read("t1") == [opened()]
    assert await log.read(f"t{written}") == []
    await _limit_pages(log, 100_000)
    await log.append(f"t{written}", opened(), WAITING)
    assert not _trouble(log)
    # Said once each, not for every write.
    away, back = caplog.records
    assert (away.message, back.message) == (
        "nothing can be written",
        "the database accepts writes again",
    )
    assert vars(away)["reason"] == "the database cannot be used now: the disk is full"
    assert len(await log.listed()) == 0
    await log.close()
    assert _integrity(tmp_path / "x.db") == "ok"


async def _fill(log: SqlLog) -> int:
    """How many tables could be opened before the disk was full."""
    for number in range(1_000):
        try:
            await log.append(f"t{number}", opened(), WAITING)
        except Unavailable as error:
            assert "the disk is full" in str(error)
            return number
    pytest.fail("the disk was never full")


def _trouble(log: SqlLog) -> str:
    return log.trouble or ""


async def _limit_pages(log: SqlLog, pages: int) -> None:
    await change(log, f"PRAGMA max_page_count = {pages}")


def _integrity(path: Path) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        connection.close()


FAILING_DISK = """
import asyncio, resource, sys
from keypeg.store.errors import Broken
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY, WAITING, opened

async def main():
    log = await SqlLog.open(sys.argv[1], KEY)
    await log.append("kept", opened(), WAITING)
    # From here on the file system refuses to let the WAL grow: write() fails, not for space.
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
    refused = 0
    for number in range(100):
        try:
            await log.append(f"t{number}", opened(), WAITING)
        except Broken:
            refused += 1
            # The disk works again, but what it holds is not to be trusted.
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        else:
            assert not refused, "acknowledged after the disk had failed"
    print("refused", refused)
    await log.close()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX")
async def test_after_a_failed_write_nothing_is_acknowledged_any_more(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/x.db"
    done = await asyncio.to_thread(
        programs.run,
        [sys.executable, "-c", FAILING_DISK, address],
    )
    assert "refused" in done.stdout, done.stderr
    assert int(done.stdout.split()[1]) > 10
    log = await SqlLog.open(address, KEY)
    assert await log.read("kept") == [opened()]
    await log.close()


async def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    file.write_bytes(b"this is not a database, but a long enough text" * 100)
    file.chmod(0o644)
    before = kept(file)
    with pytest.raises(Unreadable, match=f"{tmp_path}/x.db is not a SQLite database"):
        await SqlLog.open(f"sqlite:///{file}", alone=True)
    assert kept(file) == before
    assert [*tmp_path.iterdir()] == [file]


def kept(file: Path) -> tuple[int, int, bytes]:
    """What must stay as it is; to read a file changes when it was last read."""
    found = file.stat()
    return found.st_mode, found.st_mtime_ns, file.read_bytes()


async def test_a_database_that_is_damaged_behind_its_header_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0" + b"and something else" * 100)
    with pytest.raises(Unreadable, match=f"{tmp_path}/x.db is not a SQLite database"):
        await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)


async def test_a_lost_connection_is_found_again(postgresql: Any) -> None:
    address = await asyncio.to_thread(postgresql_address, postgresql)
    log = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    await _cut_connections(log)
    await log.append("t", guessed(2), None)
    assert len(await log.read("t")) == 2
    await log.close()


async def _cut_connections(log: SqlLog) -> None:
    async with log._readers.connect() as connection:
        await connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )


async def test_a_database_killed_and_restarted_loses_nothing_acknowledged(
    postgresql: Any,
) -> None:
    log = await SqlLog.open(await asyncio.to_thread(postgresql_address, postgresql), KEY)
    await log.append("t", opened(), WAITING)
    process = postgresql.get_postmaster_info().process
    process.kill()
    await asyncio.to_thread(process.wait, 20)
    with pytest.raises(Unavailable):
        await log.append("t", guessed(2), None)
    with pytest.raises(Unavailable):
        await log.read("t")
    await asyncio.to_thread(postgresql.ensure_postgres_running)
    entries = await log.read("t")
    assert entries[0] == opened()
    await log.append("t", guessed(len(entries) + 1), None)
    await log.close()


async def test_a_database_that_does_not_answer_is_not_waited_for(postgresql: Any) -> None:
    async with stalling(postgresql) as (address, line):
        log = await SqlLog.open(address, KEY, patience=0.5)
        await log.append("t", opened(), WAITING)
        await _answered(lambda: log.read("t"))
        made = line.connections
        line.stall()
        for call in (log.append("t", guessed(2), None), log.read("t"), log.heartbeat(1)):
            with pytest.raises(Unavailable, match="does not answer"):
                await asyncio.wait_for(call, 20)
        assert "does not answer" in _trouble(log)
        line.resume()
        await _answered(lambda: log.heartbeat(2))
        assert not _trouble(log)
        await _used_again(log)
        assert line.connections >= made + 2, "a connection that did not answer was used again"
        await log.close()


async def test_a_statement_that_is_never_answered_is_not_waited_for(postgresql: Any) -> None:
    async with stalling(postgresql) as (address, line), _rival(postgresql) as rival:
        log = await SqlLog.open(address, KEY, patience=0.5)
        await log.append("t", opened(), WAITING)
        made = line.connections
        async with rival.transaction():
            await rival.execute("LOCK TABLE entries IN ACCESS EXCLUSIVE MODE")
            call = asyncio.ensure_future(log.append("t", guessed(2), None))
            while not await rival.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
            line.stall()
            with pytest.raises(Unavailable, match="does not answer"):
                await asyncio.wait_for(call, 20)
        line.resume()
        await _used_again(log)
        assert line.connections > made, "a connection that did not answer was used again"
        await log.close()


async def test_what_processes_share_is_not_waited_for_either(postgresql: Any) -> None:
    async with stalling(postgresql) as (address, line):
        log = await SqlLog.open(address, KEY, patience=0.5)
        processes = log.processes("here")
        await _answered(lambda: processes.vouch(1))
        line.stall()
        for call in (processes.vouch(2), processes.look(["t"])):
            with pytest.raises(Unavailable, match="does not answer"):
                await asyncio.wait_for(call, 20)
        line.resume()
        assert await _answered(lambda: processes.vouch(3))
        await processes.close()
        await log.close()


async def _used_again(log: SqlLog) -> None:
    """Write and read as ever. What was given up may have been written nevertheless."""
    entries = await _answered(lambda: log.read("t"))
    assert entries[0] == opened()
    following = guessed(len(entries) + 1, "again")
    with contextlib.suppress(Moved):
        # A busy machine may be slower than half a second; then it is written by the next try.
        await _answered(lambda: log.append("t", following, None))
    assert (await _answered(lambda: log.read("t")))[-1] == following


async def _answered(call: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(Unavailable):
                return await call()


@asynccontextmanager
async def _rival(postgresql: Any) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(postgresql.get_uri())
    try:
        yield connection
    finally:
        await connection.close()
