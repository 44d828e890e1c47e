"""A seat at a server's table, taken from the terminal; the other seat plays through the client."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from harness.forked import Talk, talking
from harness.servers.in_process import running
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.game import Phase
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.store.events import Grade, HintUsed, TimeOffered
from keypeg.store.log import Stage
from keypeg.table.commands import Guess, SetSecret, UseHint
from keypeg.terminal import listing
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.local_tables import MEMORY
from keypeg.terminal.remote import (
    RemoteSitting,
    joined,
    opened,
    public_tables,
    read_link,
    watched,
)
from keypeg.terminal.screen.app import KeypegApp
from keypeg.terminal.screen.dialogs import Confirmation
from keypeg.terminal.sitting import state_of, until_wanted
from tests.server.conftest import compiled_solver
from tests.terminal.screens import SIZE, said, seated, text_of, until

pytestmark = pytest.mark.anyio
__all__ = ["compiled_solver"]  # the server's worker answers in time only if it is there


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


async def test_a_series_is_played_from_the_screen_against_another_seat(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann")
        app = KeypegApp(MEMORY, joined(f"{server.url}/table/{other.table}", "Bob"))
        async with other.connect() as ann, app.run_test(size=SIZE) as pilot:
            table = await seated(pilot)
            assert table.sitting.seats == (Seat.TWO,)
            await pilot.press("f9")
            await until(pilot, lambda: isinstance(app.screen, Confirmation))
            await pilot.press("y")
            await until(pilot, lambda: "the opponent must be away" in said(table))
            await ann.set_secret((1, 1, 2, 2))
            await until(pilot, lambda: table.filling)
            assert table.game.opening is None
            await pilot.press(*"rrbb", "enter")
            await until(pilot, lambda: table.game.phase is Phase.OVER)
            await pilot.press("enter")
            await until(pilot, lambda: table.game.phase is Phase.SECRET)
            await pilot.press(*"ggww", "enter")
            await until(pilot, lambda: table.game.secret_set)
            await ann.wait_for(lambda: ann.status.phase is Phase.GUESS)
            await ann.guess((4, 4, 4, 4))
            await ann.guess((4, 4, 5, 5))
            await until(pilot, lambda: table.state.series.over)
            assert "Bob wins the series, 2 to 1." in said(table)
            await pilot.press("f7")
            await ann.wait_for(lambda: ann.status.rematch is Seat.TWO)
            await ann.do(wire.Rematch(id="again"))
            await until(pilot, lambda: table.game.phase is Phase.SECRET)
            assert table.seat is Seat.TWO


async def test_whoever_comes_back_has_the_same_seat(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(key_pegs=KeyPegMode.BY_HAND, turn_seconds=180)
        link = f"{server.url}/table/{other.table}"
        for _ in range(2):
            async with joined(link, "Bob") as sitting:
                assert sitting.seats == (Seat.TWO,)
                state = state_of(sitting, Seat.TWO)
                assert state.settings.terms.key_pegs is KeyPegMode.BY_HAND
                assert state.two is not None
                left = sitting.seconds_left
                assert left is not None
                assert 0 < left <= 180


async def test_a_hint_asked_for_over_the_network_is_recorded(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url, timeout=60) as client:
        # Whoever thinks is awake: nobody at the table waits for that.
        await client._http.post("/api/hints", json={"board": "classic"})
        other = await client.open_table(name="Ann", hints=True)
        link = f"{server.url}/table/{other.table}"
        async with other.connect() as ann, joined(link, "Bob") as sitting:
            await ann.set_secret((1, 1, 2, 2))
            await until_wanted(sitting)
            await sitting.ask(Seat.TWO, UseHint(Grade.GOOD))
            noted = (wire.event_out(HintUsed(1, Grade.GOOD)),)
            await ann.wait_for(lambda: ann.entries[-1].events == noted)


async def test_a_table_without_a_free_seat_and_a_server_out_of_reach_are_refused(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(opponent="careful")
        with pytest.raises(KeypegError, match="both seats of this table are taken"):
            async with joined(f"{server.url}/table/{other.table}", "Bob"):
                pass
        with pytest.raises(KeypegError, match="no such table"):
            async with joined(f"{server.url}/table/nowhere", "Bob"):
                pass
    with pytest.raises(KeypegError, match="cannot be reached"):
        async with joined(f"{server.url}/table/{other.table}", "Bob"):
            pass


def bob(link: str) -> AbstractContextManager[Talk]:
    """Plain prompts at this table."""
    return talking("play", "--join", link, "--name", "Bob")


async def test_plain_prompts_join_too(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann")
        async with other.connect() as ann:
            with bob(f"{server.url}/table/{other.table}") as talk:
                await ann.wait_for(lambda: ann.status.stage is Stage.PLAYING)
                await ann.set_secret((1, 1, 2, 2))
                talk.type("rrgg\nrrbb\n\nwwyy\n")
                talk.hang_up()
                await ann.wait_for(lambda: ann.status.number == 2 and ann.status.turn is Seat.ONE)
                await ann.guess((5, 5, 3, 3))
                told = await asyncio.to_thread(talk.to_the_end)
                assert talk.errors == ""
    assert "RD RD GN GN   2 black, 0 white" in told
    assert "Ann wins the series, 2 to 1." in told


async def joined_plainly(link: str, typed: str) -> str:
    """What plain prompts said when this was typed into them."""
    with bob(link) as talk:
        talk.type(typed)
        told = await asyncio.to_thread(talk.to_the_end)
        return told + talk.errors


async def test_plain_prompts_give_an_opponent_time_and_keep_what_comes_early(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann", turn_seconds=180)
        link = f"{server.url}/table/{other.table}"
        async with other.connect() as ann:
            typed = "claim\nmore 30\nmore x\nrrgg\n"
            talk = asyncio.create_task(joined_plainly(link, typed))
            given = wire.event_out(TimeOffered(30))
            await ann.wait_for(lambda: any(given in entry.events for entry in ann.entries))
            await ann.set_secret((1, 1, 2, 2))
            told = await talk
    assert "Not played: the opponent must be away for 30 seconds" in told
    assert "The turn is extended by 30 seconds." in told
    assert "'more' takes a number of seconds" in told
    assert "RD RD GN GN   2 black, 0 white" in told
    assert f"Paused. 'keypeg play --join {link}' continues from here." in told


async def test_plain_prompts_claim_the_series_of_an_opponent_who_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.table.handler.ABSENCE", 0.0)
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann")
        told = await joined_plainly(f"{server.url}/table/{other.table}", "claim\n")
    assert "The maker left." in told
    assert "Bob wins the series" in told


async def test_an_offer_of_a_rematch_is_told_while_a_prompt_waits(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann")
        async with other.connect() as ann:
            with bob(f"{server.url}/table/{other.table}") as talk:
                await ann.wait_for(lambda: ann.status.stage is Stage.PLAYING)
                await ann.set_secret((1, 1, 2, 2))
                talk.type("rrbb\n\nwwyy\n")
                await ann.wait_for(lambda: ann.status.number == 2 and ann.status.turn is Seat.ONE)
                await ann.guess((5, 5, 3, 3))
                await ann.do(wire.Rematch(id="again"))
                await asyncio.to_thread(talk.until, "Ann wants to play again.")
                talk.type("rematch\n")
                await ann.wait_for(lambda: ann.status.stage is Stage.PLAYING)
                await asyncio.to_thread(talk.to_the_end)


@pytest.mark.parametrize(
    "link",
    [
        *("nonsense", "http://host:8000", "ftp://host/table/x", "", "http://host/"),
        *("http://127.0.0.1:99999/table/x", "http://[::1/table/x", "http://host:a/table/x"),
        *("http://host:0/table/x", "http://:80/table/x"),
    ],
)
def test_what_is_no_link_to_a_table_is_refused(link: str) -> None:
    with pytest.raises(KeypegError, match="a table is joined by its link"):
        read_link(link)


async def test_the_screen_says_that_the_server_is_away_and_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann", board="1x3")
        app = KeypegApp(MEMORY, joined(f"{server.url}/table/{other.table}", "Bob"))
        async with other.connect() as ann, app.run_test(size=SIZE) as pilot:
            table = await seated(pilot)
            await ann.set_secret((2,))
            await until(pilot, lambda: table.filling)
            await pilot.press("1")
            assert isinstance(table.sitting, RemoteSitting)
            connection = table.sitting._connection
            with monkeypatch.context() as broken:
                broken.setattr(connection.player, "ticket", out_of_reach)
                await connection._socket.close()
                await until(pilot, lambda: "The server is away." in said(table))
                assert "Server away, trying again…" in text_of(pilot, "#call")
                await pilot.press("enter")
                await until(pilot, lambda: "Not sent: the server is away." in said(table))
            await until(pilot, lambda: "The server is back." in said(table))
            assert "fill row 1" in text_of(pilot, "#call")
            await pilot.press("enter")
            await until(pilot, lambda: len(table.game.rows) == 1)


async def out_of_reach() -> str:
    raise OSError


async def test_a_table_is_opened_listed_and_watched(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        assert await public_tables(server.url) == []
        choices = SeriesChoices(Board(1, 3), part=Part.MAKER, called=("Ann",))
        async with opened(f"{server.url}/", choices, public=True) as ann:
            found = await public_tables(server.url)
            link, line = listing.as_lines(server.url, found)
            assert link == ann.invitation
            assert line == "  1x3, 2 games: Ann there, a seat is free; --join takes it"
            (data,) = listing.as_data(server.url, found)
            assert (data["link"], data["one"], data["two"]) == (link, "Ann", None)
            seat = await client.take_seat(ann.id, Seat.TWO, "Bob")
            app = KeypegApp(MEMORY, watched(link))
            with talking("play", "--watch", link) as talk:
                async with seat.connect() as bob, app.run_test(size=SIZE) as pilot:
                    await ann.ask(Seat.ONE, SetSecret((1,)))
                    table = await seated(pilot)
                    assert table.sitting.seats == ()
                    await bob.guess((2,))
                    await until(pilot, lambda: len(table.game.rows) == 1)
                    assert table.game.opening is None
                    assert not table.filling
                    *_, line = listing.as_lines(server.url, await public_tables(server.url))
                    assert line == "  1x3, 2 games: Ann and Bob play game 1; --watch shows it"
                    await asyncio.to_thread(talk.until, "1  BU   0 black, 0 white")
                    await bob.guess((1,))
                    await bob.next_game()
                    await bob.set_secret((3,))
                    await ann.ask(Seat.ONE, Guess((3,)))
                    await until(pilot, lambda: table.state.series.over)
                told = await asyncio.to_thread(talk.to_the_end)
                assert "Ann wins the series, 2 to 1." in told
                assert talk.errors == ""
        assert await public_tables(server.url) == []
        async with joined(link) as again:
            assert again.seats == (Seat.ONE,)


async def test_a_server_that_goes_away_ends_the_sitting_with_the_reason(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        other = await client.open_table(name="Ann")
        app = KeypegApp(MEMORY, joined(f"{server.url}/table/{other.table}", "Bob"))
        async with app.run_test(size=SIZE) as pilot:
            table = await seated(pilot)
            assert isinstance(table.sitting, RemoteSitting)
            await table.sitting._connection._give_up("the server cannot be reached")
            await until(pilot, lambda: app.refusal is not None)
    assert str(app.refusal) == "the server cannot be reached"


async def test_at_the_prompt_a_line_says_that_the_server_is_away(tmp_path: Path) -> None:
    with ExitStack() as stack:
        async with running(tmp_path) as server, Client(server.url) as client:
            other = await client.open_table(name="Ann")
            talk = stack.enter_context(bob(f"{server.url}/table/{other.table}"))
            async with other.connect() as ann:
                await ann.wait_for(lambda: ann.status.stage is Stage.PLAYING)
                await ann.set_secret((1, 1, 2, 2))
            await asyncio.to_thread(talk.until, "Sealed")
        await asyncio.to_thread(talk.until, "The server is away, trying again.")
