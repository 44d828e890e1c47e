"""The file under a log is the one that was opened, and nobody else can read it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from keypeg.store.database_file import BESIDE, DatabaseFile
from keypeg.store.errors import Broken
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY, WAITING, guessed, opened

pytestmark = pytest.mark.anyio


def delete(path: Path) -> None:
    path.unlink()


def move_away(path: Path) -> None:
    path.rename(path.with_name("away"))


def replace_by_a_copy(path: Path) -> None:
    copy = Path(shutil.copy(path, path.with_name("copy")))
    copy.replace(path)


CHANGES = [
    *((what, "") for what in (delete, move_away, replace_by_a_copy)),
    *((delete, beside) for beside in BESIDE),
    (replace_by_a_copy, "-wal"),
]


@pytest.mark.parametrize(("what", "suffix"), CHANGES)
async def test_nothing_is_acknowledged_once_a_file_is_gone_or_replaced(
    tmp_path: Path, what: Callable[[Path], None], suffix: str
) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    await log.append("t", opened(), WAITING)
    what(tmp_path / f"x.db{suffix}")
    for _ in range(2):
        with pytest.raises(Broken, match=f"x.db{suffix} was deleted or replaced"):
            await log.append("t", guessed(2), None)
    with pytest.raises(Broken):
        await log.heartbeat(1)
    assert log.broken
    assert "deleted or replaced" in str(log.trouble)
    await log.close()
    assert (tmp_path / "x.db").exists() is (what is replace_by_a_copy or bool(suffix))


async def test_without_the_check_moves_would_be_acknowledged_and_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DatabaseFile, "check", lambda _self: None)
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    await log.append("t", opened(), WAITING)
    (tmp_path / "x.db").unlink()
    await log.append("t", guessed(2), None)
    log.look()
    assert not log.broken
    await log.close()


async def test_a_log_that_nobody_writes_to_finds_out_by_looking(tmp_path: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    found = []
    for change in (None, delete):
        if change is not None:
            change(tmp_path / "x.db")
        log.look()
        found.append(log.broken)
    assert found == [False, True]
    await log.close()


async def test_a_backup_and_a_second_program_leave_the_files_as_they_are(tmp_path: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    other = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    await log.append("t", opened(), WAITING)
    await other.append("t", guessed(2), None)
    await other.close()
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    await log.append("t", guessed(3), None)
    assert len(await log.read("t")) == 3
    await log.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    """A folder that anybody may read, made before keypeg came."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


async def test_only_the_owner_can_read_what_is_written(open_to_all: Path) -> None:
    before = os.umask(0)
    try:
        log = await SqlLog.open(f"sqlite:///{open_to_all}/x.db", alone=True)
        await log.append("t", opened(), WAITING)
        modes = {path.name: mode(path) for path in open_to_all.iterdir()}
        await log.close()
    finally:
        os.umask(before)
    names = {"x.db", "x.db-wal", "x.db-shm", "x.db-serving", "keypeg.key"}
    assert modes == dict.fromkeys(names, 0o600)


async def test_a_database_that_others_could_read_is_closed_to_them(open_to_all: Path) -> None:
    database = open_to_all / "x.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE other (id)")
        for path in open_to_all.iterdir():
            path.chmod(0o644)
        log = await SqlLog.open(f"sqlite:///{database}", KEY)
        assert {mode(database.with_name(f"x.db{more}")) for more in ("", *BESIDE)} == {0o600}
        await log.close()


async def test_it_says_so_if_others_can_read_it_for_good(
    open_to_all: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (open_to_all / "x.db").touch(0o644)
    (open_to_all / "x.db").chmod(0o644)
    monkeypatch.setattr(Path, "chmod", refused)
    await (await SqlLog.open(f"sqlite:///{open_to_all}/x.db", KEY)).close()
    said = [record.getMessage() for record in caplog.records]
    assert any("x.db can be read by others (mode 644)" in line for line in said)
