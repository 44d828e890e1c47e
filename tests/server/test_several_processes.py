"""Several servers on PostgreSQL and Redis, and everything that can go wrong with them.

The guests of the kill test play through all servers at once, now through one and now through
another, while one is killed, one is stopped and wakes when its tables have moved on, Redis is
cut and returns, and PostgreSQL is killed and started again. What they noted is then held
against the log. `python -m bench faults servers` does the same, and more, at 500 tables.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from harness.checker import BUSY, Violation, check, check_log_of_server, read_back
from harness.clients.guests import guests
from harness.clients.sockets import PATIENCE, Raw, greeted, seated
from harness.databases import RedisServer, kill, restart, start
from harness.faults.rounds import until_done
from harness.history import History
from harness.servers.restartable import RestartableServer, failpoint, restartable_servers
from harness.servers.settings import KEY
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.rules.events import Guessed
from keypeg.store.events import TimeCredited
from tests.server.test_sharing import at, two_servers, until_present

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

KILLS = int(os.environ.get("KEYPEG_TEST_KILLS", "9"))
FROZEN = 1.5
TURN = 2
"""Seconds."""


async def kill_one(servers: list[RestartableServer], history: History, rng: random.Random) -> None:
    server = rng.choice(servers)
    await until_done(server, history, rng.randint(2, 20))
    await server.end()
    server.start(**failpoint(rng))


async def freeze_one(
    servers: list[RestartableServer], history: History, rng: random.Random
) -> None:
    """Stop a server; its guests stay with it, or leave for another and move there."""
    server = rng.choice(servers)
    with history.disturbance():
        server.send(signal.SIGSTOP)
        await asyncio.sleep(rng.uniform(0.2, FROZEN))
        server.send(signal.SIGCONT)
    await until_done(server, history, 5)


async def revive(servers: list[RestartableServer]) -> None:
    for server in servers:
        if not server.alive:
            server.start()


async def test_two_servers_lose_nothing_whatever_is_killed_or_stopped(
    shared_address: str, postgresql: Any, redis: RedisServer, tmp_path: Path
) -> None:
    rng, history = random.Random(8), History()
    with restartable_servers(2, shared_address, tmp_path, KEYPEG_REDIS=redis.url) as servers:
        async with guests([server.port for server in servers], 4, history, rng):
            for number in range(KILLS):
                await kill_one(servers, history, rng)
                if number == KILLS // 4:
                    redis.kill()
                if number == KILLS // 2:
                    redis.start()
                    with history.disturbance():
                        await asyncio.to_thread(restart, postgresql)
                        await until_done(servers[0], history, 5)
                if number % 3 == 2:
                    await revive(servers)
                    await freeze_one(servers, history, rng)
            await revive(servers)
            before = history.acknowledged
            await until_done(servers[0], history, 2 * KILLS, PATIENCE)
            assert history.acknowledged > before
        for server in servers:
            await server.end(signal.SIGTERM)
    logs, cards = await read_back(shared_address, history)
    check(history, logs, cards, BUSY)
    assert history.acknowledged > 2 * KILLS
    check_log_of_server(servers[0].log)


async def test_a_server_that_was_stopped_catches_up_before_it_speaks(
    shared_address: str, tmp_path: Path
) -> None:
    """It wakes after its table moved on: a stale command is refused, and nothing is skipped."""
    await stop_and_wake_one(shared_address, tmp_path)


async def test_a_server_that_does_not_catch_up_would_be_noticed(
    shared_address: str, tmp_path: Path
) -> None:
    with pytest.raises((AssertionError, ConnectionClosed)):
        await stop_and_wake_one(shared_address, tmp_path, KEYPEG_TEST_STUBBORN="1")


async def stop_and_wake_one(address: str, folder: Path, **environment: str) -> None:
    with restartable_servers(2, address, folder, **environment) as (here, there):
        async with Client(here.url) as client, Client(there.url) as far:
            one, two = await seated(client, board="4x6/99")
            path = f"/api/tables/{one.table}/commands"
            secret = wire.SetSecret(id="s", code=(1, 2, 3, 4))
            await client.post(path, secret, wire.Ack, one.token)
            breaker = Player(far, two.table, two.seat, two.token)
            async with greeted(there.port, breaker) as socket:
                await socket.hear_a(wire.Present)
                there.send(signal.SIGSTOP)
                for number in range(3):
                    guess = wire.Guess(id=f"g{number}", code=(5, 5, 6, 6))
                    await client.post(path, guess, wire.Ack, two.token)
                await socket.say(wire.Guess(id="late", code=(1, 1, 1, 1), seq=3))
                there.send(signal.SIGCONT)
                refused = await socket.hear_a(wire.Refused)
                assert refused.code == "stale"
                assert refused.table.status.seq == 6
                seen = await far.watch(one.table).look()
                assert [row.code for row in seen.games[0].rows] == [(5, 5, 6, 6)] * 3


async def test_an_acknowledgement_before_the_commit_would_be_noticed_by_two(
    shared_address: str, tmp_path: Path
) -> None:
    """The same fails when its defence is off: what was told is not in the log."""
    rng = random.Random(9)
    with restartable_servers(2, shared_address, tmp_path, KEYPEG_TEST_EARLY_ACK="1") as servers:
        for _ in range(5):
            history = History()
            try:
                async with guests([server.port for server in servers], 4, history, rng):
                    for _ in range(4):
                        await kill_one(servers, history, rng)
                logs, cards = await read_back(shared_address, history)
                check(history, logs, cards, BUSY)
                await revive(servers)
            except Violation as noticed:
                assert str(noticed).startswith("I")
                return
    pytest.fail("five runs with early acknowledgements, and nothing was noticed")


async def test_a_restart_of_postgresql_needs_none_of_the_servers(
    shared_address: str, postgresql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G13: the next moves work, and nobody has become absent by it."""
    monkeypatch.setenv("KEYPEG_KEY", KEY)
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with (
            at(there, two) as far,
            greeted(here.port, one) as maker,
            greeted(there.port, far) as breaker,
        ):
            await until_present(maker, two=True)
            await maker.say(wire.SetSecret(id="s", code=(1, 2, 3, 4)))
            await breaker.hear_a(wire.Update)
            await asyncio.to_thread(restart, postgresql)
            await insist(breaker, wire.Guess(id="g", code=(5, 5, 6, 6)))
            seen = await maker.hear_a(wire.Update)
            while not isinstance(seen.entry.events[0], wire.sent_as(Guessed)):
                seen = await maker.hear_a(wire.Update)
            parts = here.application.services.sharing
            assert parts is not None
            await noted_again(parts, one.table)


async def test_a_turn_outlives_a_postgresql_that_is_away_for_longer(
    shared_address: str, postgresql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G16: a move that could not be made in time can be made afterwards, and no flag falls."""
    monkeypatch.setenv("KEYPEG_KEY", KEY)
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one, _ = await seated(client, turn_seconds=TURN)
        async with at(there, one) as far, greeted(there.port, far) as maker:
            await maker.hear_a(wire.Present)
            await asyncio.to_thread(kill, postgresql)
            try:
                move = asyncio.create_task(insist(maker, wire.SetSecret(id="s", code=(1, 2, 3, 4))))
                await asyncio.sleep(2 * TURN)
                assert not move.done()
            finally:
                await asyncio.to_thread(start, postgresql)
            await move
        log = await here.application.services.log.read(one.table)
        events = [event for entry in log for event in entry.events]
        given = [event.milliseconds for event in events if isinstance(event, TimeCredited)]
        assert sum(given) > 1000 * TURN


async def insist(socket: Raw, command: wire.CommandIn) -> None:
    """Repeat a command until it is done."""
    while True:
        await socket.say(command)
        heard = await socket.hear()
        while not isinstance(heard, wire.Ack | wire.Refused):
            heard = await socket.hear()
        if isinstance(heard, wire.Ack):
            return
        assert heard.code == "unavailable"
        await asyncio.sleep(0.05)


async def noted_again(parts: Any, table: str) -> None:
    """Wait until the database knows again who is connected."""
    async with asyncio.timeout(PATIENCE):
        while len((await parts._processes.look([table]))[table].seats) < 2:
            await asyncio.sleep(0.05)
