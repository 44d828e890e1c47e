"""The client for programs, against real servers that are not always kind to it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from harness.clients.sockets import raw, seated
from harness.servers.in_process import running
from harness.tables import accepted, suitable
from keypeg import messages as wire
from keypeg.client import Client, Connection, ConnectionLost, Player, Refused
from keypeg.rules.events import (
    Challenged,
    Closed,
    LimitAccepted,
    LimitDeclined,
    LimitWithdrawn,
    Resigned,
)
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.store.events import Rematched
from keypeg.table import Table
from keypeg.table.options import TableOption

pytestmark = pytest.mark.anyio
DEEDS = 80
MOST_DEEDS = 800
HAPPENS = (Challenged, Resigned, Rematched, Closed, LimitAccepted, LimitDeclined, LimitWithdrawn)


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


async def test_a_client_is_offered_what_the_table_would_do(tmp_path: Path) -> None:
    """After each of many moves, a rejected challenge among them; a spectator is offered nothing."""
    wanted = {*map(wire.sent_as, HAPPENS)}
    rng = random.Random(5)
    async with running(tmp_path) as server, Client(server.url) as client:
        settings = {"board": "2x3/3", "key_pegs": KeyPegMode.BY_HAND, "hints": True}
        one, two = await seated(client, **settings)
        table = await server.application.services.tables.get(one.table)
        async with (
            one.connect() as ann,
            two.connect() as bob,
            client.watch(one.table).connect() as eve,
        ):
            for number in range(MOST_DEEDS):
                for connection in (ann, bob, eve):
                    await connection.wait_for(partial(has_come_to, connection, table.seq))
                    known = accepted(table.state, connection.seat, rng)
                    assert set(connection.options) == known
                happened = {type(event) for entry in eve.entries for event in entry.events}
                if number >= DEEDS and wanted <= happened:
                    break
                await deed(table, rng, number)
            assert (await ann.look()).options == ann.options
        assert wanted <= happened


def has_come_to(connection: Connection, seq: int) -> bool:
    return connection.seq == seq


async def deed(table: Table, rng: random.Random, number: int) -> None:
    """Something that one of two may do, seldom giving up; a claim would come too early."""
    seat = rng.choice(tuple(Seat))
    offered = accepted(table.state, seat, rng) - {TableOption.CLAIM}
    if rng.random() < 0.9:
        offered -= {TableOption.RESIGN}
    if offered:
        option = rng.choice(sorted(offered, key=lambda one: one.value))
        command = suitable(table.state, option, rng)
        await table.handle(seat, f"id-{number}", command, time.monotonic())


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
