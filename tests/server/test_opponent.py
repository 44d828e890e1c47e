"""The computer as an opponent over a real server: it thinks elsewhere, and always goes on."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path

import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import running
from harness.servers.processes import ServerProcess
from keypeg import messages as wire
from keypeg.client import Client, Connection, Player, Rows, play_series
from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.events import Guessed, Revealed
from keypeg.rules.keypegs import score
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.server.opponent import Opponent
from keypeg.store.log import Stage
from tests.server.solvers import GO, Marked, NeverReady, Quick, Stubborn, marked

pytestmark = pytest.mark.anyio
SECRET, WRONG = (1, 2, 3, 4), (5, 5, 6, 6)


def fitting(board: Board, rows: Rows) -> Code:
    """The first code that fits; for small boards."""
    return next(
        code
        for code in product(board.symbols, repeat=board.holes)
        if all(score(code, guess) == keys for guess, keys in rows)
    )


async def play(player: Player) -> Connection:
    async with player.connect() as table:
        await play_series(table, fitting)
        return table


async def made(stack: AsyncExitStack, player: Player, secret: Code) -> Connection:
    """The maker's connection to a table where the computer is to break `secret`."""
    maker = await stack.enter_async_context(player.connect())
    await maker.set_secret(secret)
    return maker


def rows_of(table: Connection) -> int:
    events = (event for entry in table.entries for event in entry.events)
    return sum(isinstance(event, wire.sent_as(Guessed)) for event in events)


async def broken(maker: Connection) -> None:
    """Wait until the first game is over."""
    async with asyncio.timeout(120):
        await maker.wait_for(
            lambda: any(
                isinstance(e, wire.sent_as(Revealed))
                for entry in maker.entries
                for e in entry.events
            )
        )


@pytest.mark.timeout(300)  # two workers are started, which yield to everybody else
async def test_the_computer_plays_a_series_at_every_level_in_every_mode(tmp_path: Path) -> None:
    """And the server's own process never compiles: the solver is in its workers."""
    database = f"sqlite:///{tmp_path}/keypeg.db"
    with ServerProcess(database, tmp_path, KEYPEG_TEST_SPAWN="1") as server:
        async with Client(server.url, timeout=250) as client:
            for level, mode in product(Opponent.levels, KeyPegMode):
                person = await client.open_table(board="3x4", opponent=level, key_pegs=mode)
                table = await play(person)
                assert table.status.stage is Stage.OVER
                assert {len(game.rows) > 0 for game in (await person.look()).games} == {True}
            hint = await client.open_table(
                board="3x4", hints=True, opponent="strong", seat=Seat.TWO
            )
            async with hint.connect() as breaker:
                await breaker.wait_for(lambda: breaker.status.turn is Seat.TWO)
                assert (await hint.hint()).codes_left == 64
        mapped = Path(f"/proc/{server.pid}/maps").read_text()
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        compiling = [pid for pid in children if "llvmlite" in Path(f"/proc/{pid}/maps").read_text()]
        assert "llvmlite" not in mapped
        assert len(compiling) == 2


@pytest.mark.parametrize("board", ["12x20", "16x20b"])
@pytest.mark.parametrize("level", ["beginner", "perfect"])
async def test_the_computer_plays_on_the_largest_boards(
    tmp_path: Path, board: str, level: str
) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, thinking_seconds=5.0))
        client = await stack.enter_async_context(Client(server.url))
        person = await client.open_table(board=f"{board}/3", opponent=level)
        maker = await made(stack, person, draw_code(Board.parse(board)))
        await broken(maker)
        assert rows_of(maker) == 3


async def test_the_book_is_played_while_the_solver_warms_up(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, NeverReady(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        for board in ("classic", "advanced-blanks"):
            person = await client.open_table(board=board, opponent="perfect")
            maker = await made(stack, person, (1, 2, 3, 4, 5)[: Board.parse(board).holes])
            await broken(maker)
        for level in ("beginner", "casual", "careful"):
            maker = await made(stack, await client.open_table(opponent=level), SECRET)
            await maker.wait_for(lambda maker=maker: rows_of(maker) == 1)  # type: ignore[misc]


async def test_a_table_with_a_computer_gets_the_solver_ready(tmp_path: Path) -> None:
    async with running(tmp_path, Marked(tmp_path)) as server, Client(server.url) as client:
        await client.open_table()
        assert server.application.services.opponents._running is None
        await client.open_table(opponent="strong")
        await marked(tmp_path, "warm")


@pytest.mark.parametrize("solver", [Stubborn, NeverReady])
async def test_the_game_goes_on_when_the_solver_does_not(
    tmp_path: Path, solver: type[Marked]
) -> None:
    """Whether it hangs or never starts, the computer plays something within its time."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(
            running(tmp_path, solver(tmp_path), thinking_seconds=0.2)
        )
        client = await stack.enter_async_context(Client(server.url))
        person = await client.open_table(board="2x3/4", opponent="strong")
        maker = await made(stack, person, (1, 2))
        await broken(maker)


async def test_a_thought_is_called_off_when_its_position_is_gone(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url))
        maker = await made(stack, await client.open_table(opponent="strong"), SECRET)
        await marked(tmp_path, "began-guess-classic-0")
        await maker.do(wire.Resign(id="enough"))
        await marked(tmp_path, "off-guess-classic-0")


async def test_a_thought_is_called_off_when_the_server_stops(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with running(tmp_path, Marked(tmp_path)) as server, Client(server.url) as client:
            await made(stack, await client.open_table(opponent="strong"), SECRET)
            await marked(tmp_path, "began-guess-classic-0")
        assert not server.application.services.opponents._waiting


async def test_a_saturated_solver_leaves_moves_unaffected(tmp_path: Path) -> None:
    """Both workers think without end, and more is asked of them; others play on."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Marked(tmp_path)))
        client = await stack.enter_async_context(Client(server.url, timeout=60))
        for _ in range(8):
            await made(stack, await client.open_table(opponent="strong"), SECRET)
        flood = [
            asyncio.create_task(client._http.post("/api/reviews", json={"board": "classic"}))
            for _ in range(20)
        ]
        (thinking,) = await marked(tmp_path, "began-guess-classic-0")
        (advising,) = await marked(tmp_path, "began-review-classic-0")
        one, two = await seated(client, board="4x6/99")
        maker = await made(stack, one, SECRET)
        breaker = await stack.enter_async_context(two.connect())
        for _ in range(50):
            await breaker.guess(WRONG)
        await maker.wait_for(lambda: rows_of(maker) == 50)
        # All that time each worker was at its first question.
        assert await marked(tmp_path, "began-guess-classic-0") == [thinking]
        assert await marked(tmp_path, "began-review-classic-0") == [advising]
        assert thinking != advising
        (tmp_path / GO).touch()
        kinds = [answer.status_code for answer in await asyncio.gather(*flood)]
        assert (kinds.count(200), kinds.count(429)) == (3, 17)


async def test_advice_does_not_hold_up_opponents(tmp_path: Path) -> None:
    """A worker that hangs on a review is not the one that opponents think in."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running(tmp_path, Quick(tmp_path)))
        client = await stack.enter_async_context(Client(server.url, timeout=60))
        review = asyncio.create_task(client._http.post("/api/reviews", json={"board": "classic"}))
        await marked(tmp_path, "began-review-classic-0")
        maker = await made(stack, await client.open_table(opponent="strong"), (1, 1, 1, 1))
        await broken(maker)
        assert not review.done()
        (tmp_path / GO).touch()
        assert (await review).status_code == 200
