"""Whoever changes a log without the key is found out: every field, every entry, every order."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from keypeg.store.chain import Chain
from keypeg.store.errors import Altered, Moved, WrongKey
from keypeg.store.sql import SqlLog
from tests.store import evening
from tests.store.changes import change
from tests.store.entries import KEY, WAITING, guessed, opened
from tests.store.test_golden import GOLDEN

pytestmark = pytest.mark.anyio

FIELDS = ("at", "seat", "command_id", "payload", "mac")
_Row = dict[str, Any]
_Rows = list[_Row]


class Stored:
    """An older database that got its MACs, whose rows a test changes without the key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with closing(self._connect()) as connection:
            found = connection.execute("SELECT * FROM entries ORDER BY table_id, seq").fetchall()
            self.ends: dict[str, bytes] = dict(connection.execute("SELECT id, mac FROM tables"))
        self.rows: dict[str, _Rows] = {name: [] for name in self.ends}
        for row in map(dict, found):
            self.rows[row["table_id"]].append(row)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA ignore_check_constraints = ON")
        return connection

    def write(self, name: str, rows: _Rows, end: bytes | None = None) -> None:
        """Let a table have these rows, numbered anew, and this MAC instead of its own."""
        with closing(self._connect()) as connection:
            connection.execute("DELETE FROM entries WHERE table_id = ?", [name])
            for seq, row in enumerate(rows, 1):
                numbered = {**row, "table_id": name, "seq": seq, "previous": seq - 1 or None}
                places = ", ".join(f":{column}" for column in numbered)
                statement = f"INSERT INTO entries ({', '.join(numbered)}) VALUES ({places})"
                connection.execute(statement, numbered)
            put = [self.ends[name] if end is None else end, name]
            connection.execute("UPDATE tables SET mac = ? WHERE id = ?", put)
            connection.commit()


@pytest.fixture
async def stored(tmp_path: Path) -> Stored:
    path = Path(shutil.copy(GOLDEN / evening.DATABASE, tmp_path / "x.db"))
    log = await SqlLog.open(f"sqlite:///{path}", KEY)
    await log.close()
    return Stored(path)


def otherwise(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, int):
        return value + 1
    if value in ("one", "two", "table"):
        return "two" if value == "one" else "one"
    if isinstance(value, str):
        return value + "x"
    return bytes([value[0] ^ 1]) + value[1:]


def changed(rows: _Rows, other: _Rows) -> Iterator[tuple[str, int, _Rows]]:
    """Every single change of a log: its name, the entry where it begins, and the rows after it."""
    for at, row in enumerate(rows):
        for field in FIELDS:
            after = {**row, field: otherwise(row[field])}
            yield field, at + 1, [*rows[:at], after, *rows[at + 1 :]]
        yield "removed", min(at + 1, len(rows) - 1), [*rows[:at], *rows[at + 1 :]]
        copy = {**row, "command_id": "copy"}
        yield "doubled", at + 2, [*rows[: at + 1], copy, *rows[at + 1 :]]
        if at < len(other):
            yield "from another table", at + 1, [*rows[:at], other[at], *rows[at + 1 :]]
    for at in range(len(rows) - 1):
        yield "swapped", at + 1, [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]
    yield "another table", 1, other


async def test_every_change_of_a_log_is_noticed_and_the_entry_is_named(stored: Stored) -> None:
    log = await SqlLog.open(f"sqlite:///{stored.path}", KEY)
    name, other = "by-hand", "checked"
    rows, count = stored.rows[name], 0
    for what, at, forged in changed(rows, stored.rows[other]):
        if forged == rows or not forged:
            continue
        stored.write(name, forged)
        with pytest.raises(Altered, match=f"table {name}: entry {at} ") as found:
            await log.read(name)
        assert str(KEY) not in str(found.value), what
        count += 1
    assert count > 120
    assert len(await log.read(other)) == len(stored.rows[other])
    stored.write(name, rows)
    assert len(await log.read(name)) == len(rows)
    await log.close()


async def test_without_the_check_every_change_would_go_unnoticed(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Chain, "check_link", lambda _self, _previous, *row: row[-1])
    monkeypatch.setattr(Chain, "check_end", lambda *_: None)
    log = await SqlLog.open(f"sqlite:///{stored.path}", KEY)
    rows = stored.rows["by-hand"]
    for forged in (rows[:-1], [{**rows[0], "at": 1}, *rows[1:]]):
        stored.write("by-hand", forged)
        assert len(await log.read("by-hand")) == len(forged)
    await log.close()


async def test_an_end_that_was_removed_is_noticed_whatever_stands_in_its_place(
    stored: Stored,
) -> None:
    """Also where the MAC of the table is that of another, of an entry, or nothing."""
    log = await SqlLog.open(f"sqlite:///{stored.path}", KEY)
    shorter = stored.rows["by-hand"][:-1]
    for end in (stored.ends["checked"], shorter[-1]["mac"], bytes(16), b""):
        stored.write("by-hand", shorter, end)
        with pytest.raises(Altered, match=f"entry {len(shorter)} is not the last"):
            await log.read("by-hand")
    await log.close()


async def test_a_log_is_checked_wherever_reading_begins(log: SqlLog) -> None:
    """On both databases; also where the entry before is no longer in memory."""
    await log.append("t", opened(), WAITING)
    for seq in (2, 3, 4):
        await log.append("t", guessed(seq), None)
    await log.append("other", opened(), WAITING)
    await change(log, "UPDATE entries SET command_id = 'x' WHERE table_id = 't' AND seq = 3")
    for known in (True, False):
        for after in (0, 1, 2):
            with pytest.raises(Altered, match="table t: entry 3 "):
                await log.read("t", after)
        assert await log.read("t", 3 if known else 4) == ([guessed(4)] if known else [])
        log._chain._known.clear()
    assert await log.read("other") == [opened()]


async def test_what_another_process_wrote_is_continued(log: SqlLog, address: str) -> None:
    other = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    await other.append("t", guessed(2), None)
    await log.append("t", guessed(3), WAITING)
    with pytest.raises(Moved):
        await other.append("t", guessed(3, "late"), None)
    assert await other.read("t", 2) == [guessed(3)]
    await other.append("t", guessed(4), None)
    assert [entry.seq for entry in await log.read("t")] == [1, 2, 3, 4]
    await other.close()


async def test_a_refused_entry_leaves_the_chain_as_it_was(log: SqlLog) -> None:
    await log.append("t", opened(), WAITING)
    await log.append("t", guessed(2, "same"), None)
    with pytest.raises(Exception, match="constraint"):
        await log.append("t", guessed(3, "same"), None)
    await log.append("t", guessed(3), None)
    assert len(await log.read("t")) == 3


async def test_only_so_many_macs_are_kept_in_memory(
    log: SqlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.store.chain.MOST_KNOWN", 2)
    for name in ("a", "b", "c"):
        await log.append(name, opened(), WAITING)
    assert len(log._chain._known) == 2
    for name in ("a", "b", "c"):
        await log.append(name, guessed(2), None)
        assert len(await log.read(name)) == 2


async def test_an_older_database_gets_its_macs_once_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(shutil.copy(GOLDEN / evening.DATABASE, tmp_path / "x.db"))
    for _ in range(2):
        log = await SqlLog.open(f"sqlite:///{path}", KEY)
        for name in evening.TABLES:
            assert await log.read(name)
        await log.close()
    said = [record for record in caplog.records if "older keypeg" in record.getMessage()]
    assert len(said) == 1
    assert said[0].getMessage().startswith("51 entries")


async def test_an_older_database_on_postgresql_gets_its_macs_too(
    shared_address: str, caplog: pytest.LogCaptureFixture
) -> None:
    log = await SqlLog.open(shared_address, KEY)
    for name in ("a", "b"):
        await log.append(name, opened(), WAITING)
        await log.append(name, guessed(2), None)
    mark = log._vault.lock(b"keypeg", b"key-check").hex()
    await change(
        log,
        "ALTER TABLE entries DROP COLUMN mac",
        "ALTER TABLE tables DROP COLUMN mac",
        "DROP TABLE daily_rows, daily_attempts, daily_counts",
        "DROP TABLE contest_rows, contest_attempts, contest_entrants, contest_spectators",
        "DROP TABLE contest_codes, contests",
        "DROP TABLE match_entries, matches",
        "UPDATE alembic_version SET version_num = '0002'",
        f"UPDATE facts SET value = decode('{mark}', 'hex') WHERE name = 'key-check'",
    )
    await log.close()
    for _ in range(2):
        log = await SqlLog.open(shared_address, KEY)
        for name in ("a", "b"):
            assert await log.read(name) == [opened(), guessed(2)]
        await log.close()
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(" that")[0] for line in said if "older keypeg" in line] == ["4 entries"]


async def test_the_macs_are_made_as_ever(stored: Stored) -> None:
    """Those of the golden evening; if they changed, every database out there would be refused."""
    made = {
        name: {"end": stored.ends[name].hex(), "entries": [row["mac"].hex() for row in rows]}
        for name, rows in stored.rows.items()
    }
    assert made == json.loads((GOLDEN / "macs.json").read_text(encoding="utf-8"))


async def test_a_database_cannot_be_made_to_look_old(
    stored: Stored, caplog: pytest.LogCaptureFixture
) -> None:
    """Without MACs and without the mark, or with a mark that was made up, it is refused."""
    with closing(sqlite3.connect(stored.path)) as connection:
        connection.execute("UPDATE entries SET mac = X''")
        connection.execute("UPDATE tables SET mac = X''")
        connection.commit()
        log = await SqlLog.open(f"sqlite:///{stored.path}", KEY)
        with pytest.raises(Altered, match="table checked: entry 1 "):
            await log.read("checked")
        await log.close()
        connection.execute("UPDATE facts SET value = zeroblob(34) WHERE name = 'key-check'")
        connection.commit()
        with pytest.raises(WrongKey):
            await SqlLog.open(f"sqlite:///{stored.path}", KEY)
        connection.execute("DELETE FROM facts")
        connection.commit()
    with pytest.raises(Altered, match="has tables, and its key-check is missing"):
        await SqlLog.open(f"sqlite:///{stored.path}", KEY)
    assert not any("older keypeg" in record.getMessage() for record in caplog.records)


async def test_an_older_keypeg_cannot_write_any_more(log: SqlLog) -> None:
    """It would write entries without MACs, and they would be refused for ever."""
    await log.append("t", opened(), WAITING)
    columns = "table_id, seq, previous, at, seat, command_id, payload"
    with pytest.raises(Exception, match=r"(?i)not.null constraint"):
        await change(
            log,
            f"INSERT INTO entries ({columns}) "
            "SELECT table_id, 2, 1, at, seat, 'x', payload FROM entries",
        )
    with pytest.raises(Exception, match=r"(?i)not.null constraint"):
        await change(
            log, "INSERT INTO tables (id, public, stage, changed) VALUES ('u', 0, 'over', 1)"
        )


def test_different_entries_never_give_the_same_text() -> None:
    chain = Chain(KEY)
    macs = {
        chain.link(bytes(16), *row)
        for row in (
            ("t", 1, 1, "one", "c", b"p"),
            ("t1", 1, 1, "one", "c", b"p"),
            ("t", 11, 1, "one", "c", b"p"),
            ("t", 1, 11, "one", "c", b"p"),
            ("tc", 1, 1, "one", "", b"p"),
            ("", 1, 1, "one", "tc", b"p"),
            ("t", 1, 1, "one", "cp", b""),
            ("t", 1, 1, "one", "", b"cp"),
        )
    }
    assert len(macs) == 8
    assert chain.end("t", 1, bytes(16)) != chain.link(bytes(16), "t", 1, 1, "one", "c", b"p")
    assert "hidden" in repr(chain)
