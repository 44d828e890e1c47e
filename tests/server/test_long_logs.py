"""A table with a long log is looked at as quickly as one with a short one."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from harness.clients.sockets import greeted, seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.store import codec
from keypeg.store.log import SLICE, Entry
from keypeg.table import Seat, history
from keypeg.table import table as table_module
from keypeg.table.commands import Guess, NextGame, SetSecret
from keypeg.table.state import State, fold
from keypeg.table.table import Table

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


class LongTable(NamedTuple):
    """A folder with the database of one table, its log long, and those who played there."""

    folder: Path
    seats: tuple[Player, Player]

    def copied_to(self, folder: Path) -> Path:
        """Another folder with the same."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return folder

    def seats_of(self, client: Client) -> list[Player]:
        """The two seats, taken by another client."""
        return [Player(client, each.table, each.seat, each.token) for each in self.seats]


@pytest.fixture(scope="module")
def long_table(tmp_path_factory: pytest.TempPathFactory) -> LongTable:
    """Played once, since that takes longer than all that is then done with it."""

    async def played() -> tuple[Player, Player]:
        async with running(folder) as server, Client(server.url) as client:
            players = await seated(client, board="4x6/99", games=100)
            await lengthen(await server.application.services.tables.get(players[0].table))
            return players

    folder = tmp_path_factory.mktemp("long")
    return LongTable(folder, asyncio.run(played()))


async def test_looking_at_a_long_log_folds_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long_table: LongTable
) -> None:
    folded = 0

    def counted(state: State, entry: Entry) -> State:
        nonlocal folded
        folded += 1
        return fold(state, entry)

    monkeypatch.setattr(history, "fold", counted)
    async with running(long_table.copied_to(tmp_path)) as server, Client(server.url) as client:
        one, two = long_table.seats_of(client)
        places = [one, two, client.watch(one.table)]
        for place in places:
            await place.look()
        assert folded == len(places) * (LENGTH - 1)
        folded = 0
        for place in places:
            await look_in_every_way(server.port, place)
        assert folded == 0
        assert (await one.look()).status.seq == LENGTH


@pytest.mark.parametrize("seq", [None, 1, 10**6])
async def test_the_first_look_at_a_long_log_holds_up_nobody_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long_table: LongTable, seq: int | None
) -> None:
    """Whoever looks, and however: only so many entries are read or folded before others' turn."""
    done, most = 0, 0

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def count(*arguments: Any) -> Any:
            nonlocal done
            done += 1
            return work(*arguments)

        return count

    async def live() -> None:
        nonlocal done, most
        while True:
            most, done = max(most, done), 0
            await asyncio.sleep(0)

    for module, name in ((history, "fold"), (table_module, "fold"), (codec, "decode")):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    async with running(long_table.copied_to(tmp_path)) as server, Client(server.url) as client:
        living = asyncio.create_task(live())
        player, _ = long_table.seats_of(client)
        for place in (client.watch(player.table), player):
            async with greeted(server.port, place, seq) as socket:
                await socket.hear_a(wire.Present)
                if place.seat is not None:
                    await socket.say(wire.Resign(id="late", seq=1))
                    assert (await socket.hear_a(wire.Refused)).table.status.seq == LENGTH
        await client.watch(player.table).look()
        living.cancel()
    assert 10 < most <= 2 * SLICE


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
