"""Races and duels over HTTP and the socket: every variant to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.matches import own, play
from harness.servers.in_process import Running, running
from keypeg.client import Client, Match, Refused
from keypeg.matches.decisions import MOST_RENAMES
from keypeg.messages import MatchOut
from keypeg.rules.board import PRESETS
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.state import MatchStage
from keypeg.server import match_rooms
from keypeg.table.tokens import new_token

pytestmark = pytest.mark.anyio
CLASSIC = PRESETS["classic"]
A, B = (1, 2, 3, 4), (4, 3, 2, 1)
SECONDS = 60.0


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as server:
        yield server


@pytest.fixture
async def client(server: Running) -> AsyncIterator[Client]:
    async with Client(server.url) as client:
        yield client


async def gathered(client: Client, players: int, **settings: Any) -> list[Match]:
    """A match with these players."""
    made = await client.open_match(
        new_token(), **{"kind": "race", "places": players, "name": "Ann", **settings}
    )
    joined = [made]
    for number in range(2, players + 1):
        one = client.match(made.id, new_token())
        await one.join(f"Player {number}")
        joined.append(one)
    return joined


def sealed_rightly(view: MatchOut) -> bool:
    assert view.codes
    games = {player.number: (player.game, player.seal) for player in view.players}
    for code in view.codes:
        game, seal = games[code.player] if code.player else (view.game, view.seal)
        opening = Opening(code.code, bytes.fromhex(code.nonce))
        if not opens(seal or "", CLASSIC, game or "", opening):
            return False
    return True


@pytest.mark.parametrize("keys_shown", [True, False])
@pytest.mark.parametrize("pace", ["own", "together"])
async def test_a_race_is_played_to_the_end(client: Client, pace: str, keys_shown: bool) -> None:
    players = await gathered(client, 3, pace=pace, keys_shown=keys_shown)
    async with asyncio.timeout(SECONDS):
        views = await asyncio.gather(*(play(one) for one in players))
    seen = await client.match(players[0].id).look()
    for view in views:
        assert view.stage is MatchStage.OVER
        assert sealed_rightly(view)
        assert [player.rows for player in view.players] == [player.rows for player in seen.players]
        needed = sorted(player.needed or 99 for player in view.players)
        for player in view.players:
            assert player.ending == "broken"
            assert player.rows
            assert player.rows[-1].code == view.codes[0].code  # type: ignore[index]
            assert player.place == needed.index(player.needed or 99) + 1
            assert (player.milliseconds is not None) == (pace == "own")


async def test_a_race_for_time_is_won_by_whoever_breaks_the_code_first(client: Client) -> None:
    players = await gathered(client, 2, goal="time")
    async with asyncio.timeout(SECONDS):
        views = await asyncio.gather(*(play(one) for one in players))
    first, second = sorted(views[0].players, key=lambda player: player.milliseconds or 0)
    assert None not in (first.milliseconds, second.milliseconds)
    equal = first.milliseconds == second.milliseconds
    assert (first.place, second.place) == ((1, 1) if equal else (1, 2))


@pytest.mark.parametrize("key_pegs", ["referee", "by-hand"])
async def test_a_duel_is_played_to_the_end(client: Client, key_pegs: str) -> None:
    players = await gathered(client, 2, kind="duel", key_pegs=key_pegs)
    assert (await players[0].look()).stage is MatchStage.SETTING
    async with asyncio.timeout(SECONDS):
        views = await asyncio.gather(play(players[0], A), play(players[1], B))
    for view, secret in zip(views, (A, B), strict=True):
        assert view.stage is MatchStage.OVER
        assert sealed_rightly(view)
        assert view.secret == secret
        assert {code.player: code.code for code in view.codes or ()} == {1: B, 2: A}
        needed = [player.needed or 99 for player in view.players]
        places = [player.place for player in view.players]
        assert places == (
            [1, 1] if needed[0] == needed[1] else [1, 2] if needed[0] < needed[1] else [2, 1]
        )


async def test_a_duel_together_is_played_to_the_end(client: Client) -> None:
    players = await gathered(client, 2, kind="duel", pace="together")
    async with asyncio.timeout(SECONDS):
        views = await asyncio.gather(play(players[0], A), play(players[1], B))
    assert {view.stage for view in views} == {MatchStage.OVER}
    assert len({len(player.rows or ()) for player in views[0].players}) == 1


async def test_whoever_gives_wrong_information_loses_the_duel(client: Client) -> None:
    one, two = await gathered(client, 2, kind="duel", key_pegs="by-hand")
    await one.set_secret(A)
    await two.set_secret(B)
    view = await one.guess(1, (1, 1, 1, 1))
    assert [player.to_answer for player in view.players] == [None, None]
    seen = await two.look()
    waiting = seen.players[0].to_answer
    assert waiting is not None
    assert waiting.code == (1, 1, 1, 1)
    await two.answer(1, KeyPegs(0, 0))
    view = await one.challenge()
    assert (view.stage, [player.place for player in view.players]) == (MatchStage.OVER, [1, 2])
    assert [player.ending for player in view.players] == ["unbroken", "wrong-information"]
    assert [(one.player, one.upheld) for one in view.challenges] == [(1, True)]


async def test_the_computer_takes_part(client: Client) -> None:
    made = await client.open_match(
        new_token(), kind="race", places=3, computers=["perfect", "perfect"]
    )
    view = await made.look()
    assert [player.level for player in view.players] == [None, "perfect", "perfect"]
    assert MatchOption.START in view.options
    async with asyncio.timeout(SECONDS):
        view = await play(made)
    assert [player.ending for player in view.players] == ["broken"] * 3
    duel = await client.open_match(
        new_token(), kind="duel", key_pegs="by-hand", computers=["perfect"]
    )
    async with asyncio.timeout(SECONDS):
        view = await play(duel, A)
    assert view.stage is MatchStage.OVER
    another = await duel.another()
    assert (await another.look()).stage is MatchStage.SETTING
    assert (await client.match(duel.id).look()).next == another.id


async def test_hidden_rows_move_nobody_s_view(client: Client) -> None:
    """With hidden key pegs at one's own pace, others are sent nothing when a row is played."""
    one, two = await gathered(client, 2, keys_shown=False)
    async with client.match(one.id).connect() as watched, two.connect() as live:
        await watched.wait_for(lambda view: view.players[1].here)
        before = [(view.views, view.view.seq) for view in (watched, live)]
        for row in range(1, 4):
            await one.guess(row, (1, 1, 2, 2 + row % 2))
        assert [player.rows for player in (await two.look()).players] == [None, ()]
        await two.guess(1, (1, 1, 2, 2))
        await live.wait_for(lambda view: own(view).rows)
        after = [(view.views, view.view.seq) for view in (watched, live)]
        assert after == [before[0], (before[1][0] + 1, before[1][1] + 1)]
        await one.give_up()
        view = await watched.wait_for(lambda view: view.players[0].done)
        assert (view.players[0].gave_up, view.players[0].ending) == (False, None)


async def test_a_command_is_carried_out_once(client: Client, server: Running) -> None:
    one, two = await gathered(client, 2)
    async with httpx.AsyncClient(base_url=server.url, headers=bearer(one._token or "")) as http:
        path = f"/api/matches/{one.id}/commands"
        body = {"type": "guess", "id": "x", "row": 1, "code": [1, 1, 1, 1]}
        answers = [(await http.post(path, json=body)).json() for _ in range(2)]
        assert answers[0]["seq"] == answers[1]["seq"]
        assert len(own(await one.look()).rows or ()) == 1
        other = await http.post(path, json={**body, "code": [2, 2, 2, 2]})
        assert (other.status_code, other.json()["code"]) == (409, "conflict")
        wrong = await http.post(path, json={**body, "id": "y"})
        assert (wrong.status_code, wrong.json()["code"]) == (409, "wrong-row")
    assert (await two.look()).players[0].rows[0].code is None  # type: ignore[index]
    with pytest.raises(Refused, match="join it first"):
        await client.match(one.id, new_token()).give_up()


async def test_whoever_comes_and_goes_is_told_of_now_and_then(
    client: Client, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_rooms, "GATHERING_SECONDS", 3_600.0)
    one, two = await gathered(client, 2)
    async with asyncio.timeout(SECONDS), client.match(one.id).connect() as watched:
        for _ in range(5):
            async with two.connect():
                await watched.wait_for(lambda view: view.players[1].here)
        await one.guess(1, (1, 1, 2, 2))
        await watched.wait_for(lambda view: view.players[0].rows)
        assert watched.views == 3, "as it was at first, with the other player, and with the row"
        room = server.application.services.match_rooms[one.id]
        while room.match.present:
            await asyncio.sleep(0.001)
        room._gathered()
        await watched.wait_for(lambda view: not view.players[1].here)


async def test_what_is_not_told_yet_does_not_come_with_a_hidden_row(
    client: Client, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_rooms, "GATHERING_SECONDS", 3_600.0)
    one, two = await gathered(client, 2, keys_shown=False)
    async with asyncio.timeout(SECONDS), client.match(one.id).connect() as watched:
        async with two.connect():
            await watched.wait_for(lambda view: view.players[1].here)
        room = server.application.services.match_rooms[one.id]
        while room.match.present:
            await asyncio.sleep(0.001)
        await one.guess(1, (1, 1, 2, 2))
        async with two.connect():
            await one.give_up()
            await watched.wait_for(lambda view: view.players[0].done)
            assert watched.views == 3, "as it was at first, with the other player, and at the end"


async def test_whoever_leaves_twice_is_answered_the_same(client: Client, server: Running) -> None:
    made = await client.open_match(new_token(), kind="race", places=3)
    token = new_token()
    await client.match(made.id, token).join("Bob")
    async with httpx.AsyncClient(base_url=server.url, headers=bearer(token)) as http:
        path, body = f"/api/matches/{made.id}/commands", {"type": "leave", "id": "x"}
        first, again = [await http.post(path, json=body) for _ in range(2)]
        assert (first.status_code, again.status_code) == (200, 200)
        assert first.json()["seq"] == again.json()["seq"]
        other = await http.post(path, json={**body, "id": "y"})
        assert (other.status_code, other.json()["code"]) == (409, "no-place")


async def test_names_are_not_changed_without_end(client: Client) -> None:
    made = await client.open_match(new_token(), kind="race", name="Ann")
    for number in range(MOST_RENAMES):
        await made.join(f"Ann {number}")
    with pytest.raises(Refused, match="20 times"):
        await made.join("Anna")
    assert (await made.join(f"Ann {MOST_RENAMES - 1}")).you == 1


async def test_rows_that_are_not_filled_in_time_stay_empty(client: Client) -> None:
    _, two = await gathered(client, 2, row_seconds=1)
    async with asyncio.timeout(SECONDS), two.connect() as live:
        view = await live.wait_for(lambda view: view.stage is MatchStage.OVER)
    assert [player.ending for player in view.players] == ["gave-up", "gave-up"]
    assert [[row.expired for row in player.rows or ()] for player in view.players] == [
        [True] * 3
    ] * 2


async def test_before_it_begins_players_come_and_go(client: Client) -> None:
    made = await client.open_match(new_token(), kind="race", places=4)
    two, three = (client.match(made.id, new_token()) for _ in range(2))
    await two.join("Bob")
    await three.join()
    await three.join("Cleo")
    view = await two.leave()
    assert [(player.number, player.name) for player in view.players] == [(1, None), (3, "Cleo")]
    assert view.options == (MatchOption.JOIN,)
    with pytest.raises(Refused, match="only player 1"):
        await three.start()
    view = await made.start()
    assert view.stage is MatchStage.PLAYING
    with pytest.raises(Refused, match="has begun"):
        await two.join()
    cancelled = await client.open_match(new_token(), kind="duel")
    assert (await cancelled.leave()).stage is MatchStage.CANCELLED
    assert score(A, B) == KeyPegs(0, 4)
