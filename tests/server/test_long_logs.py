"""A table with a long log is looked at as quickly as one with a short one."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from keypeg.client import Client, Player
from keypeg.server import messages as wire
from keypeg.store.log import Entry
from keypeg.table import Seat, history
from keypeg.table.commands import Guess, NextGame, SetSecret
from keypeg.table.state import State, fold
from keypeg.table.table import Table
from tests.server.running import greeted, running, seated

pytestmark = pytest.mark.anyio

LENGTH = 2_000


async def lengthen(table: Table) -> None:
    """Let the two play until the log is long."""
    number = 0

    async def ask(seat: Seat, command: SetSecret | Guess | NextGame) -> None:
        nonlocal number
        number += 1
        await table.handle(seat, f"long-{number}", command, 0.0)

    while table.seq < LENGTH:
        game, maker = table.state.series.game, table.state.series.maker
        assert game is not None
        if not game.secret_set:
            await ask(maker, SetSecret((1, 2, 3, 4)))
        elif game.outcome is None:
            await ask(maker.other, Guess((5, 5, 6, 6)))
        else:
            await ask(maker, NextGame())


async def test_looking_at_a_long_log_folds_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded = 0

    def counted(state: State, entry: Entry) -> State:
        nonlocal folded
        folded += 1
        return fold(state, entry)

    monkeypatch.setattr(history, "fold", counted)
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99", games=100)
        table = await server.application.services.tables.get(one.table)
        await lengthen(table)
        places = [one, two, client.watch(one.table)]
        for place in places:
            await place.look()
        assert folded == len(places) * (LENGTH - 1)
        folded = 0
        for place in places:
            await look_in_every_way(server.port, place)
        assert folded == 0
        assert (await one.look()).status.seq == LENGTH


async def look_in_every_way(port: int, place: Player) -> None:
    """By request, by a hello, and by a command that is stale."""
    await place.look()
    async with greeted(port, place) as socket:
        welcome = await socket.hear_a(wire.Welcome)
        assert welcome.table.status.seq == LENGTH
        if place.seat is not None:
            await socket.say(wire.Resign(id="late", seq=1))
            assert (await socket.hear_a(wire.Refused)).table.status.seq == LENGTH
    if place.seat is not None:
        async with httpx.AsyncClient(base_url=place.client.url) as http:
            answer = await http.post(
                f"/api/tables/{place.table}/commands",
                json={"type": "resign", "id": "later", "seq": 1},
                headers={"authorization": f"Bearer {place.token}"},
            )
        assert answer.json()["table"]["status"]["seq"] == LENGTH
