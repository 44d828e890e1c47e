from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.util import await_only

from keypeg.rules.errors import CannotRead
from keypeg.store.engines import parse_address, reader_engine, writer_engine
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY, WAITING, guessed, opened

pytestmark = pytest.mark.anyio


async def test_postgresql_without_its_driver_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)  # as if it were not installed
    with pytest.raises(CannotRead, match=r"pip install 'keypeg\[postgres\]'"):
        await SqlLog.open("postgresql://keypeg@127.0.0.1:1/keypeg", KEY)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
        ("journal_size_limit", 64 * 2**20),
    ],
)
async def test_a_sqlite_connection_is_told_to_be_careful(
    tmp_path: Path, pragma: str, value: object
) -> None:
    url = parse_address(f"sqlite:///{tmp_path}/x.db")
    for engine in (writer_engine(url), reader_engine(url)):
        async with engine.connect() as connection:
            assert await connection.scalar(text(f"PRAGMA {pragma}")) == value
        await engine.dispose()


async def test_a_writer_holds_the_database_from_the_moment_it_begins(tmp_path: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    rival = sqlite3.connect(tmp_path / "x.db", timeout=0, isolation_level=None)

    def try_to_begin(_connection: Connection) -> None:
        other = sqlite3.connect(tmp_path / "x.db", timeout=0, isolation_level=None)
        with closing(other), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    await log._transactions.run(try_to_begin)
    rival.execute("BEGIN IMMEDIATE")
    rival.close()
    await log.close()


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    async with log._readers.connect() as connection:
        with pytest.raises(OperationalError, match="readonly"):
            await connection.execute(text("DELETE FROM facts"))
    await log.close()


async def test_a_reader_waits_for_no_writer_and_sees_only_what_is_committed(
    address: str,
) -> None:
    log = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    loop, read = asyncio.get_running_loop(), []

    async def read_meanwhile() -> None:
        read.append(await asyncio.wait_for(log.read("t"), 20))

    def change(connection: Connection) -> None:
        connection.execute(text("UPDATE tables SET stage = 'over'"))
        if log.shared:  # PostgreSQL's transactions run on the event loop
            await_only(read_meanwhile())
        else:
            asyncio.run_coroutine_threadsafe(read_meanwhile(), loop).result(30)

    await log._transactions.run(change)
    assert read == [[opened()]]
    await log.close()


async def test_a_long_read_does_not_hold_up_the_writer(address: str) -> None:
    log = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    async with log._readers.connect() as connection:
        await connection.execute(text("SELECT * FROM entries"))
        await asyncio.wait_for(log.append("t", guessed(2), None), 2)
    await log.close()
