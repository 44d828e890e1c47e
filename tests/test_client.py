"""The client for programs, against real servers that are not always kind to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from keypeg import messages as wire
from keypeg.client import Client, ConnectionLost, Player, Refused
from tests.server.running import raw, running, seated

pytestmark = pytest.mark.anyio


async def test_whoever_looks_too_often_waits_and_is_shown_the_table(tmp_path: Path) -> None:
    async with (
        running(tmp_path, requests_per_second=2.0, requests_at_once=8) as server,
        Client(server.url) as client,
    ):
        one, _ = await seated(client)
        async with one.connect() as table:
            with pytest.raises(Refused, match="too many requests"):
                await asyncio.gather(*(one.look() for _ in range(20)))
            seen = await asyncio.gather(table.look(), table.look())
        assert [each.status.seq for each in seen] == [2, 2]


async def test_looking_at_what_is_not_there_is_not_tried_again(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with one.connect() as table:
            one.table = "nowhere"
            with pytest.raises(Refused, match="no such table"):
                await table.look()


async def used_ticket(port: int, player: Player) -> str:
    """A ticket that has opened its socket."""
    ticket = await player.ticket()
    async with raw(port) as socket:
        await socket.say(wire.Hello(ticket=ticket))
        await socket.hear_a(wire.Welcome)
    return ticket


def hand_out(player: Player, tickets: Iterator[str]) -> None:
    """Let these come before any new one."""
    fresh = player.ticket

    async def ticket() -> str:
        return next(tickets, None) or await fresh()

    player.ticket = ticket  # type: ignore[method-assign]


async def test_a_ticket_that_has_become_bad_is_asked_for_anew(tmp_path: Path) -> None:
    """As after a restart of the server, or a night's sleep, between the ticket and the hello."""
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        hand_out(one, iter([await used_ticket(server.port, one)] * 2))
        async with one.connect() as table:
            assert table.status.seq == 2


async def test_a_server_that_takes_no_ticket_is_given_up_in_the_end(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        hand_out(one, iter([await used_ticket(server.port, one)] * 1000))
        with pytest.raises(ConnectionLost, match="cannot be reached"):
            async with one.connect(patience=0.5):
                pass
