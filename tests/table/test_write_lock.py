"""One after another; but nobody waits for one failure after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from harness.tables import CLASSIC, SECRET, WRONG, token_hash
from keypeg.rules.errors import NotYourTurn
from keypeg.store.errors import Unavailable
from keypeg.store.sql import SqlLog
from keypeg.table import Open, Seat, Settings, Table, Tables
from keypeg.table.commands import Guess, SetSecret, TakeSeat
from keypeg.table.write_lock import WriteLock
from tests.loops import settled

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
CROWD = 10


class SilentLog(SqlLog):
    """A database that falls silent: what is tried waits until it is given up."""

    tried = 0
    silent = False

    def __init__(self, *named: Any) -> None:
        super().__init__(*named)
        self.given_up = asyncio.Event()

    async def _hang(self) -> None:
        if self.silent:
            self.tried += 1
            await self.given_up.wait()
            raise Unavailable("it does not answer")

    async def append(self, *entry: Any) -> None:
        await self._hang()
        await super().append(*entry)

    async def read(self, *wanted: Any) -> Any:
        await self._hang()
        return await super().read(*wanted)


@asynccontextmanager
async def silence() -> AsyncIterator[tuple[SilentLog, Table]]:
    log = await SilentLog.open()
    assert isinstance(log, SilentLog)
    tables = Tables(log)
    table = await tables.open(Open(Settings(CLASSIC), ONE, "Ada", token_hash(ONE)))
    await table.handle(TWO, "t", TakeSeat("Bob", token_hash(TWO)), 0)
    log.silent = True
    yield log, table
    await tables.close()
    await log.close()


async def told(log: SilentLog, *asked: Any) -> list[str]:
    """What a crowd is told when the first of them is given up."""
    crowd = [asyncio.ensure_future(one) for one in asked]
    await settled()
    assert log.tried == 1
    log.given_up.set()
    return [str(error) for error in await asyncio.gather(*crowd, return_exceptions=True)]


async def test_those_who_wait_to_write_share_a_failure_and_may_try_again() -> None:
    async with silence() as (log, table):
        asked = [table.handle(ONE, f"s{n}", SetSecret(SECRET), 0) for n in range(CROWD)]
        assert await told(log, *asked) == ["it does not answer"] * CROWD
        assert log.tried == 1
        with pytest.raises(Unavailable):
            await table.handle(ONE, "s0", SetSecret(SECRET), 0)
        assert log.tried == 2
        log.silent = False
        assert (await table.handle(ONE, "s0", SetSecret(SECRET), 0)).seq == 3
        assert (await table.handle(TWO, "g", Guess(WRONG), 0)).seq == 4


async def test_those_who_wait_to_read_on_share_a_failure() -> None:
    async with silence() as (log, table):
        asked = [table.catch_up() for _ in range(CROWD)]
        assert await told(log, *asked) == ["it does not answer"] * CROWD
        assert log.tried == 1
        log.silent = False
        await table.catch_up()


async def test_those_who_wait_for_a_table_to_be_read_share_a_failure() -> None:
    async with silence() as (log, table):
        others = Tables(log)
        asked = [others.get(table.id) for _ in range(CROWD)]
        assert await told(log, *asked) == ["it does not answer"] * CROWD
        assert log.tried == 1
        log.silent = False
        assert (await others.get(table.id)).seq == 2
        await others.close()


async def test_a_table_is_put_away_although_its_log_is_silent() -> None:
    async with silence() as (log, table):
        asking = asyncio.ensure_future(table.handle(ONE, "s", SetSecret(SECRET), 0))
        await settled()
        assert await told(log, table.close()) == ["None"]
        with pytest.raises(Unavailable):
            await asking


async def test_a_refusal_is_nobody_elses() -> None:
    line, began = WriteLock(), asyncio.Event()

    async def refused() -> None:
        async with line:
            await began.wait()
            raise NotYourTurn("no")

    async def works() -> bool:
        async with line:
            return line.locked()

    crowd = [asyncio.ensure_future(one()) for one in (refused, works)]
    await asyncio.sleep(0)
    began.set()
    error, done = await asyncio.gather(*crowd, return_exceptions=True)
    assert isinstance(error, NotYourTurn)
    assert done is True
    assert not line.locked()
