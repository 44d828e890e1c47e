"""Logs of an older keypeg open, replay and show the same, and today's are written the same.

The golden files were written by commit bdd67e2; `evening` says how.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from keypeg.messages import EntryOut, event_in, event_out
from keypeg.rules.board import Board
from keypeg.rules.notation import format_record, parse_event, parse_record
from keypeg.server.encoding import entry_out
from keypeg.store.codec import decode, encode
from keypeg.store.sql import SqlLog
from keypeg.store.vault import Vault
from keypeg.table.soundness import check_log
from keypeg.table.view import Seen
from tests.store import evening
from tests.store.entries import KEY, SETTINGS

GOLDEN = Path(__file__).parent / "golden"
SHOWN: dict[str, Any] = json.loads((GOLDEN / evening.SHOWN).read_text(encoding="utf-8"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copy(GOLDEN / evening.DATABASE, tmp_path))


def stored(database: Path) -> list[tuple[Any, ...]]:
    """Every entry of a database, as it lies there."""
    columns = "table_id, seq, previous, at, seat, command_id, payload"
    address = f"{database.as_uri()}?immutable=1"  # so that nothing is written beside it
    with closing(sqlite3.connect(address, uri=True)) as connection:
        rows = connection.execute(f"SELECT {columns} FROM entries ORDER BY table_id, seq")
        return rows.fetchall()


def holds(shown: Any, golden: Any) -> bool:
    """Whether all that was shown is shown still; fields may have been added since."""
    if isinstance(golden, dict):
        return all(key in shown and holds(shown[key], golden[key]) for key in golden)
    if isinstance(golden, list):
        return len(shown) == len(golden) and all(map(holds, shown, golden))
    return bool(shown == golden)


@pytest.mark.anyio
async def test_an_old_database_is_sound_and_shows_everybody_the_same(database: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{database}", KEY)
    for table_id in evening.TABLES:
        entries = await log.read(table_id)
        card = (await log.cards())[table_id]
        check_log(table_id, entries, card)
        shown = json.loads(json.dumps(evening.shown(table_id, entries)))
        for reader in evening.READERS:
            assert shown[reader]["sent"] == SHOWN[table_id][reader]["sent"]
            assert holds(shown[reader]["table"], SHOWN[table_id][reader]["table"])
        record = (GOLDEN / f"{table_id}.txt").read_text(encoding="utf-8")
        assert evening.record(table_id, entries) == record
    await log.close()


def test_what_was_sent_is_read_and_sent_again_in_the_same_bytes() -> None:
    for table_id in evening.TABLES:
        for reader in evening.READERS:
            for text in SHOWN[table_id][reader]["sent"]:
                entry = msgspec.json.decode(text, type=EntryOut)
                events = [event_in(sent, SETTINGS) for sent in entry.events]
                again = msgspec.structs.replace(entry, events=tuple(map(event_out, events)))
                assert msgspec.json.encode(again).decode() == text


@pytest.mark.anyio
async def test_the_same_evening_is_written_in_the_same_bytes(tmp_path: Path) -> None:
    await evening.write(tmp_path)
    assert stored(tmp_path / evening.DATABASE) == stored(GOLDEN / evening.DATABASE)


def test_what_no_table_writes_is_stored_sent_and_read_as_before() -> None:
    assert evening.rare() == SHOWN["rare"]
    for name, events in evening.RARE.items():
        assert decode(SHOWN["rare"][name]["stored"].encode(), b"rare/1", Vault(KEY)) == events


def test_the_golden_database_holds_all_sixteen_kinds_of_event_of_its_time() -> None:
    payloads = [msgspec.json.decode(row[-1]) for row in stored(GOLDEN / evening.DATABASE)]
    assert len({event["is"] for payload in payloads for event in payload["events"]}) == 16


@pytest.mark.parametrize("table_id", evening.TABLES)
def test_an_old_record_is_read_and_written_the_same(table_id: str) -> None:
    text = (GOLDEN / f"{table_id}.txt").read_text(encoding="utf-8")
    series = ["keypeg record 1" + part for part in text.split("keypeg record 1")[1:]]
    read = [parse_record(part) for part in series]
    assert "\n".join(map(format_record, read)) == text
    for record in read:
        record.replay()


LIMIT_LINES = {
    "proposed by the maker": "limit proposed maker 180",
    "proposed by the breaker, none": "limit proposed breaker none",
    "accepted": "limit accepted 180",
    "accepted, none": "limit accepted none",
    "declined": "limit declined",
    "withdrawn": "limit withdrawn",
}


def test_what_was_said_about_a_turn_limit_is_stored_sent_and_read_as_before() -> None:
    golden = json.loads((GOLDEN / "turn-limit.json").read_text(encoding="utf-8"))
    vault = Vault(KEY)
    for name, line in LIMIT_LINES.items():
        event = parse_event(line, Board(4, 6))
        assert decode(golden[name]["stored"].encode(), b"limit/1", vault) == (event,)
        assert encode((event,), b"limit/1", vault).decode() == golden[name]["stored"]
        sent = msgspec.json.encode(entry_out(Seen(1, 0, None, (event,)))).decode()
        assert sent == golden[name]["sent"]
