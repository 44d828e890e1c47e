"""What one address has written in a day has an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg.client import Client, Connection, Refused
from keypeg.server.quota import Quota
from keypeg.server.solver_worker import Busy

pytestmark = pytest.mark.anyio


def fill(quota: Quota) -> None:
    for _ in range(10):
        quota.charge("eve")


async def guess(breaker: Connection, times: int) -> None:
    for _ in range(times):
        await breaker.guess((5, 5, 6, 6))


def test_what_has_begun_may_go_on_for_as_much_again() -> None:
    quota = Quota(100)
    for _ in range(101):
        assert not quota.spent("eve")
        quota.charge("eve")
    assert quota.spent("eve")
    for _ in range(98):
        quota.charge("eve")
    with pytest.raises(Busy):
        fill(quota)
    assert not quota.spent("ann")


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
            with pytest.raises(Refused, match="too much was played"):
                await guess(breaker, 30)
