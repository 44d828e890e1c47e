"""One suite for both databases."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete
from sqlalchemy.exc import DBAPIError

from keypeg.rules.commitment import Opening
from keypeg.rules.errors import CannotRead
from keypeg.rules.events import SecretSet
from keypeg.rules.series import Seat
from keypeg.store import entry_rows, sql
from keypeg.store.errors import Moved, StoreError, Unavailable, WrongKey
from keypeg.store.log import Card, Entry, Stage
from keypeg.store.schema import entries
from keypeg.store.sql import BATCH, BUSY, SqlLog
from tests.store.entries import KEY, WAITING, guessed, opened

pytestmark = pytest.mark.anyio


async def test_what_was_appended_is_read_in_order(log: SqlLog) -> None:
    written = [opened(), guessed(2), guessed(3)]
    for entry in written:
        await log.append("t", entry, WAITING)
    assert await log.read("t") == written
    assert await log.read("t", after=2) == written[2:]
    assert await log.read("t", after=3) == []
    assert await log.read("nowhere") == []


async def test_tables_asked_for_at_once_are_read_together_and_kept_apart(
    log: SqlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = {"a": 1, "b": 0, "c": 7, "d": 3, "e": 5}
    for name, length in lengths.items():
        for seq in range(1, length + 1):
            await log.append(name, opened() if seq == 1 else guessed(seq), WAITING)
    fetched = 0
    fetch = log.fetch

    async def counted(*arguments: Any) -> Any:
        nonlocal fetched
        fetched += 1
        return await fetch(*arguments)

    monkeypatch.setattr(log, "fetch", counted)

    async def lengths_read() -> dict[str, int]:
        read = await asyncio.gather(*map(log.read, lengths))
        assert all([one.seq for one in of] == [*range(1, len(of) + 1)] for of in read)
        return dict(zip(lengths, map(len, read), strict=True))

    assert await lengths_read() == lengths
    assert fetched == 1
    # However many there are, only so many entries are read at once.
    for most in (1, 3, 8, 16):
        monkeypatch.setattr(entry_rows, "MOST_ROWS", most)
        monkeypatch.setattr(entry_rows, "_READ", entry_rows._READ.limit(most))
        assert await lengths_read() == lengths


async def test_news_of_many_tables_are_read_together_and_kept_apart(
    log: SqlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"t{number}" for number in range(5)]
    for name in names:
        await log.append(name, opened(), WAITING)
        for seq in range(2, 7):
            await log.append(name, guessed(seq), None)
    fetched = []
    fetch = log.fetch

    async def counted(*asked: Any) -> Any:
        fetched.append(asked)
        return await fetch(*asked)

    monkeypatch.setattr(log, "fetch", counted)
    asked = [(name, after) for after, name in enumerate(names, 1)] + [("t0", 4), ("absent", 1)]
    found = await asyncio.gather(*(log.read(name, after) for name, after in asked))
    assert [[entry.seq for entry in read] for read in found] == [
        [2, 3, 4, 5, 6],
        [3, 4, 5, 6],
        [4, 5, 6],
        [5, 6],
        [6],
        [5, 6],
        [],
    ]
    assert len(fetched) < len(asked)


async def test_a_reader_cannot_write(log: SqlLog) -> None:
    await log.append("t", opened(), WAITING)
    async with log._readers.connect() as connection:
        with pytest.raises(DBAPIError, match=r"(?i)read-?only"):
            await connection.execute(delete(entries))
    assert len(await log.read("t")) == 1


async def test_a_log_outlives_its_process(address: str) -> None:
    secret = Entry(2, 5, Seat.ONE, "s", (SecretSet(Opening((1, 2, 3, 4), bytes(32))),))
    log = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    await log.append("t", secret, None)
    await log.close()
    again = await SqlLog.open(address, KEY)
    assert await again.read("t") == [opened(), secret]
    await again.close()


@pytest.mark.parametrize("seq", [1, 2, 4, 5])
async def test_an_entry_that_is_not_the_next_is_refused(log: SqlLog, seq: int) -> None:
    await log.append("t", opened(), WAITING)
    await log.append("t", guessed(2), None)
    with pytest.raises(Moved, match=r"is at entry 2|has no entry [34] for"):
        await log.append("t", guessed(seq, "other"), WAITING)
    assert await log.read("t") == [opened(), guessed(2)]


async def test_a_command_id_is_taken_once_a_seat(log: SqlLog) -> None:
    await log.append("t", opened(), WAITING)
    await log.append("t", guessed(2, "same"), None)
    with pytest.raises(StoreError, match="constraint"):
        await log.append("t", guessed(3, "same"), None)
    await log.append("t", guessed(3, "same", Seat.TWO), None)


async def test_an_entry_refused_takes_no_other_with_it(log: SqlLog) -> None:
    for name in "abc":
        await log.append(name, opened(), WAITING)
    results = await asyncio.gather(
        log.append("a", guessed(2), None),
        log.append("b", guessed(3), None),
        log.append("c", guessed(2), None),
        log.append("c", guessed(2, "late"), None),
        log.append("new", opened(), WAITING),
        log.append("a", opened(), WAITING),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [
        type(None),
        Moved,
        type(None),
        Moved,
        type(None),
        Moved,
    ]
    assert [len(await log.read(name)) for name in ("a", "b", "c", "new")] == [2, 1, 2, 1]


async def test_an_entry_that_no_database_can_hold_does_not_stop_the_writer(log: SqlLog) -> None:
    await log.append("t", opened(), WAITING)
    with pytest.raises(StoreError):
        await log.append("t", guessed(2, "\ud800"), None)
    await log.append("t", guessed(2), None)


async def test_more_than_a_batch_at_once_is_all_written(log: SqlLog) -> None:
    names = [f"t{number}" for number in range(BATCH + 100)]
    await asyncio.gather(*(log.append(name, opened(), WAITING) for name in names))
    await asyncio.gather(*(log.append(name, guessed(2), None) for name in names))
    assert all([len(await log.read(name)) == 2 for name in names[::50]])


async def test_batches_wait_for_more_under_load_but_nobody_waits_alone(
    log: SqlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    commit, enough = log._commit_together, asyncio.Event()

    async def counted(batch: list[Any]) -> Any:
        batches.append(len(batch))
        return await commit(batch)

    async def wait_for_more(_seconds: float) -> None:
        await enough.wait()

    monkeypatch.setattr(log, "_commit_together", counted)
    monkeypatch.setattr(sql, "_wait_for_more", wait_for_more)
    monkeypatch.setattr(sql, "BUSY_SECONDS", 3600.0)
    async with asyncio.timeout(60):
        for number in range(3):
            await log.append(f"alone{number}", opened(), WAITING)
        names = [f"t{number}" for number in range(BUSY)]
        await asyncio.gather(*(log.append(name, opened(), WAITING) for name in names))
        early = asyncio.create_task(log.append("t0", guessed(2), None))
        await asyncio.sleep(0.01)
        assert batches == [1, 1, 1, BUSY]
        late = asyncio.create_task(log.append("t1", guessed(2), None))
        await asyncio.sleep(0.01)
        enough.set()
        await asyncio.gather(early, late)
    assert batches == [1, 1, 1, BUSY, 2]


async def test_two_processes_cannot_write_the_same_entry(log: SqlLog, address: str) -> None:
    other = await SqlLog.open(address, KEY)
    await log.append("t", opened(), WAITING)
    for seq in range(2, 22):
        results = await asyncio.gather(
            log.append("t", guessed(seq, f"mine{seq}"), None),
            other.append("t", guessed(seq, f"theirs{seq}"), None),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["Moved", "NoneType"]
    entries = await other.read("t")
    assert [entry.seq for entry in entries] == list(range(1, 22))
    await other.close()


async def test_public_tables_are_listed_the_latest_first(log: SqlLog) -> None:
    public, playing = Card(public=True, stage=Stage.WAITING), Card(public=True, stage=Stage.PLAYING)
    await log.append("unlisted", opened(), WAITING)
    await log.append("first", opened(), public)
    await log.append("second", Entry(1, 2_000, None, "open", opened().events), public)
    assert [table.table_id for table in await log.listed()] == ["second", "first"]
    await log.append("first", Entry(2, 3_000, Seat.ONE, "c", guessed(2).events), playing)
    assert [table.table_id for table in await log.listed()] == ["first", "second"]
    assert [table.table_id for table in await log.listed(Stage.WAITING)] == ["second"]
    assert len(await log.listed(limit=1)) == 1


async def test_tables_with_a_running_clock_are_found(log: SqlLog) -> None:
    running = Card(public=False, stage=Stage.PLAYING, due=9_000)
    await log.append("runs", opened(), running)
    await log.append("rests", opened(), WAITING)
    assert await log.running() == ["runs"]
    await log.append("runs", guessed(2), Card(public=False, stage=Stage.PLAYING))
    assert await log.running() == []


async def test_the_last_beat_is_kept(log: SqlLog) -> None:
    assert await log.last_heartbeat() is None
    await log.heartbeat(5)
    await log.heartbeat(2**45)
    assert await log.last_heartbeat() == 2**45


async def test_another_key_is_refused_at_the_door(log: SqlLog, address: str) -> None:
    with pytest.raises(WrongKey):
        await SqlLog.open(address, bytes(32))


async def test_what_is_queued_is_written_before_the_log_closes(address: str) -> None:
    log = await SqlLog.open(address, KEY)
    waiting = [
        asyncio.create_task(log.append(f"t{number}", opened(), WAITING)) for number in range(50)
    ]
    await asyncio.sleep(0)
    await log.close()
    await asyncio.gather(*waiting)
    with pytest.raises(Unavailable, match="closed"):
        await log.append("t", opened(), WAITING)
    again = await SqlLog.open(address, KEY)
    assert len(await again.read("t49")) == 1
    await again.close()


async def test_one_who_stops_waiting_does_not_stop_the_rest(log: SqlLog) -> None:
    impatient = asyncio.create_task(log.append("a", opened(), WAITING))
    patient = asyncio.create_task(log.append("b", opened(), WAITING))
    await asyncio.sleep(0)
    impatient.cancel()
    await patient
    assert len(await log.read("a")) == len(await log.read("b")) == 1


async def test_an_unnamed_log_is_gone_when_it_is_closed() -> None:
    log = await SqlLog.open()
    folder = log._folder
    assert folder is not None
    await log.append("t", opened(), WAITING)
    assert await log.read("t") == [opened()]
    await log.close()
    assert not Path(folder.name).exists()


@pytest.mark.parametrize("address", ["mysql://a:sesame@b/c", "nonsense", "", "sesame:secret"])
async def test_no_database_is_a_clear_refusal_that_repeats_no_password(address: str) -> None:
    with pytest.raises(CannotRead, match="sqlite:///path or postgresql://") as refusal:
        await SqlLog.open(address, KEY)
    assert "sesame" not in str(refusal.value)


async def test_a_database_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        await SqlLog.open(f"postgresql://nobody@/none?host={tmp_path}", KEY)
