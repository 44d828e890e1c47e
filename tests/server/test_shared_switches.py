"""The defences of several servers on one database, switched off: each is missed by a test."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from websockets.exceptions import ConnectionClosed

from keypeg.server import bus, sharing
from keypeg.server.bus import MOVES
from keypeg.server.sharing import HintingLog, Sharing
from keypeg.store import engines, sql
from keypeg.store.errors import Broken
from keypeg.store.log import Card, Entry
from keypeg.table import Table
from tests.databases import RedisServer
from tests.server import running, test_fleet, test_sharing

pytestmark = pytest.mark.anyio
NEVER = 3600.0
MISSED = (AssertionError, TimeoutError)
"""On a slow machine patience may end before it comes to what is missed."""
Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def one_key(monkeypatch: Patch) -> None:
    monkeypatch.setenv("KEYPEG_KEY", test_sharing.KEY)
    # What does not come here never comes.
    monkeypatch.setattr(running, "PATIENCE", 2.5)


async def test_without_polling_a_move_elsewhere_would_not_be_seen(
    shared_address: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(sharing, "LONELY_SECONDS", NEVER)
    with pytest.raises(TimeoutError):
        await test_sharing.test_without_redis_a_move_is_seen_by_polling(shared_address)


async def test_without_the_bus_a_move_elsewhere_would_not_be_seen(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(bus.Bus, "say", lambda *_: None)
    with pytest.raises(TimeoutError):
        await test_sharing.test_a_move_is_seen_through_another_server(
            shared_address, redis, monkeypatch
        )


async def test_a_bus_that_is_not_listened_to_again_would_be_noticed(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(bus, "RETRY_SECONDS", NEVER)
    with pytest.raises(MISSED, match=r"it did not come true|^$"):
        await test_sharing.test_moves_go_on_while_redis_is_away_and_the_bus_comes_back(
            shared_address, redis, monkeypatch
        )


async def test_a_move_that_waits_for_redis_would_be_noticed(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    async def wait_for_redis(self: HintingLog, table: str, entry: Entry, card: Card | None) -> None:
        await self._log.append(table, entry, card)
        assert self.bus is not None
        await self.bus._backend().publish(f"{table} {entry.seq}".encode(), [MOVES])

    monkeypatch.setattr(bus, "PATIENCE", NEVER)
    monkeypatch.setattr(HintingLog, "append", wait_for_redis)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2 * running.PATIENCE):
            await test_sharing.test_a_redis_that_hangs_holds_nothing_up(shared_address, redis)


async def test_a_server_that_gives_postgresql_up_would_be_noticed(
    shared_address: str, postgresql: Any, monkeypatch: Patch
) -> None:
    def never_ask(*address: Any, pool_pre_ping: bool = False, **options: Any) -> AsyncEngine:
        assert pool_pre_ping
        return create_async_engine(*address, **options)

    # Neither is a lost connection noticed before it is used, nor afterwards thought to return.
    monkeypatch.setattr(engines, "create_async_engine", never_ask)
    monkeypatch.setattr(sql, "diagnose", lambda _fault: Broken("it is gone"))
    with pytest.raises((*MISSED, ConnectionClosed)):
        await test_fleet.test_a_restart_of_postgresql_needs_none_of_the_servers(
            shared_address, postgresql, monkeypatch
        )


async def test_a_clock_that_dies_with_its_server_would_be_noticed(
    shared_address: str, monkeypatch: Patch
) -> None:
    async def ring_for_nobody(_self: Sharing) -> None:
        """Leave every table to its own server."""

    monkeypatch.setattr(Sharing, "_ring", ring_for_nobody)
    with pytest.raises(MISSED, match=r"it did not come true|^$"):
        await test_sharing.test_a_turn_whose_server_died_is_ended_by_another(shared_address)


async def test_a_turn_that_goes_on_while_nobody_can_move_would_be_noticed(
    shared_address: str, postgresql: Any, monkeypatch: Patch
) -> None:
    async def give_nothing_back(*_: object) -> None:
        """Let the clock run."""

    monkeypatch.setattr(Table, "_give_back", give_nothing_back)
    with pytest.raises(MISSED, match=r"== 'unavailable'|^$"):
        await test_fleet.test_a_turn_outlives_a_postgresql_that_is_away_for_longer(
            shared_address, postgresql, monkeypatch
        )
