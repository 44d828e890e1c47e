"""Backups, restoring and pruning, on real databases that are being played on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from harness.clients.sockets import greeted, raw, seated
from harness.databases import sqlite_address
from harness.faults.disks import fill, small_disk
from harness.forked import keypeg
from harness.programs import run
from harness.servers.in_process import running
from keypeg import maintenance
from keypeg import messages as wire
from keypeg.client import Client, Refused, play_series
from keypeg.contests.errors import NoSuchContest
from keypeg.contests.game import Contests, Plan
from keypeg.daily.codes import BOARDS, PURPOSE, Codes
from keypeg.daily.game import Daily
from keypeg.draw import draw_code
from keypeg.files import AlreadyExists
from keypeg.matches.commands import Guess, Open, SetSecret
from keypeg.matches.errors import NoSuchMatch
from keypeg.matches.live_match import LiveMatch
from keypeg.matches.matches import Matches
from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.rules.match.terms import MatchKind, MatchTerms
from keypeg.rules.notation import format_record, parse_record
from keypeg.store.daily_attempts import DailyAttempts
from keypeg.store.engines import parse_address
from keypeg.store.errors import Altered, NotEmpty, Served, Unreadable, WrongKey
from keypeg.store.paths import hold_alone, known_key
from keypeg.store.retention import Idle, Retention
from keypeg.store.sql import SqlLog
from keypeg.store.vault import key_from
from keypeg.table.clock import SystemClock
from keypeg.table.computer import THE_PLAYER
from keypeg.table.outages import Outages
from keypeg.table.records import public_records
from keypeg.table.soundness import Unsound
from tests.daily.clocks import SetClock
from tests.store.changes import change, change_with_the_key

KEY = "5a" * 32
DAY = 24 * 60 * 60 * 1000


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYPEG_KEY", KEY)


def quiet(_stage: str, _done: int, _of: int) -> None:
    pass


async def play(client: Client, **settings: Any) -> str:
    """A whole series of two games."""
    one, two = await seated(client, board="2x3/4", games=2, **settings)
    async with one.connect() as first, two.connect() as second:
        await asyncio.gather(
            play_series(first, lambda board, _: draw_code(board)),
            play_series(second, lambda board, _: draw_code(board)),
        )
    return one.table


async def begin(client: Client, **settings: Any) -> str:
    """A game with its secret set, not finished."""
    one, _ = await seated(client, board="4x6/99", **settings)
    async with one.connect() as maker:
        await maker.set_secret((1, 2, 3, 4))
    return one.table


async def attempted(log: SqlLog) -> object:
    """Two attempts at a daily code, one of them done."""
    daily, board = Daily(log, SetClock("2026-11-18 12:00")), BOARDS[0]
    first, *others = Codes(log.derive(PURPOSE)).opening(daily.today(), board).code
    await daily.guess(daily.today(), board, "a" * 64, ("x", (first, *others)))
    await daily.guess(daily.today(), board, "b" * 64, ("x", (first % 6 + 1, *others)))
    return await attempts(log)


async def attempts(log: SqlLog) -> object:
    stored = DailyAttempts(log)
    keys = await stored.keys()
    counts = {key[:2]: await stored.distribution(*key[:2]) for key in keys}
    return {key: await stored.read(key) for key in keys}, counts


async def contents(address: str) -> dict[str, Any]:
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    try:
        return {name: (card, await log.read(name)) for name, card in (await log.cards()).items()}
    finally:
        await log.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def other_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A second empty database."""
    if request.param == "sqlite":
        (tmp_path / "other").mkdir()
        return sqlite_address(tmp_path / "other")
    server = request.getfixturevalue("postgresql")
    server.psql("DROP DATABASE IF EXISTS other; ")
    server.psql("CREATE DATABASE other; ")
    return str(server.get_uri(database="other"))


@pytest.mark.anyio
async def test_a_backup_of_either_database_restores_into_either(
    address: str, other_address: str, tmp_path: Path
) -> None:
    file = tmp_path / "monday.backup"
    async with running(address) as server, Client(server.url) as client:
        await play(client)
        table = await begin(client, public=True)
        played = await attempted(server.application.services.log)
        kept = await maintenance.backup(address, file, quiet)
    assert (kept.tables, kept.attempts) == (2, 2)
    assert await maintenance.restore(file, other_address, quiet) == kept
    assert await contents(other_address) == await contents(address)
    log = await SqlLog.open(other_address, bytes.fromhex(KEY))
    assert await attempts(log) == played
    await log.close()
    async with running(other_address) as server, Client(server.url) as client:
        assert (await client.watch(table).look()).status.seq == 3


@pytest.mark.anyio
async def test_a_backup_while_moves_are_made_is_one_moment_of_them(
    address: str, tmp_path: Path
) -> None:
    """Every table in it is a prefix of what it became."""
    async with running(address) as server, Client(server.url) as client:
        tables = [await begin(client) for _ in range(3)]
        playing = asyncio.gather(*(play(client) for _ in range(6)))
        taken = 0
        while not playing.done():
            await maintenance.backup(address, tmp_path / f"{taken}.backup", quiet)
            taken += 1
        await playing
    after = await contents(address)
    for number in range(taken):
        restored = sqlite_address(tmp_path / f"restored{number}")
        await maintenance.restore(tmp_path / f"{number}.backup", restored, quiet)
        then = await contents(restored)
        assert set(tables) <= set(then)
        for name, (_, log) in then.items():
            assert log == after[name][1][: len(log)]


@pytest.mark.anyio
async def test_a_backup_overwrites_nothing_and_leaves_nothing_behind(
    address: str, tmp_path: Path
) -> None:
    await (await SqlLog.open(address, bytes.fromhex(KEY))).close()
    folder = tmp_path / "backups"
    folder.mkdir()
    file = folder / "x.backup"
    await maintenance.backup(address, file, quiet)
    before = file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(AlreadyExists, match="does not overwrite"):
        await maintenance.backup(address, file, quiet)
    assert file.read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["x.backup"]


@pytest.mark.anyio
async def test_a_backup_is_restored_into_an_empty_database_only(
    address: str, tmp_path: Path
) -> None:
    async with running(address) as server, Client(server.url) as client:
        await begin(client)
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    with pytest.raises(NotEmpty, match="not empty: it has 1 table"):
        await maintenance.restore(file, address, quiet)


@pytest.mark.anyio
async def test_a_database_that_was_pruned_bare_is_empty(address: str, tmp_path: Path) -> None:
    async with running(address) as server, Client(server.url) as client:
        table = await begin(client, turn_seconds=600)
        await server.application.services.log.heartbeat(1)
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    async with aged(address, {table: 100}):
        await maintenance.prune(address, 90, 30, None, quiet, daily=90, contests=90)
    await maintenance.restore(file, address, quiet)
    assert set(await contents(address)) == {table}


async def beat_of(address: str) -> int | None:
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    try:
        return await log.last_heartbeat()
    finally:
        await log.close()


async def backup_with_a_running_turn(folder: Path) -> Path:
    """Made of a server that was last alive in 1970."""
    address, file = sqlite_address(folder / "source"), folder / "x.backup"
    async with running(address) as server, Client(server.url) as client:
        await begin(client, turn_seconds=600)
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    await log.heartbeat(1)
    await log.close()
    await maintenance.backup(address, file, quiet)
    return file


@pytest.mark.anyio
async def test_a_database_that_a_server_has_open_is_not_restored_into(
    address: str, tmp_path: Path
) -> None:
    """It would note its own heartbeat over the restored one, and flag the turns that ran then."""
    file = await backup_with_a_running_turn(tmp_path)
    async with running(address):
        with pytest.raises(Served, match="stop that first"):
            await maintenance.restore(file, address, quiet)
        assert await contents(address) == {}
    assert (await maintenance.restore(file, address, quiet)).tables == 1
    assert await beat_of(address) == 1


@pytest.mark.anyio
async def test_a_sqlite_file_is_not_served_while_a_backup_is_put_into_it(tmp_path: Path) -> None:
    file, address = await backup_with_a_running_turn(tmp_path), sqlite_address(tmp_path)
    refused = []

    def told(_stage: str, _done: int, _of: int) -> None:
        if Path(f"{tmp_path}/keypeg.db").exists():
            with pytest.raises(Served):
                hold_alone(parse_address(address))
            refused.append(_stage)

    await maintenance.restore(file, address, told)
    assert set(refused) == {"restoring", "verifying"}


@pytest.mark.anyio
async def test_a_server_that_starts_while_postgresql_is_restored_waits_for_the_heartbeat(
    shared_address: str, tmp_path: Path
) -> None:
    file = await backup_with_a_running_turn(tmp_path)
    waited = []

    async def read_heartbeat() -> None:
        connection = await asyncpg.connect(shared_address)
        try:
            await connection.execute("BEGIN; LOCK TABLE facts IN ACCESS SHARE MODE NOWAIT")
        finally:
            await connection.close()

    def told(stage: str, _done: int, _of: int) -> None:
        if stage == "restoring":
            with (
                ThreadPoolExecutor() as threads,
                pytest.raises(asyncpg.LockNotAvailableError),
            ):
                threads.submit(asyncio.run, read_heartbeat()).result()
            waited.append(stage)

    await maintenance.restore(file, shared_address, told)
    assert waited


@pytest.mark.anyio
async def test_a_server_that_came_while_postgresql_was_restored_undoes_it(
    shared_address: str, tmp_path: Path
) -> None:
    """One that had read the old heartbeat before the database was held."""
    file = await backup_with_a_running_turn(tmp_path)

    async def come() -> None:
        connection = await asyncpg.connect(shared_address)
        await connection.execute(f"INSERT INTO processes VALUES ('late', {2**60})")
        await connection.close()

    def told(stage: str, _done: int, _of: int) -> None:
        if stage == "restoring":
            with ThreadPoolExecutor() as threads:
                threads.submit(asyncio.run, come()).result()

    with pytest.raises(Served, match="stop that first"):
        await maintenance.restore(file, shared_address, told)
    assert await contents(shared_address) == {}


@pytest.mark.anyio
async def test_the_key_is_not_in_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, or with another, nothing is restored and no key is made."""
    address = sqlite_address(tmp_path)
    async with running(address) as server, Client(server.url) as client:
        await begin(client)
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    data = file.read_bytes()
    assert KEY.encode() not in data
    assert bytes.fromhex(KEY) not in data
    target = sqlite_address(tmp_path / "new")
    monkeypatch.delenv("KEYPEG_KEY")
    with pytest.raises(WrongKey, match="no backup contains it"):
        await maintenance.restore(file, target, quiet)
    assert known_key(parse_address(target)) is None
    monkeypatch.setenv("KEYPEG_KEY", "a5" * 32)
    with pytest.raises(WrongKey, match="KEYPEG_KEY is not the key of this backup"):
        await maintenance.restore(file, target, quiet)
    monkeypatch.delenv("KEYPEG_KEY")
    key = tmp_path / "keypeg.key"
    key_from(key)
    beside = sqlite_address(tmp_path).replace("keypeg.db", "new.db")
    with pytest.raises(WrongKey, match=f"{key} is not the key of this backup; put that there"):
        await maintenance.restore(file, beside, quiet)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entries SET payload ="
        " CAST(replace(CAST(payload AS TEXT), '\"code\":[', '\"code\":[9,') AS BLOB)",
        "DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)",
        "UPDATE tables SET stage = 'waiting'",
        "UPDATE tables SET stage = 'nowhere'",
        "UPDATE entries SET seat = 'nobody'",
        "INSERT OR REPLACE INTO facts VALUES ('last-beat', CAST('garbage' AS BLOB))",
        "INSERT OR REPLACE INTO facts VALUES ('last-beat', CAST('-1' AS BLOB))",
        "DELETE FROM facts",
    ],
)
@pytest.mark.anyio
async def test_a_damaged_backup_is_refused(tmp_path: Path, damage: str) -> None:
    address = sqlite_address(tmp_path)
    async with running(address) as server, Client(server.url) as client:
        await play(client)
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(damage)
        connection.commit()
    with pytest.raises(KeypegError):
        await maintenance.restore(file, sqlite_address(tmp_path / "new"), quiet)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("forgery", "why"),
    [
        ("UPDATE entries SET seat = 'two' WHERE seat = 'one' AND seq = 3", "only the maker"),
        (
            "UPDATE entries SET payload = CAST(replace(CAST(payload AS TEXT),"
            ' \'"name":"\', \'"name":"\\u001b[31m\') AS BLOB)',
            "is not a valid name",
        ),
    ],
)
@pytest.mark.anyio
async def test_a_backup_of_what_no_table_would_have_written_is_refused(
    tmp_path: Path, forgery: str, why: str
) -> None:
    """Even if every MAC is right, as in a backup of an older version."""
    address = sqlite_address(tmp_path)
    async with running(address) as server, Client(server.url) as client:
        await begin(client)
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    log = await SqlLog.open(f"sqlite:///{file}", bytes.fromhex(KEY))
    await change_with_the_key(log, forgery)
    await log.close()
    with pytest.raises(Unsound, match=why):
        await maintenance.restore(file, sqlite_address(tmp_path / "new"), quiet)
    assert not (tmp_path / "new").exists()


@pytest.mark.anyio
async def test_something_else_is_no_backup(tmp_path: Path) -> None:
    text, live = tmp_path / "text", tmp_path / "keypeg.db"
    text.write_text("hello" * 1000)
    await (await SqlLog.open(sqlite_address(tmp_path), bytes.fromhex(KEY))).close()
    for path in (text, live):
        with pytest.raises(CannotRead, match="is not a backup"):
            await maintenance.restore(path, sqlite_address(tmp_path / "new"), quiet)


@asynccontextmanager
async def aged(address: str, days: dict[str, int]) -> AsyncIterator[None]:
    """Let tables be older than they are."""
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    statement = "UPDATE entries SET at = at - {} WHERE table_id = '{}'"
    await change_with_the_key(
        log, *(statement.format(age * DAY, name) for name, age in days.items())
    )
    await log.close()
    yield


@pytest.mark.anyio
async def test_old_tables_are_exported_and_pruned(address: str, tmp_path: Path) -> None:
    async with running(address) as server, Client(server.url) as client:
        old, young = await play(client), await play(client)
        left, listed = await begin(client), await begin(client, public=True)
    folder = tmp_path / "finished"
    ages = {old: 100, left: 100, listed: 100}
    async with aged(address, ages):
        looked = await maintenance.prune(
            address, 90, 30, folder, quiet, daily=90, contests=90, only_look=True
        )
        assert looked == (1, 2, 0, (), 0, 0, 0, ())
        assert len(await contents(address)) == 4
        pruned = await maintenance.prune(address, 90, 30, folder, quiet, daily=90, contests=90)
        assert pruned == (1, 2, 1, (), 0, 0, 0, ())
    assert set(await contents(address)) == {young}
    [file] = folder.iterdir()
    assert file.stem == old
    assert file.stat().st_mode & 0o077 == 0
    record = parse_record(file.read_text("utf-8"))
    assert record.replay().over


@pytest.mark.anyio
async def test_refused_tables_are_listed_and_removed_and_the_others_stay(
    address: str, tmp_path: Path
) -> None:
    async with running(address) as server, Client(server.url) as client:
        bad, good = await play(client), await play(client)
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    await change(log, f"UPDATE entries SET at = at - {100 * DAY} WHERE table_id = '{bad}'")
    with pytest.raises(Altered, match=f"table {bad}: entry 1 "):
        await maintenance.backup(address, tmp_path / "x.backup", quiet)
    kept = await maintenance.prune(address, 90, 30, tmp_path, quiet, daily=90, contests=90)
    assert kept[:3] == (0, 0, 0)
    assert f"table {bad} is kept, not exported: table {bad}: entry 1" in kept.not_exported[0]
    for only_look in (True, False):
        pruned = await maintenance.prune(
            address, None, 30, None, quiet, daily=90, contests=90, refused=True, only_look=only_look
        )
        assert pruned[:4] == (0, 0, 0, ())
        [reason] = pruned.refused
        assert f"table {bad}: entry 1 " in reason
    await log.close()
    assert set(await contents(address)) == {good}
    assert (await maintenance.backup(address, tmp_path / "x.backup", quiet)).tables == 1


@pytest.mark.anyio
async def test_tables_that_nobody_plays_on_expire_and_finished_ones_stay(address: str) -> None:
    async with running(address) as server, Client(server.url) as client:
        finished, young = await play(client), await begin(client)
        left, listed = await begin(client), await begin(client, public=True)
        waiting = (await client.open_table()).table
    ages = {finished: 1000, young: 29, left: 31, listed: 31, waiting: 31}
    async with aged(address, ages):
        pruned = await maintenance.prune(address, None, 30, None, quiet, daily=90, contests=90)
        assert pruned == (0, 3, 0, (), 0, 0, 0, ())
    assert set(await contents(address)) == {finished, young}


@pytest.mark.anyio
async def test_a_table_whose_export_is_in_the_way_is_kept_and_the_others_go(
    address: str, tmp_path: Path
) -> None:
    async with running(address) as server, Client(server.url) as client:
        foreign, folder, old = [await play(client) for _ in range(3)]
    (tmp_path / f"{foreign}.txt").write_bytes(b"something else \xff")
    (tmp_path / f"{folder}.txt").mkdir()
    async with aged(address, {foreign: 102, folder: 101, old: 100}):
        pruned = await maintenance.prune(address, 90, 30, tmp_path, quiet, daily=90, contests=90)
    assert pruned[:3] == (1, 0, 1)
    assert [reason.split()[1] for reason in pruned.not_exported] == [foreign, folder]
    assert "has other contents" in pruned.not_exported[0]
    assert set(await contents(address)) == {foreign, folder}
    assert (tmp_path / f"{foreign}.txt").read_bytes() == b"something else \xff"
    assert parse_record((tmp_path / f"{old}.txt").read_text("utf-8")).replay().over


@pytest.mark.parametrize("length", [0, 40, None])
@pytest.mark.anyio
async def test_an_export_that_ended_half_way_is_made_again(
    address: str, tmp_path: Path, length: int | None
) -> None:
    """By a crash before the end, or before the table was removed."""
    async with running(address) as server, Client(server.url) as client:
        old = await play(client)
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    whole = "\n".join(map(format_record, public_records(old, await log.read(old)))).encode()
    await log.close()
    (tmp_path / f"{old}.txt").write_bytes(whole[:length])
    async with aged(address, {old: 100}):
        pruned = await maintenance.prune(address, 90, 30, tmp_path, quiet, daily=90, contests=90)
        assert pruned == (1, 0, 1, (), 0, 0, 0, ())
    assert (tmp_path / f"{old}.txt").read_bytes() == whole
    assert await contents(address) == {}


def test_a_disk_with_no_room_for_an_export_does_not_hinder_the_next_prune(
    shared_address: str, tmp_path: Path
) -> None:
    """PostgreSQL writes elsewhere; here no file may be longer than nothing."""
    asyncio.run(_one_old_series(shared_address))
    folder = tmp_path / "finished"
    command = ["prune", "--older-than", "90", "--export", str(folder)]
    command += ["--database", shared_address, "--json"]
    full = started(("sh", "-c", 'ulimit -f 0; exec "$@"', "sh"), *command)
    assert full.returncode == 1
    assert "is kept, not exported: File too large" in full.stderr
    assert json.loads(full.stdout)["finished"] == 0
    assert list(folder.iterdir()) == []
    after = keypeg(*command)
    assert after.returncode == 0
    assert json.loads(after.stdout)["exported"] == 1
    assert len(list(folder.iterdir())) == 1


def test_a_disk_with_no_room_for_a_backup_is_named_and_left_clean(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    asyncio.run(_one_series(address))
    with small_disk(tmp_path / "disk") as disk:
        for room in (0, 40_000, 80_000):  # fails at once, while copying, and while verifying
            fill(disk / "ballast")
            os.truncate(disk / "ballast", max(0, (disk / "ballast").stat().st_size - room))
            said = keypeg("backup", disk / "x.backup", "--database", address)
            assert (said.returncode, said.stdout) == (1, "")
            assert said.stderr.startswith(f"keypeg: {disk}/x.backup: the disk is full; ")
            assert said.stderr.count("\n") == 1
            assert [path.name for path in disk.iterdir()] == ["ballast"]


def test_a_backup_makes_no_folders(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    asyncio.run(_one_series(address))
    said = keypeg("backup", tmp_path / "nowhere" / "x", "--database", address)
    assert said.returncode == 1
    assert said.stderr == f"keypeg: {tmp_path}/nowhere/x: No such file or directory\n"
    assert not (tmp_path / "nowhere").exists()


def traced(folder: Path, *arguments: str) -> list[str]:
    """What a command has the disk do, in order."""
    assert shutil.which("strace"), "apt-get install strace"
    trace = folder / "trace"
    calls = "fsync,link,linkat,pwrite64"
    said = started(("strace", "-f", "-y", "-e", calls, "-o", str(trace)), *arguments)
    assert said.returncode == 0, said.stderr
    return trace.read_text().splitlines()


def place_of(calls: list[str], pattern: str) -> int:
    """The first call of a kind."""
    found = [number for number, call in enumerate(calls) if re.search(pattern, call)]
    assert found, pattern
    return found[0]


def test_an_export_is_on_disk_before_its_table_goes(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    asyncio.run(_one_old_series(address))
    folder = tmp_path / "all" / "finished"
    options = ("--older-than", "90", "--export", str(folder), "--database", address)
    calls = traced(tmp_path, "prune", *options)
    steps = (
        rf"fsync\(\d+<{tmp_path}>",
        rf"fsync\(\d+<{folder.parent}>",
        rf"fsync\(\d+<{folder}/\.",
        r"link.*\.txt\"",
        rf"fsync\(\d+<{folder}>",
        r"pwrite64\(\d+<[^>]*keypeg\.db-wal>",
    )
    places = [place_of(calls, step) for step in steps]
    assert places == sorted(places)


def test_a_backup_is_on_disk_when_it_has_its_name(tmp_path: Path) -> None:
    address, folder = sqlite_address(tmp_path), tmp_path / "backups"
    asyncio.run(_one_series(address))
    folder.mkdir()
    calls = traced(tmp_path, "backup", str(folder / "x.backup"), "--database", address)
    linked = place_of(calls, r"link.*x\.backup\"")
    assert re.search(rf"fsync\(\d+<{folder}/\.x\.backup\.\w+>", calls[linked - 1])
    assert re.search(rf"fsync\(\d+<{folder}>", calls[linked + 1])


@pytest.mark.anyio
async def test_a_table_that_has_gone_on_is_not_pruned(address: str, tmp_path: Path) -> None:
    async with running(address) as server, Client(server.url) as client:
        old = await play(client)
    async with aged(address, {old: 100}):
        retention = Retention(address)
        [idle] = await retention.finished(time.time_ns() // 1_000_000 - 90 * DAY)
    async with aged(address, {old: -100}):
        assert not await retention.remove(idle)
        # Its export would be in the way of a later one.
        log = await SqlLog.open(address, bytes.fromhex(KEY))
        assert not await maintenance._take_out(idle, log, retention, tmp_path)
        assert list(tmp_path.glob("*.txt")) == []
        await log.close()
    await retention.close()
    assert set(await contents(address)) == {old}


class Overtaken(Retention):
    """Another prune removes the table just before this one would."""

    async def remove(self, idle: Idle) -> bool:
        await super().remove(idle)
        return await super().remove(idle)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.anyio
async def test_the_export_of_a_table_that_another_prune_removed_stays(
    address: str, tmp_path: Path, times: int
) -> None:
    async with running(address) as server, Client(server.url) as client:
        old = await play(client)
    async with aged(address, {old: 100}):
        retention = Overtaken(address)
        log = await SqlLog.open(address, bytes.fromhex(KEY))
        [idle] = await retention.finished(time.time_ns() // 1_000_000 - 90 * DAY)
        for _ in range(times):
            assert not await maintenance._take_out(idle, log, retention, tmp_path)
        await retention.close()
        await log.close()
    assert [path.stem for path in tmp_path.glob("*.txt")] == [old]


def started(before: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program under another."""
    return run([*before, sys.executable, "-m", "keypeg", *arguments])


def test_the_commands_answer_people_and_machines(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    asyncio.run(_one_series(address))
    file = str(tmp_path / "x.backup")
    said = keypeg("backup", file, "--database", address)
    assert "1 table, " in said.stdout
    assert "verified; without the key" in said.stdout
    again = keypeg("backup", file, "--database", address)
    assert (again.returncode, again.stdout) == (1, "")
    assert "does not overwrite" in again.stderr
    target = sqlite_address(tmp_path / "new")
    restored = json.loads(keypeg("restore", file, "--database", target, "--json").stdout)
    assert restored["tables"] == 1
    pruned = keypeg("prune", "--dry-run", "--database", target, "--json")
    assert json.loads(pruned.stdout) == {
        "finished": 0,
        "abandoned": 0,
        "exported": 0,
        "not_exported": [],
        "attempts": 0,
        "contests": 0,
        "matches": 0,
        "refused": [],
        "dry_run": True,
    }
    nothing = keypeg("prune", "--export", str(tmp_path), "--database", target)
    assert nothing.returncode == 2
    assert "it needs --older-than" in nothing.stderr


async def _one_series(address: str) -> None:
    async with running(address) as server, Client(server.url) as client:
        await play(client)


async def _one_old_series(address: str) -> None:
    await _one_series(address)
    [old] = await contents(address)
    async with aged(address, {old: 100}):
        pass


@pytest.mark.parametrize("command", [("backup", "x.backup"), ("prune",)])
def test_a_database_that_is_not_there_is_named_before_its_key_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.delenv("KEYPEG_KEY")
    monkeypatch.chdir(tmp_path)
    missing = keypeg(*command, "--database", f"sqlite:///{tmp_path}/none.db")
    assert missing.returncode == 1
    assert f"there is no database {tmp_path}/none.db" in missing.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("backup", "x.backup"), ("prune",)])
def test_a_file_that_is_no_database_is_named_before_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.delenv("KEYPEG_KEY")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saturday.txt").write_text("bread, milk, a new Mastermind")
    wrong = keypeg(*command, "--database", f"sqlite:///{tmp_path}/saturday.txt")
    assert wrong.returncode == 1
    assert "saturday.txt is not a SQLite database" in wrong.stderr


def test_prune_names_a_wrong_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = sqlite_address(tmp_path)
    asyncio.run(_one_series(address))
    monkeypatch.setenv("KEYPEG_KEY", "a5" * 32)
    wrong = keypeg("prune", "--database", address)
    assert wrong.returncode == 1
    assert "KEYPEG_KEY is not the key of this database" in wrong.stderr


@pytest.mark.anyio
async def test_a_table_pruned_under_a_server_is_no_more(address: str) -> None:
    async with running(address) as server, Client(server.url) as client:
        one, _ = await seated(client, board="4x6/99")
        async with aged(address, {one.table: 100}):
            pruned = await maintenance.prune(address, 90, 30, None, quiet, daily=90, contests=90)
            assert pruned.abandoned == 1
        path = f"/api/tables/{one.table}/commands"
        secret = wire.SetSecret(id="s", code=(1, 2, 3, 4))
        with pytest.raises(Refused, match="has been removed"):
            await client.post(path, secret, wire.Ack, one.token)
        with pytest.raises(Refused, match="no such table"):
            await one.look()


@pytest.mark.anyio
async def test_sockets_at_a_table_that_was_pruned_are_closed_and_say_why(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.table.tables.LOOK_SECONDS", 0.1)
    async with running(address) as server, Client(server.url) as client:
        one, _ = await seated(client, turn_seconds=600)
        kept, _ = await seated(client)
        spectator = client.watch(one.table)
        late = await one.ticket()
        async with (
            greeted(server.port, one) as player,
            greeted(server.port, spectator) as watcher,
            greeted(server.port, kept) as other,
        ):
            for socket in (player, watcher, other):
                await socket.hear_a(wire.Present)
            async with aged(address, {one.table: 100}):
                assert (
                    await maintenance.prune(address, 90, 30, None, quiet, daily=90, contests=90)
                ).abandoned == 1
            assert [await player.closed(), await watcher.closed()] == [4004, 4004]
            for place in (one, spectator):
                with pytest.raises(Refused, match="no such table"):
                    await place.look()
            async with raw(server.port) as socket:
                await socket.say(wire.Hello(ticket=late))
                assert (await socket.hear_a(wire.Error)).code == "no-such-table"
                assert await socket.closed() == 4004
            await other.say(wire.SetSecret(id="s", code=(1, 2, 3, 4)))
            await other.hear_a(wire.Ack)


@pytest.mark.anyio
async def test_old_attempts_at_daily_codes_are_pruned_and_their_counts_stay(
    address: str, tmp_path: Path
) -> None:
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    await attempted(log)
    now = time.time_ns() // 1_000_000
    ages = f"CASE needed WHEN 1 THEN {now - 91 * DAY} ELSE {now - 89 * DAY} END"
    await change(log, f"UPDATE daily_attempts SET changed = {ages}")
    for only_look in (True, False):
        found = await maintenance.prune(
            address, None, 30, None, quiet, daily=90, contests=90, only_look=only_look
        )
        assert found.attempts == 1
    stored = DailyAttempts(log)
    (left,) = await stored.keys()
    assert left.holder == "b" * 64
    assert await stored.distribution(*left[:2]) == {1: 1}
    file = tmp_path / "x.backup"
    await maintenance.backup(address, file, quiet)
    for daily, held in ((90, "1 daily attempt"), (1, "1 daily count")):
        await maintenance.prune(address, None, 30, None, quiet, daily=daily, contests=90)
        with pytest.raises(NotEmpty, match=f"not empty: it has {held}"):
            await maintenance.restore(file, address, quiet)
    await log.close()


async def contested(log: SqlLog, clock: SetClock) -> dict[str, Any]:
    """A contest of two codes, in which one entrant is done with the first code, and one is not."""
    contests, board = Contests(log, clock), BOARDS[0]
    codes = ((1, 2, 3, 4), (4, 3, 2, 1))
    made = await contests.create("a" * 64, "x", Plan(board, codes, computers=("strong",)))
    id_ = made.contest.id
    for holder, code in (("b" * 64, (1, 2, 3, 4)), ("c" * 64, (1, 2, 3, 3))):
        await contests.enter(id_, holder, None)
        await contests.guess(id_, 1, holder, ("x", code))
    await contests.watch(id_, "d" * 64)
    return {holder * 64: await contests.look(id_, holder * 64) for holder in "abcd"}


@pytest.mark.anyio
async def test_contests_are_backed_up_restored_and_played_on(
    address: str, other_address: str, tmp_path: Path
) -> None:
    clock, file = SetClock("2026-11-18 12:00"), tmp_path / "monday.backup"
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    seen = await contested(log, clock)
    kept = await maintenance.backup(address, file, quiet)
    assert kept.contests == 1
    assert await maintenance.restore(file, other_address, quiet) == kept
    with pytest.raises(NotEmpty, match="not empty: it has 1 contest;"):
        await maintenance.restore(file, address, quiet)
    await log.close()
    log = await SqlLog.open(other_address, bytes.fromhex(KEY))
    contests = Contests(log, clock)
    for holder, one in seen.items():
        assert await contests.look(one.contest.id, holder) == one
    row, _ = await contests.guess(one.contest.id, 1, "c" * 64, ("y", (1, 2, 3, 4)))
    assert row == 2
    await log.close()


@pytest.mark.anyio
async def test_contests_in_which_nobody_has_played_for_long_are_pruned(address: str) -> None:
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    seen = await contested(log, SetClock("2026-11-18 12:00"))
    now = time.time_ns() // 1_000_000
    old, young = now - 91 * DAY, now - 89 * DAY
    for created, closes, changed, gone in (
        (old, "NULL", young, 0),
        (old, now + DAY, old, 0),
        (young, "NULL", old, 0),
        (old, old + 1, old, 1),
    ):
        await change(
            log,
            f"UPDATE contests SET created = {created}, closes = {closes}",
            f"UPDATE contest_attempts SET changed = {changed}",
        )
        for only_look in (True, False):
            found = await maintenance.prune(
                address, None, 30, None, quiet, daily=90, contests=90, only_look=only_look
            )
            assert found.contests == gone
    with pytest.raises(NoSuchContest):
        await Contests(log, SetClock("2026-11-18 12:00")).look(seen["a" * 64].contest.id, "a" * 64)
    await log.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE contest_rows SET black = 0 WHERE black = 4",
        "UPDATE contest_attempts SET needed = 2 WHERE needed = 1",
        "UPDATE contest_attempts SET needed = NULL",
        "UPDATE contests SET board = 'advanced'",
        "UPDATE contests SET board = '4x'",
        "UPDATE contest_codes SET seal = replace(seal, substr(seal, 1, 1), 'x')",
        "UPDATE contests SET board = ' classic '",
        "UPDATE contests SET name = 'a' || char(10)",
        "UPDATE contests SET created = -5, closes = NULL",
        "UPDATE contests SET closes = 900000000000000000",
        "UPDATE contests SET created = 1, closes = 2",
        "UPDATE contests SET drawn = 0, setter = (SELECT max(holder) FROM contest_entrants)",
        "UPDATE contest_entrants SET name = 'a' || char(27) || '[31m'",
        "UPDATE contest_entrants SET name = printf('%.100c', 'x')",
        "INSERT INTO contest_entrants SELECT id, 7, printf('%064d', 7), NULL FROM contests",
        "UPDATE contest_attempts SET begun = -1",
        "UPDATE contest_attempts SET loss = 99999999 WHERE needed IS NOT NULL",
        "UPDATE contest_rows SET guess_id = '<b>' WHERE row = 1",
    ],
)
async def test_a_contest_that_was_tampered_with_is_not_backed_up(
    tmp_path: Path, damage: str
) -> None:
    address = sqlite_address(tmp_path)
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    seen = await contested(log, SetClock("2026-11-18 12:00"))
    await change(log, damage)
    await log.close()
    with pytest.raises(Unreadable, match=f"contest {seen['a' * 64].contest.id} is damaged"):
        await maintenance.backup(address, tmp_path / "x.backup", quiet)


async def matched(log: SqlLog) -> LiveMatch:
    """A duel in which one player has set a code, and the other one a row as well."""
    clock = SystemClock()
    matches = Matches(log, clock, THE_PLAYER, Outages(clock))
    terms = MatchTerms(MatchKind.DUEL, BOARDS[0], row_seconds=86_400)
    match = await matches.open("x", Open(terms, "a" * 64, "Ann"))
    await match.join("b" * 64, None)
    await match.handle(1, "x", SetSecret((1, 2, 3, 4)), clock.now())
    await match.handle(2, "x", SetSecret((4, 3, 2, 1)), clock.now())
    await match.handle(2, "y", Guess(1, (1, 1, 2, 2)), clock.now())
    return match


@pytest.mark.anyio
async def test_matches_are_backed_up_restored_and_played_on(
    address: str, other_address: str, tmp_path: Path
) -> None:
    file = tmp_path / "monday.backup"
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    match = await matched(log)
    kept = await maintenance.backup(address, file, quiet)
    assert kept.matches == 1
    assert await maintenance.restore(file, other_address, quiet) == kept
    with pytest.raises(NotEmpty, match="not empty: it has 1 match;"):
        await maintenance.restore(file, address, quiet)
    state = match.state
    await match.close()
    await log.close()
    log, clock = await SqlLog.open(other_address, bytes.fromhex(KEY)), SystemClock()
    there = await Matches(log, clock, THE_PLAYER, Outages(clock)).get(match.id)
    assert there.state == state
    assert await there.handle(2, "y", Guess(1, (1, 1, 2, 2)), clock.now()) == state.seq_for(2)
    await there.handle(2, "z", Guess(2, (1, 2, 3, 4)), clock.now())
    assert there.state.match.player(2).broken
    await there.close()
    await log.close()


@pytest.mark.anyio
async def test_matches_in_which_nothing_has_happened_for_long_are_pruned(address: str) -> None:
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    match = await matched(log)
    now = time.time_ns() // 1_000_000
    old, young = now - 91 * DAY, now - 89 * DAY
    for changed, due, gone in ((old, now, 0), (young, "NULL", 0), (old, "NULL", 1)):
        await change(log, f"UPDATE matches SET changed = {changed}, due = {due}")
        for only_look in (True, False):
            found = await maintenance.prune(
                address, None, 30, None, quiet, daily=90, contests=90, only_look=only_look
            )
            assert found.matches == gone
    with pytest.raises(NoSuchMatch):
        await match.handle(1, "y", Guess(1, (1, 1, 2, 2)), time.monotonic())
    await match.close()
    await log.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE matches SET stage = 'over'",
        "UPDATE matches SET due = NULL",
        "UPDATE matches SET seq = 4",
        "UPDATE match_entries SET at = at + 1 WHERE seq = 3",
        "UPDATE match_entries SET player = 3 WHERE seq = 3",
        "DELETE FROM match_entries WHERE seq = 5",
    ],
)
async def test_a_match_that_was_tampered_with_is_not_backed_up(tmp_path: Path, damage: str) -> None:
    address = sqlite_address(tmp_path)
    log = await SqlLog.open(address, bytes.fromhex(KEY))
    match = await matched(log)
    await match.close()
    await change(log, damage)
    await log.close()
    with pytest.raises(Unreadable, match=f"match {match.id}"):
        await maintenance.backup(address, tmp_path / "x.backup", quiet)
    for only_look in (True, False):
        pruned = await maintenance.prune(
            address,
            None,
            30,
            None,
            quiet,
            daily=90,
            contests=90,
            refused=True,
            only_look=only_look,
        )
        assert [match.id in wrong for wrong in pruned.refused] == [True]
    assert (await maintenance.backup(address, tmp_path / "y.backup", quiet)).matches == 0


@pytest.mark.anyio
async def test_an_attempt_that_was_tampered_with_is_not_backed_up(tmp_path: Path) -> None:
    for number, damage in enumerate(
        (
            "UPDATE daily_rows SET black = 0 WHERE black = 4",
            "UPDATE daily_attempts SET needed = 2 WHERE needed = 1",
            "UPDATE daily_attempts SET needed = NULL",
            "UPDATE daily_rows SET code = x'01010101' WHERE black = 4",
            "UPDATE daily_rows SET guess_id = '<b>' WHERE row = 1",
            "UPDATE daily_attempts SET changed = -1",
        )
    ):
        address = sqlite_address(tmp_path / str(number))
        log = await SqlLog.open(address, bytes.fromhex(KEY))
        await attempted(log)
        await change(log, damage)
        await log.close()
        with pytest.raises(Unreadable, match="of 2026-11-18 on classic is damaged"):
            await maintenance.backup(address, tmp_path / "x.backup", quiet)
