"""Losses in contests are computed in turn for each address that wants to know them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest

from harness.clients.sockets import PATIENCE
from harness.tables import FakeClock
from keypeg.contests.game import Contests, Plan
from keypeg.rules.board import Board
from keypeg.server.contest_losses import Losses
from keypeg.server.solver_worker import Solver, SolverWorker
from keypeg.store.contests import ContestKey
from keypeg.store.sql import SqlLog
from keypeg.table.tokens import hashed
from tests.server.solvers import Reviewing
from tests.store.entries import KEY

pytestmark = pytest.mark.anyio
BOARD = Board(4, 6)
CODE = (1, 2, 3, 4)


async def broken(contests: Contests, setter: str, entrants: int) -> list[ContestKey]:
    """The attempts of a contest in which everybody is done."""
    made = await contests.create(hashed(setter), "c", Plan(BOARD, (CODE,)))
    id_ = made.contest.id
    for number in range(entrants):
        holder = hashed(f"{setter}{number}")
        await contests.enter(id_, holder, None)
        await contests.guess(id_, 1, holder, ("g", CODE))
    return [ContestKey(id_, 1, number + 1) for number in range(entrants)]


@pytest.mark.parametrize("defended", [True, False])
async def test_addresses_take_turns_in_having_losses_computed(
    tmp_path: Path, defended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    contests = Contests(log, FakeClock())
    solver = SolverWorker(cast("Solver", Reviewing()), 60.0)
    losses, rated = Losses(contests.store, solver), list[ContestKey]()
    keep_loss = contests.store.keep_loss

    async def noted(key: ContestKey, loss: int) -> None:
        await keep_loss(key, loss)
        rated.append(key)

    monkeypatch.setattr(contests.store, "keep_loss", noted)
    eves, anns = await broken(contests, "eve", 6), await broken(contests, "ann", 1)
    for keys, address in ((eves, "eve"), (anns, "ann"), (eves, "bob")):
        assert losses.want(BOARD, keys, address if defended else "all")
    async with asyncio.timeout(PATIENCE):
        while losses._waiting:
            await asyncio.sleep(0.01)
    assert (rated.index(anns[0]) < 2) is defended
    # Nothing is computed twice, whoever asks.
    assert sorted(rated) == sorted([*eves, *anns])
    assert not losses._rated
    await losses.close()
    await solver.close()
    await log.close()
