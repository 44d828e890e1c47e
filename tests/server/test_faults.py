"""Killed again and again under random play, the server loses nothing it acknowledged.

Two players and a spectator sit at each of a few tables and play at random: moves that fit,
moves that do not, repeats, stale commands, lost connections. Meanwhile the server is killed
with -9, at random moments and at chosen places in its writing, and started again. What the
clients noted is then held against the log.

KEYPEG_TEST_KILLS sets how often; the default is for every day, a thousand for a long night.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from dataclasses import replace as replace_card
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.checker import Violation, check, check_log_of_server, read_back
from harness.clients.guests import guests
from harness.clients.sockets import PATIENCE, seated
from harness.faults.rounds import until_done
from harness.history import History, Outcome
from harness.servers.restartable import RestartableServer, failpoint, restartable_server
from keypeg import messages as wire
from keypeg.client import Client, Player, play_series
from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.store.log import Card, Entry

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

KILLS = int(os.environ.get("KEYPEG_TEST_KILLS", "8"))
TABLES = 4
GAMES, MOVES_BETWEEN = 12, 6
"""Of a series through restarts."""


async def play_and_kill(
    servers: RestartableServer, kills: int, rng: random.Random, least: int, tables: int = TABLES
) -> History:
    """Play at random through many deaths of the server, and until `least` moves were made."""
    history = History()
    async with guests([servers.port], tables, history, rng):
        for _ in range(kills):
            await until_done(servers, history, rng.randint(2, 20))
            await servers.end()
            servers.start(**failpoint(rng))
        await until_done(servers, history, 5)
        if not servers.alive:
            servers.start()
        await until_done(servers, history, least - history.acknowledged, PATIENCE)
    await servers.end(signal.SIGTERM)
    return history


async def test_nothing_acknowledged_is_lost_however_often_it_is_killed(
    address: str, tmp_path: Path
) -> None:
    rng = random.Random(4)
    with restartable_server(address, tmp_path) as servers:
        # On PostgreSQL the computer plays in test_several_processes.py: it starts anew each time.
        tables = TABLES if address.startswith("sqlite") else TABLES - 1
        history = await play_and_kill(servers, KILLS, rng, 2 * KILLS, tables)
    logs, cards = await read_back(address, history)
    check(history, logs, cards)
    assert history.statuses
    assert history.options
    assert history.tables
    would_be_noticed(history, logs, cards)
    assert history.acknowledged >= 2 * KILLS
    assert any(op.outcome is Outcome.FAILED for op in history.ops)
    assert len({key[2] for key in history.seen}) > 3
    check_log_of_server(servers.log)


def would_be_noticed(
    history: History, logs: dict[str, list[Entry]], cards: dict[str, Card]
) -> None:
    """Anything false that somebody might have been shown beside the entries."""
    name, status = history.statuses[-1]
    table = history.tables[-1]
    game = table.games[-1]
    game = replace(game, secret=(2, 2, 2) if game.secret == (1, 1, 1) else (1, 1, 1))
    seen = replace(table, one=replace(table.one, name="Eve"))
    told = replace(status, points=replace(status.points, one=99))
    for false in (
        {"statuses": [(name, told)]},
        {"statuses": [(name, replace(status, due=1 if status.due is None else None))]},
        {"statuses": [(name, replace(status, seq=10**6))]},
        {"tables": [seen]},
        {"tables": [replace(table, games=(*table.games[:-1], game))]},
    ):
        with pytest.raises(Violation, match="I9"):
            check(History(history.ops, **false), logs, cards)
    cards = {**cards, name: replace_card(cards[name], due=1)}
    with pytest.raises(Violation, match="I9"):
        check(history, logs, cards)


async def test_clients_play_a_series_through_restarts(tmp_path: Path) -> None:
    """Connections are lost again and again; the two clients notice nothing but the time."""
    moves = 0

    async def play(player: Player) -> wire.ResultOut:
        def devise(board: Board, rows: object) -> Code:
            nonlocal moves
            moves += 1
            return draw_code(board)

        # A start may take seconds on a busy machine, and nothing here runs meanwhile.
        async with player.connect(patience=600) as table:
            return await play_series(table, devise)

    with restartable_server(f"sqlite:///{tmp_path}/keypeg.db", tmp_path) as servers:
        async with Client(servers.url) as client:
            playing = asyncio.gather(*map(play, await seated(client, board="2x4/6", games=GAMES)))
            while not playing.done():
                # Not by time: where connecting takes longer than that, nobody would ever move.
                before = moves
                while moves < before + MOVES_BETWEEN and not playing.done():
                    await asyncio.wait([playing], timeout=0.01)
                await servers.end(random.choice([signal.SIGKILL, signal.SIGTERM]))
                servers.start()
            one, two = await playing
        assert one == two
        assert servers.starts > 2


async def test_an_acknowledgement_before_the_commit_would_be_noticed(tmp_path: Path) -> None:
    """The same test fails when its defence is switched off."""
    database = f"sqlite:///{tmp_path}/keypeg.db"
    with restartable_server(database, tmp_path, KEYPEG_TEST_EARLY_ACK="1") as servers:
        for attempt in range(5):
            try:
                history = await play_and_kill(servers, 6, random.Random(attempt), 0)
                logs, cards = await read_back(database, history)
                check(history, logs, cards)
                servers.start()
            except Violation as noticed:
                assert str(noticed).startswith("I")
                return
    pytest.fail("five runs with early acknowledgements, and nothing was noticed")
