"""What one address has written in a day has an end."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from harness.clients.light import Http, Rejected
from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg.client import Client, Connection, Refused
from keypeg.rules.game import Phase
from keypeg.server.metrics import Metrics
from keypeg.server.quota import Quota
from keypeg.server.refusals import Refusals
from keypeg.server.solver_worker import Busy

pytestmark = pytest.mark.anyio


def write(quota: Quota, entries: int) -> None:
    for _ in range(entries):
        quota.check("eve")
        quota.charge("eve")


async def guess(breaker: Connection, times: int) -> None:
    for _ in range(times):
        await breaker.guess((5, 5, 6, 6))


def test_what_has_begun_may_go_on_for_as_much_again() -> None:
    metrics = Metrics()
    quota = Quota(100, Refusals(metrics))
    write(quota, 101)
    assert quota.spent("eve")
    with pytest.raises(Busy):
        quota.check("eve", begins=True)
    write(quota, 98)
    with pytest.raises(Busy):
        write(quota, 10)
    assert not quota.spent("ann")
    assert metrics.refused.labels("entries")._value.get() == 2


async def test_an_address_that_wrote_too_much_opens_no_table_and_then_plays_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.client.http.PATIENCE", 0.1)
    async with running(tmp_path, entries_per_day=20) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with one.connect() as maker, two.connect() as breaker:
            await maker.set_secret((1, 2, 3, 4))
            await guess(breaker, 21)
            with pytest.raises(Refused, match="tables"):
                await client.open_table()
            with pytest.raises(Refused, match="too much was written"):
                await guess(breaker, 30)


@pytest.mark.parametrize("guesses", ["refused", "repeated", "written"])
async def test_nobody_uses_up_what_the_opponent_may_write(tmp_path: Path, guesses: str) -> None:
    """Ann opens a table, where Eve does what she can; afterwards Ann plays on and opens another."""
    async with running(tmp_path, entries_per_day=20) as server:
        ann, eve = (Http(server.port, f"127.0.0.{number}", 1) for number in (5, 66))
        one = await ann.post("/api/tables", {"board": "4x6/99", "seat": "one"})
        path, maker = f"/api/tables/{one['table']}", one["token"]
        breaker = (await eve.post(f"{path}/seats", {"seat": "two"}))["token"]
        secret = {"type": "set-secret", "id": "s", "code": [1, 2, 3, 4]}
        if guesses != "refused":
            await ann.post(f"{path}/commands", secret, maker)
        guess = {"type": "guess", "code": [5, 5, 6, 6]}
        for number in range(50):
            id_ = "g" if guesses == "repeated" else f"g{number}"
            with contextlib.suppress(Rejected):
                await eve.post(f"{path}/commands", {**guess, "id": id_}, breaker)
        await ann.post(f"{path}/commands", {"type": "resign", "id": "r"}, maker)
        await ann.post("/api/tables", {"seat": "one"})
        quota = server.application.services.quota
        assert quota.spent("127.0.0.66") is (guesses == "written")
        for http in (ann, eve):
            http.close()


async def test_what_the_computer_writes_is_charged_to_its_opponent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        person = await client.open_table(opponent="perfect")
        async with person.connect() as maker:
            charged = list[int]()
            quota = server.application.services.quota
            monkeypatch.setattr(quota, "charge", lambda _, entries=1: charged.append(entries))
            await maker.set_secret((1, 2, 3, 4))
            await maker.wait_for(lambda: maker.status.phase is Phase.OVER)
            seq = await maker.next_game()
            assert charged == [1, seq - 2]
