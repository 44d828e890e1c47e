"""Whole series over real sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client, Connection, Player, Rows, play_series
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.notation import parse_record
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.server.solver_answers import SolverAnswers
from keypeg.server.solver_worker import Patience
from keypeg.store.events import Grade, HintUsed
from keypeg.store.log import Stage

pytestmark = pytest.mark.anyio


def consistent(board: Board, rows: Rows) -> Code:
    """A breaker that plays some code that fits."""
    guess = SolverAnswers().hint(board, rows, Patience(60)).guess
    assert guess is not None
    return guess


async def play(player: Player) -> Connection:
    async with player.connect() as table:
        await play_series(table, consistent)
        return table


@pytest.mark.parametrize("key_pegs", list(KeyPegMode))
async def test_two_clients_play_a_series_and_a_spectator_sees_all_of_it(
    tmp_path: Path, key_pegs: KeyPegMode
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, key_pegs=key_pegs)
        async with client.watch(one.table).connect() as watching:
            first, second = await asyncio.gather(play(one), play(two))
            await watching.wait_for(lambda: watching.status.stage is Stage.OVER)
        assert first.status.result == second.status.result == watching.status.result
        assert [entry.seq for entry in watching.entries] == [*range(1, watching.seq + 1)]
        record = parse_record(await client.record(one.table))
        result = record.replay().result
        assert result is not None
        assert watching.status.points == wire.PointsOut(result.points.one, result.points.two)


async def test_a_person_plays_the_computer(advised: Client) -> None:
    table = await play(await advised.open_table(opponent="perfect"))
    assert table.status.stage is Stage.OVER


async def test_only_the_maker_sees_the_secret_before_the_end(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with one.connect() as maker:
            await maker.set_secret((1, 2, 3, 4))
        assert (await one.look()).games[0].secret == (1, 2, 3, 4)
        for other in (two, client.watch(one.table)):
            seen = await other.look()
            assert seen.games[0].secret is None
            assert seen.games[0].nonce is None
            assert seen.games[0].seal is not None


async def test_one_hint_is_not_asked_for_again_after_the_next_row(advised: Client) -> None:
    one, two = await seated(advised, hints=True)
    path, right = f"/api/tables/{two.table}/hints", {"authorization": f"Bearer {two.token}"}
    async with one.connect() as maker, two.connect() as breaker:
        await maker.set_secret((1, 2, 3, 4))
        for _ in range(2):  # the answer was lost, and nothing has happened since
            given = await advised._http.post(path, json={"id": "h"}, headers=right)
            assert given.json()["codes_left"] == 1296
        await breaker.guess((1, 1, 2, 2))
        again = await advised._http.post(path, json={"id": "h"}, headers=right)
        assert again.status_code == 409


async def test_a_hint_is_given_and_written_down(advised: Client) -> None:
    one, two = await seated(advised, hints=True)
    async with one.connect() as maker, two.connect() as breaker:
        await maker.set_secret((1, 2, 3, 4))
        hint = await two.hint()
        assert hint.codes_left == 1296
        await maker.wait_for(lambda: maker.seq == 4)
        assert maker.entries[-1].events == (wire.event_out(HintUsed(1, Grade.BEST)),)
        assert breaker.seat is Seat.TWO
