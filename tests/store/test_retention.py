from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine, event

from keypeg.store.retention import Retention
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY, WAITING, opened

pytestmark = pytest.mark.anyio


async def open_table(address: str, name: str) -> None:
    log = await SqlLog.open(address, KEY)
    try:
        await log.append(name, opened(), WAITING)
    finally:
        await log.close()


async def test_a_table_is_opened_while_old_ones_are_looked_for(address: str) -> None:
    await open_table(address, "old")

    def while_searching(_connection: Any, _cursor: Any, statement: str, *_told: Any) -> None:
        if "max(entries.at)" in statement:
            with ThreadPoolExecutor() as threads:
                threads.submit(asyncio.run, open_table(address, "new")).result()

    retention = Retention(address)
    event.listen(Engine, "after_cursor_execute", while_searching)
    try:
        found = await retention.abandoned(2**60)
    finally:
        event.remove(Engine, "after_cursor_execute", while_searching)
        await retention.close()
    assert [idle.table_id for idle in found] == ["old"]
    assert await names(address) == {"old", "new"}


async def names(address: str) -> set[str]:
    log = await SqlLog.open(address, KEY)
    try:
        return set(await log.cards())
    finally:
        await log.close()
