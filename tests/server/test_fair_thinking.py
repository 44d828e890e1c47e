"""Thinking is shared fairly between addresses, and nothing is thought where nobody is.

Each check is made with the defence on, and fails with it off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg.client import Client
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.series import Seat
from keypeg.server import visits
from keypeg.server.fair_queue import FairQueue
from keypeg.server.opponent import Opponent
from keypeg.server.solver_worker import AnsweredRow, Asker, Hint, Patience, Solver, SolverWorker
from keypeg.table import presence
from tests.server.solvers import Marked, marked
from tests.server.test_solver_worker import thinking

pytestmark = pytest.mark.anyio
CLASSIC, ADVANCED = PRESETS["classic"], PRESETS["advanced"]
SECRET = (1, 2, 3, 4)
Patch = pytest.MonkeyPatch


class Missed(AssertionError):
    """What a check found that its defence should have prevented."""


class Prompt(Marked):
    """Gives hints on the classic board at once, and thinks for ever about all else."""

    def hint(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> Hint:
        if board == CLASSIC:
            self.mark("hinted")
            return Hint(1, exact=True, guess=None, why="")
        return super().hint(board, rows, patience)


async def answered(worker: SolverWorker, address: str) -> bool:
    try:
        await worker.hint(Asker(f"{address} again", address=address), CLASSIC, ())
    except KeypegError:
        return False
    return True


async def others_are_answered_beside_a_long_thought(folder: Path) -> None:
    """One address asks for a review without end; what another asks is answered meanwhile."""
    async with thinking(Prompt(folder), seconds=30) as worker:
        worker.start()
        await marked(folder, "warm")
        long = asyncio.create_task(worker.review(Asker("eve"), ADVANCED, ()))
        await marked(folder, "began-review-advanced-0")
        in_time = await answered(worker, "ann") and not long.done()
        if in_time:
            # The thought was put back, and is begun again.
            await marked(folder, "began-review-advanced-0", 2)
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        if not in_time:
            raise Missed("a thought of another address was waited for")


def let_no_thought_make_way(patch: Patch) -> None:
    patch.setattr(FairQueue, "others", lambda *_: False)
    original = SolverWorker.__init__

    def hurried(self: SolverWorker, solver: Solver, seconds: float) -> None:
        original(self, solver, min(seconds, 3.0))

    patch.setattr(SolverWorker, "__init__", hurried)


async def who_asks_much_waits_behind_who_asks_little(folder: Path) -> None:
    """One address has thirty questions in the queue before another asks its first."""
    async with thinking(Prompt(folder), seconds=30) as worker:
        asking = [
            asyncio.create_task(worker.hint(Asker(f"{n}", address="eve"), CLASSIC, ()))
            for n in range(30)
        ]
        await asyncio.sleep(0)
        await worker.hint(Asker("ann"), CLASSIC, ())
        done = sum(task.done() for task in asking)
        await asyncio.gather(*asking)
        if done > 5:
            raise Missed(f"{done} questions of one address were answered first")


def serve_in_order(patch: Patch) -> None:
    """First come, first served: as if all had one address."""
    ask = SolverWorker._ask
    patch.setattr(SolverWorker, "_ask", lambda self, _, *job: ask(self, "", *job))


async def nothing_is_thought_where_nobody_is(folder: Path) -> None:
    """A thought is called off when the last one leaves, and begun again when somebody comes."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(folder, Marked(folder)))
        client = await stack.enter_async_context(Client(server.url))
        person = await client.open_table(opponent="strong")
        async with person.connect() as maker:
            await maker.set_secret(SECRET)
            await marked(folder, "began-guess-classic-0")
        try:
            async with asyncio.timeout(5):
                await marked(folder, "off-guess-classic-0")
        except TimeoutError:
            raise Missed("the computer thinks at a table that nobody attends") from None
        async with client.watch(person.table).connect():
            await marked(folder, "began-guess-classic-0", 2)


def think_alone(patch: Patch) -> None:
    patch.setattr(Opponent, "needs_company", False)


async def whoever_only_polls_is_there(folder: Path) -> None:
    """Somebody without a socket asked just now: the opponent cannot claim, and the page says so."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(folder, Marked(folder)))
        client = await stack.enter_async_context(Client(server.url))
        one, two = await seated(client)
        await one.connect().__aenter__()
        table = server.application.services.tables.at_hand(one.table)
        assert table is not None
        clock = server.application.services.tables.clock
        table.presence._left[Seat.TWO] -= 31.0
        before = table.presence.away(Seat.TWO, clock.now())
        await two.look()
        if before < 31 or table.presence.away(Seat.TWO, clock.now()):
            raise Missed("a player who polls counts as away")
        assert table.presence.present(Seat.TWO, clock.now())


def do_not_count_requests(patch: Patch) -> None:
    patch.setattr(presence.Presence, "visit", lambda *_: None)


DEFENCES: dict[Callable[[Path], Awaitable[None]], Callable[[Patch], None]] = {
    others_are_answered_beside_a_long_thought: let_no_thought_make_way,
    who_asks_much_waits_behind_who_asks_little: serve_in_order,
    nothing_is_thought_where_nobody_is: think_alone,
    whoever_only_polls_is_there: do_not_count_requests,
}


@pytest.mark.parametrize("check", DEFENCES)
async def test_the_defence_holds(check: Callable[[Path], Awaitable[None]], tmp_path: Path) -> None:
    await check(tmp_path)


@pytest.mark.parametrize("check", DEFENCES)
async def test_the_check_notices_when_the_defence_is_off(
    check: Callable[[Path], Awaitable[None]], tmp_path: Path, monkeypatch: Patch
) -> None:
    DEFENCES[check](monkeypatch)
    with pytest.raises(Missed):
        await check(tmp_path)


async def test_polling_lets_the_computer_think_until_it_ends(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(visits, "VISIT_SECONDS", 0.05)
    async with running(tmp_path, Marked(tmp_path)) as server, Client(server.url) as client:
        person = await client.open_table(opponent="strong")
        async with person.connect() as maker:
            await maker.set_secret(SECRET)
            await marked(tmp_path, "began-guess-classic-0")
        await marked(tmp_path, "off-guess-classic-0")
        assert (await person.look()).status.turn is Seat.TWO
        await marked(tmp_path, "began-guess-classic-0", 2)
        await marked(tmp_path, "off-guess-classic-0", 2)
        assert not server.application.services.visits
        assert not server.application.services.opponents._waiting


async def test_the_computer_takes_the_turn_of_whoever_opened_the_table(tmp_path: Path) -> None:
    async with running(tmp_path, Marked(tmp_path)) as server, Client(server.url) as client:
        person = await client.open_table(opponent="strong")
        table = server.application.services.tables.at_hand(person.table)
        assert table is not None
        assert table.account == "127.0.0.1"
        table.account = ""
        await person.look()
        assert table.account == "127.0.0.1"
