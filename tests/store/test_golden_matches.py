"""Matches of an older keypeg open and show the same, and today's are written the same.

The golden files were written when matches came; `match_evening` says how.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from keypeg.matches.soundness import check_match, check_matches
from keypeg.store.match_events import LoggedMatchEvent
from keypeg.store.matches import MatchStore
from keypeg.store.sql import SqlLog
from tests.store import match_evening
from tests.store.entries import KEY
from tests.store.test_golden import GOLDEN, holds

SHOWN: dict[str, Any] = json.loads((GOLDEN / match_evening.SHOWN).read_text(encoding="utf-8"))


def stored(database: Path) -> list[list[tuple[Any, ...]]]:
    """Every match and entry of a database, as it lies there."""
    address = f"{database.as_uri()}?immutable=1"  # so that nothing is written beside it
    with closing(sqlite3.connect(address, uri=True)) as connection:
        return [
            connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()
            for table, columns in (
                ("matches", "id, seq, stage, due, changed"),
                ("match_entries", "match, seq, previous, at, player, command_id, payload"),
            )
        ]


@pytest.mark.anyio
async def test_old_matches_are_sound_and_show_everybody_the_same(tmp_path: Path) -> None:
    database = shutil.copy(GOLDEN / match_evening.DATABASE, tmp_path)
    log = await SqlLog.open(f"sqlite:///{database}", KEY)
    assert await check_matches(log) == len(match_evening.MATCHES)
    store = MatchStore(log)
    cards = await store.cards()
    for match_id in match_evening.MATCHES:
        entries = await store.read(match_id)
        check_match(match_id, entries, *cards[match_id])
        shown = json.loads(json.dumps(match_evening.shown(match_id, entries)))
        assert holds(shown, SHOWN[match_id])
    await store.close()
    await log.close()


@pytest.mark.anyio
async def test_the_same_matches_are_written_in_the_same_bytes(tmp_path: Path) -> None:
    await match_evening.write(tmp_path)
    assert stored(tmp_path / match_evening.DATABASE) == stored(GOLDEN / match_evening.DATABASE)


def test_the_golden_matches_hold_every_kind_of_event() -> None:
    _, entries = stored(GOLDEN / match_evening.DATABASE)
    events = [event for row in entries for event in msgspec.json.decode(row[6])["events"]]
    assert {event["is"] for event in events} == {kind.kind for kind in get_args(LoggedMatchEvent)}
    assert {event["event"]["is"] for event in events if event["is"] == "in-game"} == {
        *("secret", "guess", "answer", "rowexpired", "challenge", "resign", "reveal")
    }
