from __future__ import annotations

import pytest

from keypeg.rules.board import Board
from keypeg.rules.terms import Terms
from keypeg.store.errors import Moved
from keypeg.store.events import Opened, Settings
from keypeg.store.log import Card, Entry, Stage
from keypeg.store.memory import MemoryLog

pytestmark = pytest.mark.anyio
FIRST = Entry(1, 1000, None, "open", (Opened(Settings(Terms(Board(4, 6)))),))
SECOND = Entry(2, 2000, None, "other", ())
PUBLIC = Card(public=True, stage=Stage.PLAYING, due=5000)


async def test_entries_follow_each_other_without_gaps() -> None:
    log = MemoryLog()
    await log.append("t", FIRST, PUBLIC)
    with pytest.raises(Moved):
        await log.append("t", FIRST, None)
    await log.append("t", SECOND, None)
    assert await log.read("t") == [FIRST, SECOND]
    assert await log.read("t", after=1) == [SECOND]
    assert await log.read("nowhere") == []


async def test_public_tables_and_running_clocks_are_found() -> None:
    log = MemoryLog()
    await log.append("t", FIRST, PUBLIC)
    await log.append("hidden", FIRST, Card(public=False, stage=Stage.WAITING))
    assert [listed.table_id for listed in await log.listed()] == ["t"]
    assert await log.listed(Stage.OVER) == []
    assert await log.running() == ["t"]
    assert await log.last_heartbeat() is None
    await log.heartbeat(7)
    assert await log.last_heartbeat() == 7
    await log.close()
