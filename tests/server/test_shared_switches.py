"""The defences of several servers on one database, switched off: each is missed by a test."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from websockets.exceptions import ConnectionClosed

from harness.clients import sockets
from harness.databases import RedisServer, restart
from keypeg.server import bus, sharing
from keypeg.server.bus import MOVES
from keypeg.server.sharing import NotifyingLog, Sharing
from keypeg.store import engines, health
from keypeg.store.errors import Broken
from keypeg.store.log import Card, Entry
from keypeg.table.handler import CommandHandler
from tests.server import test_several_processes, test_sharing

pytestmark = pytest.mark.anyio
NEVER = 3600.0
SHORT = 2.5
"""Seconds to wait in a step that needs the defence: what has not come by then never comes."""
Patch = pytest.MonkeyPatch


class Missed(Exception):
    """The step that needs the defence has failed, and not one before it."""


@pytest.fixture(autouse=True)
def one_key(monkeypatch: Patch) -> None:
    monkeypatch.setenv("KEYPEG_KEY", test_sharing.KEY)


def needs_it(
    patch: Patch, module: ModuleType, step: str, error: type[Exception], patience: float = SHORT
) -> None:
    """Let one step of a test wait for a short time only, and tell its failure from any other."""
    act = getattr(module, step)

    async def impatient(*arguments: Any, **options: Any) -> Any:
        with Patch.context() as hurry:
            hurry.setattr(sockets, "PATIENCE", patience)
            try:
                async with asyncio.timeout(2 * patience):
                    return await act(*arguments, **options)
            except (TimeoutError, error) as failure:
                raise Missed(step) from failure

    patch.setattr(module, step, impatient)


async def test_without_polling_a_move_elsewhere_would_not_be_seen(
    shared_address: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(sharing, "POLL_SECONDS_WITHOUT_BUS", NEVER)
    needs_it(monkeypatch, test_sharing, "play_across", TimeoutError)
    with pytest.raises(Missed):
        await test_sharing.test_without_redis_a_move_is_seen_by_polling(shared_address)


async def test_without_the_bus_a_move_elsewhere_would_not_be_seen(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(bus.Bus, "say", lambda *_: None)
    needs_it(monkeypatch, test_sharing, "play_across", TimeoutError)
    with pytest.raises(Missed):
        await test_sharing.test_a_move_is_seen_through_another_server(
            shared_address, redis, monkeypatch
        )


async def test_a_bus_that_is_not_listened_to_again_would_be_noticed(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    def start_again() -> None:
        RedisServer.start(redis)
        needs_it(monkeypatch, test_sharing, "connected", AssertionError)

    monkeypatch.setattr(bus, "RETRY_SECONDS", NEVER)
    monkeypatch.setattr(redis, "start", start_again)
    with pytest.raises(Missed):
        await test_sharing.test_moves_go_on_while_redis_is_away_and_the_bus_comes_back(
            shared_address, redis, monkeypatch
        )


async def test_a_move_that_waits_for_redis_would_be_noticed(
    shared_address: str, redis: RedisServer, monkeypatch: Patch
) -> None:
    async def wait_for_redis(
        self: NotifyingLog, table: str, entry: Entry, card: Card | None
    ) -> None:
        await self._log.append(table, entry, card)
        await self._bus._backend().publish(f"{table} {entry.seq}".encode(), [MOVES])

    monkeypatch.setattr(bus, "PATIENCE", NEVER)
    monkeypatch.setattr(NotifyingLog, "append", wait_for_redis)
    needs_it(monkeypatch, test_sharing, "seated", TimeoutError)
    with pytest.raises(Missed):
        await test_sharing.test_a_redis_that_hangs_holds_nothing_up(shared_address, redis)


async def test_a_server_that_gives_postgresql_up_would_be_noticed(
    shared_address: str, postgresql: Any, monkeypatch: Patch
) -> None:
    def never_ask(*address: Any, pool_pre_ping: bool = False, **options: Any) -> AsyncEngine:
        assert pool_pre_ping
        return create_async_engine(*address, **options)

    def give_up(server: Any) -> None:
        # Not before: what servers do to each other's rows is no reason to give up.
        monkeypatch.setattr(health, "diagnose", lambda _fault: Broken("it is gone"))
        restart(server)

    # Neither is a lost connection noticed before it is used, nor afterwards thought to return.
    monkeypatch.setattr(engines, "create_async_engine", never_ask)
    monkeypatch.setattr(test_several_processes, "restart", give_up)
    # Not in a hurry: a server that gives up says so.
    patience = sockets.PATIENCE
    needs_it(monkeypatch, test_several_processes, "insist", ConnectionClosed, patience)
    with pytest.raises(Missed) as missed:
        await test_several_processes.test_a_restart_of_postgresql_needs_none_of_the_servers(
            shared_address, postgresql, monkeypatch
        )
    assert isinstance(missed.value.__cause__, ConnectionClosed)


async def test_a_clock_that_dies_with_its_server_would_be_noticed(
    shared_address: str, monkeypatch: Patch
) -> None:
    async def ring_for_nobody(_self: Sharing) -> None:
        """Leave every table to its own server."""

    monkeypatch.setattr(Sharing, "_ring", ring_for_nobody)
    # With its defence on, the turn is ended well before the patience is.
    monkeypatch.setattr(sharing, "DEFERENCE", 0.0)
    needs_it(monkeypatch, test_sharing, "until", AssertionError)
    with pytest.raises(Missed):
        await test_sharing.test_a_turn_whose_server_died_is_ended_by_another(shared_address)


async def test_a_turn_that_goes_on_while_nobody_can_move_would_be_noticed(
    shared_address: str, postgresql: Any, monkeypatch: Patch
) -> None:
    async def give_nothing_back(*_: object) -> None:
        """Let the clock run."""

    monkeypatch.setattr(CommandHandler, "_give_back", give_nothing_back)
    with pytest.raises(AssertionError, match="== 'unavailable'"):
        await test_several_processes.test_a_turn_outlives_a_postgresql_that_is_away_for_longer(
            shared_address, postgresql, monkeypatch
        )
