"""Matches through kills of their server, on one server and on several."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.checker import Violation
from harness.databases import RedisServer
from harness.faults.matches import play_and_kill
from harness.faults.rounds import Size
from harness.match_guests import MatchHistory, check_matches_played
from harness.matches import own, play
from harness.servers.in_process import running
from harness.servers.restartable import restartable_servers
from harness.servers.settings import KEY
from keypeg.client import Client
from keypeg.rules.match.state import MatchStage
from keypeg.table.tokens import new_token

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
KILLS = int(os.environ.get("KEYPEG_TEST_KILLS", "6"))
SECONDS = 60.0


async def test_nothing_acknowledged_at_a_match_is_lost_however_often_it_is_killed(
    address: str, tmp_path: Path
) -> None:
    history = MatchHistory()
    with restartable_servers(1, address, tmp_path) as servers:
        await play_and_kill(servers, Size(KILLS, 30 * KILLS, 5), history, random.Random(11))
    found = await check_matches_played(address, history)
    assert found.acknowledged >= 20
    assert (found.lost, found.doubled) == (0, 0)
    view = history.views[-1]
    history.views.append(replace(view, seq=view.seq + 1000))
    with pytest.raises(Violation, match="that never was"):
        await check_matches_played(address, history)


async def test_at_matches_an_acknowledgement_before_the_commit_would_be_noticed(
    tmp_path: Path,
) -> None:
    """The same test fails when its defence is switched off."""
    database = f"sqlite:///{tmp_path}/keypeg.db"
    with restartable_servers(1, database, tmp_path, KEYPEG_TEST_EARLY_ACK="1") as servers:
        for attempt in range(5):
            history = MatchHistory()
            try:
                rng = random.Random(attempt)
                # Whoever was told of a move that was lost may be stuck.
                await play_and_kill(servers, Size(4, 60, 5), history, rng, patience=4.0)
                await check_matches_played(database, history)
            except Violation:
                return
    pytest.fail("five runs with early acknowledgements, and nothing was noticed")


async def test_several_servers_lose_nothing_at_matches(
    shared_address: str, redis: RedisServer, tmp_path: Path
) -> None:
    history = MatchHistory()
    with restartable_servers(2, shared_address, tmp_path, KEYPEG_REDIS=redis.url) as servers:
        size = Size(KILLS // 2, 15 * KILLS, 5)
        await play_and_kill(servers, size, history, random.Random(12))
    found = await check_matches_played(shared_address, history)
    assert (found.lost, found.doubled) == (0, 0)


@pytest.mark.parametrize("with_redis", [True, False])
async def test_players_of_one_race_are_at_several_servers(
    shared_address: str,
    redis: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    with_redis: bool,
) -> None:
    monkeypatch.setenv("KEYPEG_KEY", KEY)
    settings = {"redis": redis.url} if with_redis else {}
    async with (
        running(shared_address, **settings) as here,
        running(shared_address, **settings) as there,
        Client(here.url) as near,
        Client(there.url) as far,
        asyncio.timeout(SECONDS),
    ):
        made = await near.open_match(new_token(), kind="race", places=3, pace="together")
        others = [client.match(made.id, new_token()) for client in (near, far)]
        for one in others:
            await one.join()
        views = await asyncio.gather(*(play(one) for one in (made, *others)))
        assert {view.stage for view in views} == {MatchStage.OVER}
        assert all(own(view).rows for view in views)
        rows = [[player.rows for player in view.players] for view in views]
        assert rows[0] == rows[1] == rows[2]


async def test_the_clocks_of_a_server_that_is_gone_are_taken_over(
    shared_address: str, tmp_path: Path
) -> None:
    with restartable_servers(2, shared_address, tmp_path) as servers:
        async with Client(servers[0].url) as near, Client(servers[1].url) as far:
            made = await near.open_match(new_token(), kind="race", row_seconds=1, board="2x4")
            await near.match(made.id, new_token()).join()
            await servers[0].end()
            watched = far.match(made.id)
            async with asyncio.timeout(SECONDS):
                while (view := await watched.look()).stage is not MatchStage.OVER:
                    await asyncio.sleep(0.1)
        assert [len(player.rows or ()) for player in view.players] == [3, 3]
    await check_matches_played(shared_address, MatchHistory())
