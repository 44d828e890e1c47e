"""Reading long tables is charged by size, for each address."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.servers.in_process import running
from keypeg.client import Client
from keypeg.server import read_budget, record_texts
from keypeg.server.read_budget import ENTRIES_AT_ONCE, FREE, ReadBudget
from keypeg.server.solver_worker import Busy
from keypeg.table.table import Table

pytestmark = pytest.mark.anyio


async def test_who_reads_much_of_long_tables_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_budget, "ENTRIES_PER_SECOND", 1_000)
    budget = ReadBudget()
    await budget.spend("eve", ENTRIES_AT_ONCE + FREE)
    with pytest.raises(Busy):
        await budget.spend("eve", 10_000)
    async with asyncio.timeout(0.001):
        await budget.spend("eve", FREE)
        await budget.spend("ann", ENTRIES_AT_ONCE)
    waiting = asyncio.create_task(budget.spend("eve", 10_000, patience=60))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


async def test_a_whole_table_a_record_and_a_stale_answer_are_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    charged: list[int] = []

    async def counted(_: ReadBudget, address: str, entries: int, patience: float = 0.0) -> None:
        assert address == "127.0.0.1"
        charged.append(entries)

    monkeypatch.setattr(ReadBudget, "spend", counted)
    async with running(tmp_path) as server, Client(server.url) as client:
        one = await client.open_table()
        path, right = f"/api/tables/{one.table}", {"Authorization": f"Bearer {one.token}"}
        await one.look()
        stale = {"type": "resign", "id": "x", "seq": 9}
        answer = await client._http.post(f"{path}/commands", json=stale, headers=right)
        assert answer.status_code == 409
        async with one.connect():
            pass
        assert charged == [1, 1, 1]


async def test_a_record_is_made_once_and_only_so_many_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[str, int]] = []

    class Named:
        def __init__(self, name: str) -> None:
            self.id = name

    def text(table: Table, number: int) -> str:
        made.append((table.id, number))
        return "x" * 10

    monkeypatch.setattr(record_texts, "_text", text)
    monkeypatch.setattr(record_texts, "MOST_CHARACTERS_KEPT", 25)
    texts = record_texts.RecordTexts()
    a, b, c = (Named(name) for name in "abc")
    await asyncio.gather(*(texts.of(a, 1) for _ in range(5)))  # type: ignore[arg-type]
    assert made == [("a", 1)]
    for table in (b, a, c, a, b):
        await texts.of(table, 1)  # type: ignore[arg-type]
    assert made == [("a", 1), ("b", 1), ("c", 1), ("b", 1)]
    assert texts._characters == 20
