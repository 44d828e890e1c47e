"""Several servers on one database: any of them serves any table, with Redis or without."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from redis.asyncio import Redis

from harness.clients import sockets as raw_sockets
from harness.clients.sockets import Raw, greeted, raw, seated
from harness.databases import RedisServer, sqlite_address
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.client import Refused as ClientRefused
from keypeg.draw import new_id
from keypeg.rules.board import Board
from keypeg.rules.events import Guessed, SecretSet
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.server import sharing
from keypeg.server.app import open_application
from keypeg.server.bus import MOVES, SEATS
from keypeg.server.settings import Settings
from keypeg.store import codec
from keypeg.store.engines import ASIDE
from keypeg.store.errors import Served, Unavailable
from keypeg.store.events import Settings as TableSettings
from keypeg.store.processes import Processes
from keypeg.store.sql import SqlLog
from keypeg.table import Open, Tables
from keypeg.table.commands import TakeSeat

pytestmark = pytest.mark.anyio
KEY = "5a" * 32


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYPEG_KEY", KEY)


@asynccontextmanager
async def two_servers(database: str, **settings: Any) -> AsyncIterator[tuple[Running, Running]]:
    async with running(database, **settings) as here, running(database, **settings) as there:
        yield here, there


@asynccontextmanager
async def at(server: Running, player: Player) -> AsyncIterator[Player]:
    """The same seat, through another server."""
    async with Client(server.url) as client:
        yield Player(client, player.table, player.seat, player.token)


@asynccontextmanager
async def sockets(here: Running, there: Running) -> AsyncIterator[tuple[Player, Player, Raw, Raw]]:
    """A maker connected to one server and a breaker to the other, at one table."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(here.url))
        one, two = await seated(client, board="4x6/99")
        far = await stack.enter_async_context(at(there, two))
        maker = await stack.enter_async_context(greeted(here.port, one))
        breaker = await stack.enter_async_context(greeted(there.port, far))
        await maker.hear_a(wire.Present)
        await breaker.hear_a(wire.Present)
        yield one, far, maker, breaker


async def command(player: Player, message: wire.CommandIn) -> wire.Ack:
    """Do something by a plain request."""
    path = f"/api/tables/{player.table}/commands"
    return await player.client.post(path, message, wire.Ack, player.token)


async def until(true: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + 1.5 * raw_sockets.PATIENCE
    while True:
        found = true()
        if found if isinstance(found, bool) else await found:
            return
        assert time.monotonic() < deadline, "it did not come true"
        await asyncio.sleep(0.01)


async def connected(*servers: Running) -> None:
    """Wait until every server hears the bus."""
    for server in servers:
        parts = server.application.services.sharing
        assert parts is not None
        assert parts.bus is not None
        bus = parts.bus
        await until(lambda bus=bus: bus.connected)  # type: ignore[misc]


async def play_across(maker: Raw, breaker: Raw, number: str) -> None:
    """Each move is seen at the other server, in order."""
    await maker.say(wire.SetSecret(id=f"s{number}", code=(1, 2, 3, 4)))
    heard = await breaker.hear_a(wire.Update)
    assert isinstance(heard.entry.events[0], wire.sent_as(SecretSet))
    for row in range(3):
        await breaker.say(wire.Guess(id=f"g{number}{row}", code=(5, 5, 6, 6)))
        seen = await maker.hear_a(wire.Update)
        while not isinstance(seen.entry.events[0], wire.sent_as(Guessed)):
            seen = await maker.hear_a(wire.Update)
    await breaker.say(wire.Resign(id=f"r{number}"))
    await maker.hear_a(wire.Update)


async def test_a_move_is_seen_through_another_server(
    shared_address: str, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the bus alone: nothing is polled for in time."""
    monkeypatch.setattr(sharing, "POLL_SECONDS", 3600.0)
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        async with sockets(here, there) as (_, _, maker, breaker):
            await play_across(maker, breaker, "1")


async def test_without_redis_a_move_is_seen_by_polling(shared_address: str) -> None:
    async with (
        two_servers(shared_address) as (here, there),
        sockets(here, there) as (_, _, maker, breaker),
    ):
        await play_across(maker, breaker, "1")


async def test_moves_go_on_while_redis_is_away_and_the_bus_comes_back(
    shared_address: str, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        async with sockets(here, there) as (_, _, maker, breaker):
            redis.kill()
            await play_across(maker, breaker, "1")
            redis.start()
            await connected(here, there)
            monkeypatch.setattr(sharing, "POLL_SECONDS", 3600.0)
            await asyncio.sleep(1.1)
            await maker.say(wire.NextGame(id="n"))
            await breaker.hear_a(wire.Update)


async def test_a_redis_that_hangs_holds_nothing_up(shared_address: str, redis: RedisServer) -> None:
    """Stopped, not gone: connections stay open and nothing comes back."""
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        assert redis.process is not None
        os.kill(redis.process.pid, signal.SIGSTOP)
        try:
            async with sockets(here, there) as (_, _, maker, breaker):
                await play_across(maker, breaker, "1")
        finally:
            os.kill(redis.process.pid, signal.SIGCONT)


async def test_only_tables_that_somebody_watches_are_looked_at_in_one_query(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    async with running(shared_address) as server, Client(server.url) as client:
        parts = server.application.services.sharing
        assert parts is not None
        look = parts._processes.look

        async def noted(names: Any) -> Any:
            looked.append(sorted(names))
            return await look(names)

        monkeypatch.setattr(parts._processes, "look", noted)
        players = [(await seated(client))[0] for _ in range(3)]
        async with greeted(server.port, players[0]), greeted(server.port, players[1]):
            watched = sorted(player.table for player in players[:2])
            await until(lambda: looked[-1:] == [watched])
        assert not any(players[2].table in names for names in looked)


async def test_what_one_server_wrote_another_shows_at_once(shared_address: str) -> None:
    """Read after write, through any server, without waiting for anything."""
    async with (
        two_servers(shared_address) as (here, there),
        Client(here.url) as client,
    ):
        one = await client.open_table(name="Ann", board="4x6/99")
        async with at(there, one) as far:
            assert (await far.look()).status.seq == 1
            two = await client.take_seat(one.table, Seat.TWO, "Bob")
            assert (await far.look()).status.seq == 2
            async with at(there, two) as far_two:
                await command(one, wire.SetSecret(id="s", code=(1, 2, 3, 4)))
                ack = await command(far_two, wire.Guess(id="g", code=(5, 5, 6, 6)))
                assert ack.seq == 4
                assert (await one.look()).status.seq == 4
                async with greeted(there.port, far_two, seq=4) as socket:
                    welcome = await socket.hear_a(wire.Welcome)
                    assert (welcome.seq, welcome.table) == (4, None)


async def test_a_ticket_from_one_server_opens_a_socket_of_another_once(
    shared_address: str,
) -> None:
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one, _ = await seated(client)
        ticket = await one.ticket()
        async with raw_hello(there, ticket) as socket:
            assert (await socket.hear_a(wire.Welcome)).seat is Seat.ONE
        for server in (here, there):
            async with raw_hello(server, ticket) as replayed:
                assert await replayed.closed() == 4003


async def test_a_ticket_that_was_altered_or_is_old_is_refused(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(shared_address) as server, Client(server.url) as client:
        one, _ = await seated(client)
        ticket = await one.ticket()
        for place in (0, 22, 30, 40, 63):
            letter = "A" if ticket[place] != "A" else "B"
            forged = ticket[:place] + letter + ticket[place + 1 :]
            async with raw_hello(server, forged) as socket:
                assert await socket.closed() == 4003
        services = server.application.services
        late = services.tables.clock.utc() + 31_000
        monkeypatch.setattr(services.tickets, "_utc", lambda: late)
        async with raw_hello(server, ticket) as socket:
            assert await socket.closed() == 4003


@asynccontextmanager
async def raw_hello(server: Running, ticket: str) -> AsyncIterator[Raw]:
    async with raw(server.port) as socket:
        await socket.say(wire.Hello(ticket=ticket))
        yield socket


async def test_nobody_is_absent_who_is_connected_to_another_server(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Presence is told everywhere, and a claim looks before it is allowed."""
    monkeypatch.setattr("keypeg.table.handler.ABSENCE", 1.0)
    async with (
        two_servers(shared_address) as (here, there),
        sockets(here, there) as (_, _, maker, breaker),
    ):
        await until_present(maker, two=True)
        await maker.say(wire.SetSecret(id="s", code=(1, 2, 3, 4)))
        await breaker.hear_a(wire.Update)
        await asyncio.sleep(1.2)
        await maker.say(wire.Claim(id="c1"))
        assert (await maker.hear_a(wire.Refused)).code == "too-early"
        await breaker.socket.close()
        await until_present(maker, two=False)
        await asyncio.sleep(1.2)
        await maker.say(wire.Claim(id="c2"))
        assert (await maker.hear_a(wire.Ack)).id == "c2"


async def until_present(socket: Raw, *, two: bool) -> None:
    while (await socket.hear_a(wire.Present)).two.here is not two:
        pass


async def test_the_players_of_a_server_that_died_are_absent_when_its_lease_ends(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "LEASE_SECONDS", 2.0)
    async with (
        two_servers(shared_address) as (here, there),
        sockets(here, there) as (_, _, maker, _),
    ):
        await until_present(maker, two=True)
        parts = there.application.services.sharing
        assert parts is not None
        # As if killed: it says nothing more, not even goodbye.
        for task in tuple(parts._tasks):
            task.cancel()
        await until_present(maker, two=False)


async def test_the_newest_socket_of_a_seat_is_the_only_one_on_all_servers(
    shared_address: str, redis: RedisServer
) -> None:
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        async with sockets(here, there) as (_, two, _, breaker), at(here, two) as nearer:
            await until(lambda: noted(there, two))
            async with greeted(here.port, nearer) as newer:
                await newer.hear_a(wire.Welcome)
                assert await breaker.closed() == 4001
                await until(lambda: noted(here, two))
                await asyncio.sleep(1.5)
                await newer.say(wire.Ping())
                await newer.hear_a(wire.Time)


async def test_a_socket_is_not_given_up_for_one_that_came_before_it(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database still names the second of three, at another server than the first and third."""
    monkeypatch.setattr(sharing, "POLL_SECONDS_WITHOUT_BUS", 3600.0)
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one, _ = await seated(client)
        parts = here.application.services.sharing
        assert parts is not None
        note, free = parts._processes.note, asyncio.Event()

        async def slowly(*noted: Any) -> None:
            await free.wait()
            await note(*noted)

        async with AsyncExitStack() as stack:
            stack.callback(free.set)
            far = await stack.enter_async_context(at(there, one))
            first = await stack.enter_async_context(greeted(here.port, one))
            await until(lambda: noted(here, one))
            second = await stack.enter_async_context(greeted(there.port, far))
            await until(lambda: noted(there, one))
            monkeypatch.setattr(parts._processes, "note", slowly)
            third = await stack.enter_async_context(greeted(here.port, one))
            await third.hear_a(wire.Welcome)
            assert await first.closed() == 4001
            await parts.look([one.table])
            await third.say(wire.Ping())
            await third.hear_a(wire.Time)
            free.set()
            await until(lambda: noted(here, one))
            others = there.application.services.sharing
            assert others is not None
            await others.look([one.table])
            assert await second.closed() == 4001


def noted(server: Running, player: Player) -> bool:
    parts = server.application.services.sharing
    assert parts is not None
    assert player.seat is not None
    return (player.table, player.seat) in parts._held


async def test_what_a_hostile_bus_says_changes_nothing(
    shared_address: str, redis: RedisServer
) -> None:
    """T26: hints about tables that there are not, seqs that there are not, and rubbish."""
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        async with sockets(here, there) as (one, _, maker, breaker):
            shouting = Redis.from_url(redis.url)
            table = one.table.encode()
            rubbish = [b"", b"\xff" * 99, table, table + b" -1", table + b" 1e9", b"x 5"]
            rubbish += [table + b" 999999999", table + b" 0", (table + b" 7\n") * 5000]
            for data in rubbish * 5:
                await shouting.publish(MOVES, data)
                await shouting.publish(SEATS, data)
            await play_across(maker, breaker, "1")
            await shouting.aclose()
            async with at(there, one) as far:
                assert timeless(await far.look()) == timeless(await one.look())


def timeless(table: wire.TableOut) -> wire.TableOut:
    """A table without the time it was asked for."""
    return msgspec.structs.replace(table, now=0)


async def test_the_bus_carries_tables_and_seqs_and_nothing_else(
    shared_address: str, redis: RedisServer
) -> None:
    listening = Redis.from_url(redis.url)
    pubsub = listening.pubsub()
    await pubsub.psubscribe("*")
    heard = []
    async with two_servers(shared_address, redis=redis.url) as (here, there):
        await connected(here, there)
        async with sockets(here, there) as (one, _, maker, breaker):
            await play_across(maker, breaker, "1")
            while message := await pubsub.get_message(timeout=0.5):
                if message["type"] == "pmessage":
                    heard += message["data"].split(b"\n")
            assert heard
            assert all(hint.split(b" ")[0].decode() == one.table for hint in heard)
            assert all(hint.split(b" ")[1].isdigit() for hint in heard)
        kept = [key async for key in listening.scan_iter()]
        assert all(key.startswith((b"keypeg:requests:", b"keypeg:tables:")) for key in kept)
        assert not any(b"127.0.0.1" in key for key in kept)
    await pubsub.aclose()  # type: ignore[no-untyped-call]
    await listening.aclose()


async def test_a_client_gets_no_more_from_two_servers_than_from_one(
    shared_address: str, redis: RedisServer
) -> None:
    limits = {"requests_per_second": 0.001, "requests_at_once": 6}
    async with two_servers(shared_address, redis=redis.url, **limits) as (here, there):
        statuses = []
        async with httpx.AsyncClient() as http:
            for number in range(12):
                server = (here, there)[number % 2]
                statuses.append((await http.get(f"{server.url}/api/choices")).status_code)
        assert statuses.count(200) == 6
        assert statuses.count(429) == 6


async def test_new_tables_are_counted_over_all_servers(
    shared_address: str, redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.client.http.PATIENCE", 0.0)  # a refusal is what is counted
    limits = {"tables_per_minute": 0.001, "tables_at_once": 4}
    async with two_servers(shared_address, redis=redis.url, **limits) as (here, there):
        opened = 0
        async with Client(here.url) as near, Client(there.url) as far:
            for number in range(8):
                try:
                    await (near, far)[number % 2].open_table(name="Ann")
                    opened += 1
                except ClientRefused as refused:
                    assert refused.code == "busy"
        assert opened == 4


async def test_a_turn_whose_server_died_is_ended_by_another(shared_address: str) -> None:
    """F11: the clock needs neither the client nor the server that set it."""
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one, _ = await seated(client, turn_seconds=1)
        table = here.application.services.tables.at_hand(one.table)
        assert table is not None
        table._turns.stop()  # no alarm of this server rings any more
        await until(lambda: expired(there.application.services.log, one.table))


async def test_late_tables_that_cannot_be_read_hold_up_no_others(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MOST_OVERDUE", 2)

    async def leave_a_turn_behind(log: SqlLog) -> str:
        """As a process does that dies."""
        tables = Tables(log)
        table = await tables.open(Open(TableSettings(Terms(Board(4, 6), turn_seconds=1))))
        for seat in Seat:
            sits = TakeSeat(seat.value, seat.value[0].encode().hex() * 32)
            await table.handle(seat, "t", sits, tables.clock.now())
        await tables.close()
        return table.id

    async with running(shared_address) as server:
        log = await SqlLog.open(shared_address)
        with monkeypatch.context() as newer:
            newer.setattr(codec, "VERSION", codec.VERSION + 1)
            for _ in range(3):
                await leave_a_turn_behind(log)
        last = await leave_a_turn_behind(log)
        await until(lambda: flagged(server.application.services.log, last))
        await log.close()


async def flagged(log: SqlLog, table_id: str) -> bool:
    return len(await log.read(table_id)) > 3


async def expired(log: SqlLog, table_id: str) -> bool:
    """Read from the log, so that no server is asked for the table."""
    return len(await log.read(table_id)) > 2


async def test_a_server_looks_after_the_others_again_when_its_database_has_hung(
    shared_address: str,
) -> None:
    async with running(shared_address) as server:
        parts = server.application.services.sharing
        assert parts is not None
        work, engine = set(parts._tasks), parts._processes._engine
        engine.sync_engine.pool._timeout = 0.05  # type: ignore[attr-defined]
        async with AsyncExitStack() as hung:
            for _ in range(ASIDE):
                await hung.enter_async_context(engine.connect())
            with pytest.raises(Unavailable):
                await parts.look(["absent"])
            await asyncio.sleep(2 * sharing.POLL_SECONDS_WITHOUT_BUS)
        assert parts._tasks == work


async def test_no_error_ends_what_a_server_does_for_the_others(
    shared_address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failed: set[str] = set()

    def failing(name: str) -> Callable[..., Awaitable[None]]:
        async def fail(*_: object) -> None:
            failed.add(name)
            raise ZeroDivisionError(name)

        return fail

    async with running(shared_address) as server, Client(server.url) as client:
        parts = server.application.services.sharing
        assert parts is not None
        work = set(parts._tasks)
        one, _ = await seated(client)
        with monkeypatch.context() as broken:
            for name in ("vouch", "note", "look"):
                broken.setattr(Processes, name, failing(name))
            parts.arrived(one.table, Seat.ONE)
            parts._curious.add(one.table)
            parts._stirred.set()
            await until(lambda: failed == {"vouch", "note", "look"})
        await until(lambda: (one.table, Seat.ONE) in parts._held)
        assert parts._tasks == work
        assert "sharing failed" in {record.getMessage() for record in caplog.records}


async def test_two_servers_let_the_computer_move_once(shared_address: str) -> None:
    async with two_servers(shared_address) as (here, there), Client(here.url) as client:
        one = await client.open_table(name="Ann", opponent="beginner", board="4x6/99")
        async with at(there, one) as far, greeted(there.port, far.client.watch(one.table)):
            await command(one, wire.SetSecret(id=new_id(), code=(1, 2, 3, 4)))
            await until(lambda: enough_rows(one))
            logged = await here.application.services.log.read(one.table)
            assert [entry.seq for entry in logged] == [*range(1, len(logged) + 1)]


async def enough_rows(player: Player) -> bool:
    seen = await player.look()
    return len(seen.games[0].rows) >= 5 or seen.games[0].ending is not None


async def test_a_sqlite_file_has_one_server_at_a_time(tmp_path: Path) -> None:
    async with running(tmp_path):
        # The second would not know who is connected to the first.
        with pytest.raises(Served, match="in use by a running server"):
            await open_application(Settings(database=sqlite_address(tmp_path)), [])
    async with running(tmp_path):
        pass


async def test_a_server_on_sqlite_keeps_to_itself(tmp_path: Any) -> None:
    async with running(tmp_path) as server:
        assert server.application.services.sharing is None
