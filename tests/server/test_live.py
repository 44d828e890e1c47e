"""The socket: hello, resuming, repeats, limits, presence."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from harness.clients.sockets import PATIENCE, Raw, greeted, raw, seated
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client, Player, Refused
from keypeg.rules.game import Phase
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.server import live
from keypeg.server.asgi import Socket
from keypeg.store.events import TimeOffered
from keypeg.table import commands, handler
from keypeg.table import table as tables
from tests.reference_cycles import uncollected, until_gone
from tests.server.corpus import MALFORMED

pytestmark = pytest.mark.anyio

SECRET = (1, 2, 3, 4)


async def test_a_socket_that_says_nothing_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "HELLO_SECONDS", 0.2)
    async with running(tmp_path) as server, raw(server.port) as socket:
        assert await socket.closed() == 4002


@pytest.mark.parametrize(
    "first",
    [
        '{"type":"hello","ticket":"made-up"}',
        '{"type":"guess","id":"x","code":[1,1,2,2]}',
        '{"type":"ping"}',
        "nonsense",
    ],
)
async def test_a_socket_without_a_good_ticket_is_refused(tmp_path: Path, first: str) -> None:
    async with running(tmp_path) as server, raw(server.port) as socket:
        await socket.say(first)
        assert await socket.closed() == 4003


async def test_a_ticket_opens_one_socket(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        hello = wire.Hello(ticket=await one.ticket())
        async with raw(server.port) as first, raw(server.port) as second:
            await first.say(hello)
            assert isinstance(await first.hear(), wire.Welcome)
            await second.say(hello)
            assert await second.closed() == 4003


@pytest.mark.parametrize("cut", [False, True])
async def test_a_closed_socket_leaves_nothing_for_the_garbage_collector(
    tmp_path: Path, *, cut: bool
) -> None:
    with uncollected():
        async with running(tmp_path) as server, Client(server.url) as client:
            one, _ = await seated(client)
            async with greeted(server.port, one) as socket:
                await socket.hear_a(wire.Welcome)
                [session] = map(weakref.ref, server.application.live._sessions)
                if cut:
                    socket.socket.transport.abort()
            await until_gone(session)


async def test_a_spectator_who_never_read_leaves_nothing_for_the_garbage_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with uncollected():
        async with running(tmp_path) as server, Client(server.url) as client:
            one, _ = await seated(client)
            async with greeted(server.port, client.watch(one.table)) as socket:
                await socket.hear_a(wire.Present)
                stall_spectator(server, monkeypatch)
                [session] = map(weakref.ref, server.application.live._sessions)
                for _ in range(100):
                    server.application.live.rooms[one.table].tell_presence()
                    await asyncio.sleep(0)
                socket.socket.transport.abort()
            await until_gone(session)


async def test_whoever_enters_while_the_table_is_removed_is_dismissed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def pruned(table: tables.Table, _seat: Seat | None) -> None:
        table.remove()

    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        monkeypatch.setattr(tables.Table, "prepare", pruned)
        async with greeted(server.port, one) as socket:
            assert await socket.closed() == 4004


async def test_the_newest_socket_of_a_seat_wins(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with greeted(server.port, two) as watcher, greeted(server.port, one) as old:
            await old.hear_a(wire.Present)
            async with greeted(server.port, one) as new:
                assert await old.closed() == 4001
                await new.hear_a(wire.Present)
                await new.say(wire.SetSecret(id="s", code=SECRET))
                assert (await new.hear_a(wire.Ack)).seq == 3
                presence = await watcher.hear_a(wire.Present)
                assert presence.two.here


async def test_a_socket_resumes_from_any_seq(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with one.connect() as maker, two.connect() as breaker:
            await maker.set_secret(SECRET)
            for _ in range(50):
                await breaker.guess((5, 5, 6, 6))
            await maker.wait_for(lambda: maker.seq == 53)
        for seat, entries in ((one, maker.entries), (two, breaker.entries)):
            for seq in (0, 1, 2, 3, 20, 21, 52, 53):
                async with greeted(server.port, seat, seq) as socket:
                    assert await everything(socket, 53) == entries[seq:]


async def everything(socket: Raw, until: int) -> list[wire.EntryOut]:
    """All entries up to one, as a socket that resumes hears them."""
    welcome = await socket.hear()
    assert isinstance(welcome, wire.Welcome)
    assert welcome.table is None
    heard: list[wire.EntryOut] = []
    while not isinstance(message := await socket.hear(), wire.Present):
        assert isinstance(message, wire.Missed)
        heard.extend(message.entries)
    assert not heard or heard[-1].seq == until
    return heard


async def test_without_a_seq_the_whole_table_comes(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        for seq in (None, 99):
            async with greeted(server.port, one, seq) as socket:
                welcome = await socket.hear_a(wire.Welcome)
                assert welcome.table.status.seq == welcome.seq == 2
                assert (welcome.table.one.name, welcome.table.two.name) == ("Ann", "Bob")


async def test_a_repeat_gets_the_same_answer_on_any_socket(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with one.connect() as maker:
            await maker.set_secret(SECRET)
            guess = wire.Guess(id="again", code=(1, 1, 2, 2), seq=3)
            path = f"/api/tables/{two.table}/commands"
            async with greeted(server.port, two) as socket:
                for _ in range(3):
                    await socket.say(guess)
                http = [client.post(path, guess, wire.Ack, two._token) for _ in range(3)]
                answers = [*await asyncio.gather(*http)]
                answers += [await socket.hear_a(wire.Ack) for _ in range(3)]
            async with greeted(server.port, two) as socket:
                await socket.say(guess)
                answers.append(await socket.hear_a(wire.Ack))
            assert {(answer.id, answer.seq) for answer in answers} == {("again", 4)}
            await maker.wait_for(lambda: maker.seq == 4)
            assert (await one.look()).status.seq == 4


async def test_the_same_id_for_something_else_is_a_conflict(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with greeted(server.port, one) as socket:
            await socket.say(wire.SetSecret(id="s", code=SECRET))
            await socket.hear_a(wire.Ack)
            await socket.say(wire.SetSecret(id="s", code=(4, 3, 2, 1)))
            refused = await socket.hear_a(wire.Refused)
            assert refused.code == "conflict"
            assert refused.table.status.seq == 3
            await socket.say(wire.Resign(id="s"))
            assert (await socket.hear_a(wire.Refused)).code == "conflict"


async def test_a_stale_command_gets_the_table_as_it_is(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with greeted(server.port, one) as socket, two.connect() as breaker:
            await socket.say(wire.SetSecret(id="s", code=SECRET))
            await socket.hear_a(wire.Ack)
            await breaker.guess((1, 1, 2, 2))
            await socket.say(wire.Resign(id="r", seq=3))
            refused = await socket.hear_a(wire.Refused)
            assert refused.code == "stale"
            assert refused.table.status.seq == 4
            assert refused.table.games[0].rows[0].code == (1, 1, 2, 2)
            stale = wire.Resign(id="r2", seq=1)
            answer = await client._http.post(
                f"/api/tables/{one.table}/commands",
                json={"type": "resign", "id": stale.id, "seq": stale.seq},
                headers={"authorization": f"Bearer {one._token}"},
            )
            assert answer.status_code == 409
            assert answer.json()["table"]["status"]["seq"] == 4


async def test_nobody_acts_for_another(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        other, _ = await seated(client)
        with pytest.raises(Refused, match="does not belong to a seat at this table"):
            await client.get(f"/api/tables/{one.table}", wire.TableOut, other._token)
        async with greeted(server.port, client.watch(one.table)) as spectator:
            await spectator.say(wire.SetSecret(id="s", code=SECRET))
            assert (await spectator.hear_a(wire.Refused)).code == "not-your-turn"
        async with two.connect() as breaker:
            with pytest.raises(Refused, match="only the maker"):
                await breaker.set_secret(SECRET)
        path = f"/api/tables/{one.table}/commands"
        with pytest.raises(Refused, match="needs the token of a seat"):
            await client.post(path, wire.SetSecret(id="s", code=SECRET), wire.Ack)
        assert (await one.look()).status.seq == 2


async def test_malformed_messages_get_an_error_and_ten_of_them_the_door(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        texts = list(MALFORMED.values())
        for start in range(0, len(texts), live.MOST_ERRORS):
            async with greeted(server.port, one) as socket:
                for text in texts[start : start + live.MOST_ERRORS]:
                    await socket.say(text)
                    error = await socket.hear_a(wire.Error)
                    assert error.code == "cannot-read"
                    assert error.message.isprintable()
                await socket.say(wire.Ping())
                await socket.hear_a(wire.Time)
        async with greeted(server.port, one) as socket:
            for _ in range(live.MOST_ERRORS + 1):
                await socket.say("{}")
            assert await socket.closed() == 1008


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (("x" * 4097, Opcode.TEXT), 1009),
        (("x" * 200_000, Opcode.TEXT), 1009),
        ((b"{}", Opcode.BINARY), 1003),
        ((b"\xff\xfe", Opcode.TEXT), 1007),
    ],
)
async def test_frames_that_are_not_short_text_close_the_socket(
    tmp_path: Path, frame: tuple[str | bytes, Opcode], code: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with greeted(server.port, one) as socket:
            await socket.hear()
            data, opcode = frame
            await socket.socket.send(data, text=opcode is Opcode.TEXT)
            assert await socket.closed() == code
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_empty_fragments_without_end_are_cut_off(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with greeted(server.port, one) as socket:
            with contextlib.suppress(ConnectionClosed):
                await socket.socket.send([""] * 5000)
            assert await socket.closed() == 1008


async def test_compression_is_not_agreed_to(tmp_path: Path) -> None:
    async with running(tmp_path) as server, raw(server.port, compression="deflate") as socket:
        assert socket.socket.response is not None
        assert "Sec-WebSocket-Extensions" not in socket.socket.response.headers


async def test_a_flood_is_cut_off_and_others_play_on(tmp_path: Path) -> None:
    # So few a second that a machine which takes its time over these is flooded all the same.
    limits = {"messages_per_second": 0.1, "messages_at_once": 40}
    async with running(tmp_path, **limits) as server, Client(server.url) as client:
        one, _ = await seated(client)
        mine, theirs = await seated(client)
        async with greeted(server.port, one) as flooder, mine.connect() as maker:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(50):
                    await flooder.say(wire.Ping())
            await maker.set_secret(SECRET)
            assert await flooder.closed() == 1008
            async with theirs.connect() as breaker:
                await breaker.guess((1, 1, 1, 1))


async def test_an_address_has_so_many_spectators_and_a_seat_always_has_a_place(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, sockets_per_address=3) as server, Client(server.url) as client:
        one, _ = await seated(client)
        watching = client.watch(one.table)
        async with AsyncExitStack() as held:
            for _ in range(3):
                socket = await held.enter_async_context(greeted(server.port, watching))
                await socket.hear_a(wire.Welcome)
            async with greeted(server.port, watching) as refused:
                assert await refused.closed() == 1013
            async with greeted(server.port, one) as player:
                await player.hear_a(wire.Welcome)
                # Whoever says no hello is the first to go.
                silent = [await held.enter_async_context(raw(server.port)) for _ in range(4)]
                assert await silent[0].closed() == 4002
                await player.say(wire.Ping())
                await player.hear_a(wire.Time)
        async with asyncio.timeout(PATIENCE):
            await until_admitted(server.port, watching)


async def test_the_messages_of_one_address_wait_when_there_are_too_many(tmp_path: Path) -> None:
    limits = {"messages_per_second": 1.0, "messages_at_once": 3}
    async with running(tmp_path, **limits) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with AsyncExitStack() as held:
            sockets = []
            for _ in range(6):
                socket = await held.enter_async_context(
                    greeted(server.port, client.watch(one.table))
                )
                await socket.hear_a(wire.Present)
                sockets.append(socket)
            began = asyncio.get_running_loop().time()
            for socket in 3 * sockets:
                await socket.say(wire.Ping())
            for socket in 3 * sockets:
                await socket.hear_a(wire.Time)
            # 18, of which 15 may come at once, and 5 in each second.
            assert asyncio.get_running_loop().time() - began > 0.4


async def until_admitted(port: int, watching: Player) -> None:
    """Try again until the server has noticed that others have gone."""
    while True:
        async with greeted(port, watching) as socket:
            with contextlib.suppress(ConnectionClosed):
                await socket.hear_a(wire.Welcome)
                return


async def test_presence_counts_down_to_a_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "ABSENCE", 3600.0)
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with greeted(server.port, two) as breaker:
            async with greeted(server.port, one) as maker:
                await maker.hear_a(wire.Present)
                while not (present := await breaker.hear_a(wire.Present)).one.here:
                    pass
                assert present.one.claimable_at is None
            away = await breaker.hear_a(wire.Present)
            assert not away.one.here
            assert away.one.claimable_at == away.one.away_since + 30_000
            await breaker.say(wire.Claim(id="early"))
            assert (await breaker.hear_a(wire.Refused)).code == "too-early"
            monkeypatch.setattr(handler, "ABSENCE", 0.0)
            await breaker.say(wire.Claim(id="late"))
            await breaker.hear_a(wire.Ack)
        assert (await two.look()).status.result is not None


@pytest.mark.parametrize("flooded", [True, False])
async def test_nobody_wins_because_others_flood_us_from_the_opponent_s_address(
    flooded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handler, "ABSENCE", 0.0)
    limits = {"requests_per_second": 0.001, "requests_at_once": 30}
    async with running(tmp_path, **limits) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with greeted(server.port, two) as breaker:
            async with greeted(server.port, one) as maker:
                await maker.hear_a(wire.Present)
                while not (await breaker.hear_a(wire.Present)).one.here:
                    pass
            assert not (await breaker.hear_a(wire.Present)).one.here
            if flooded:
                async with httpx.AsyncClient(base_url=server.url) as http:
                    while (await http.get("/api/choices")).status_code != 429:
                        pass
            await breaker.say(wire.Claim(id="c"))
            if flooded:
                assert (await breaker.hear_a(wire.Refused)).code == "too-early"
            else:
                await breaker.hear_a(wire.Ack)


async def test_a_player_s_move_does_not_wait_for_others_of_the_same_address(
    tmp_path: Path,
) -> None:
    limits = {"messages_per_second": 0.001, "messages_at_once": 20}
    async with running(tmp_path, **limits) as server, Client(server.url) as client:
        one, _ = await seated(client)
        async with AsyncExitStack() as held:
            for _ in range(6):
                watching = client.watch(one.table)
                socket = await held.enter_async_context(greeted(server.port, watching))
                await socket.hear_a(wire.Present)
                for _ in range(18):
                    await socket.say(wire.Ping())
            async with one.connect() as maker:
                await maker.set_secret(SECRET)


def stall_spectator(server: Running, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nothing is sent to the spectator until this is set."""
    session = next(s for s in server.application.live._sessions if s.seat is None)
    may_send = asyncio.Event()
    send = session._socket.send

    async def stalled(text: str) -> None:
        await may_send.wait()
        await send(text)

    monkeypatch.setattr(session._socket, "send", stalled)
    monkeypatch.setattr(session._socket, "write", lambda _text: False)
    return may_send


async def test_a_spectator_who_did_not_read_learns_who_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with greeted(server.port, client.watch(one.table)) as spectator:
            await spectator.hear_a(wire.Present)
            may_send = stall_spectator(server, monkeypatch)
            async with one.connect() as maker:
                await maker.set_secret(SECRET)
                async with two.connect() as breaker:
                    for _ in range(70):
                        await breaker.guess((5, 5, 6, 6))
                # Gone while the snapshot waits to be sent.
                async with asyncio.timeout(PATIENCE):
                    while len(server.application.live._sessions) > 2:
                        await asyncio.sleep(0.01)
                may_send.set()
                await spectator.hear_a(wire.Snapshot)
                present = await spectator.hear_a(wire.Present)
                assert (present.one.here, present.two.here) == (True, False)


async def test_a_spectator_who_does_not_read_gets_a_snapshot_and_players_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spectator's outbox overflows while nothing is sent to it; then it reads again."""
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        watching = client.watch(one.table)
        async with greeted(server.port, watching) as spectator, one.connect() as maker:
            await spectator.hear_a(wire.Present)
            may_send = stall_spectator(server, monkeypatch)
            await maker.set_secret(SECRET)
            async with two.connect() as breaker:
                for _ in range(70):
                    await breaker.guess((5, 5, 6, 6))
                may_send.set()
                snapshot = await spectator.hear_a(wire.Snapshot)
                assert len(snapshot.table.games[0].rows) == 70
                await breaker.guess((5, 5, 6, 6))
                update = await spectator.hear_a(wire.Update)
                assert update.entry.seq == snapshot.table.status.seq + 1


async def test_a_spectator_who_reads_slowly_misses_nothing_and_holds_nobody_up(
    tmp_path: Path,
) -> None:
    """Its road is narrow: small buffers, and a pause after each message."""
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with greeted(server.port, client.watch(one.table)) as slow, one.connect() as maker:
            await slow.hear_a(wire.Present)
            await maker.set_secret(SECRET)
            async with two.connect() as breaker:
                for _ in range(90):
                    await breaker.guess((5, 5, 6, 6))
            seq = 2
            while seq < 93:
                await asyncio.sleep(0.002)
                match await slow.hear():
                    case wire.Update(entry=entry):
                        assert entry.seq == seq + 1
                        seq = entry.seq
                    case wire.Snapshot(table=table):
                        assert table.status.seq > seq
                        seq = table.status.seq


async def test_each_seat_is_sent_its_own_options_and_a_spectator_none(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, key_pegs=KeyPegMode.BY_HAND, hints=True)
        places, always = (one, two, client.watch(one.table)), ("propose-limit", "resign")
        async with contextlib.AsyncExitStack() as stack:
            sockets = [
                await stack.enter_async_context(greeted(server.port, place)) for place in places
            ]
            welcomes = [await socket.hear_a(wire.Welcome) for socket in sockets]
            for told in (welcomes, [welcome.table for welcome in welcomes]):
                assert names(told) == [["set-secret", *always], ["claim", *always], []]
            await sockets[0].say(wire.SetSecret(id="s", code=SECRET))
            updates = [await socket.hear_a(wire.Update) for socket in sockets]
            assert names(updates) == [["claim", *always], ["guess", "hint", *always], []]
        looks = [await place.look() for place in places]
        assert names(looks) == names(updates)


async def test_entries_told_together_carry_each_its_own_status_and_options(tmp_path: Path) -> None:
    """A resignation that comes after the end of a turn: both are written, then both are told."""
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, turn_seconds=60)
        table = await server.application.services.tables.get(one.table)
        async with greeted(server.port, two) as breaker:
            await breaker.hear_a(wire.Present)
            assert table.deadline is not None
            await table.handle(Seat.TWO, "r", commands.Resign(), table.deadline + 1)
            told = [await breaker.hear_a(wire.Update) for _ in range(2)]
        assert [update.status.seq for update in told] == [update.entry.seq for update in told]
        assert [update.status.phase for update in told] == [Phase.GUESS, Phase.OVER]
        assert names(told) == [["guess", "propose-limit", "resign"], ["next-game", "propose-limit"]]


async def test_what_happens_while_a_socket_opens_is_told_with_its_status_and_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client)
        table = await server.application.services.tables.get(one.table)
        send, now = Socket.send, server.application.services.tables.clock.now

        async def send_while_the_maker_moves(socket: Socket, text: str) -> None:
            await send(socket, text)
            if '"type":"welcome"' in text:
                await table.handle(Seat.ONE, "s", commands.SetSecret(SECRET), now())

        monkeypatch.setattr(Socket, "send", send_while_the_maker_moves)
        async with greeted(server.port, two, 2) as breaker:
            welcome = await breaker.hear_a(wire.Welcome)
            missed = await breaker.hear_a(wire.Missed)
        assert (welcome.status.seq, missed.status.seq, missed.entries[-1].seq) == (2, 3, 3)
        always = ["propose-limit", "resign"]
        assert names([welcome, missed]) == [["claim", *always], ["guess", *always]]


def names(
    told: Iterable[wire.Welcome | wire.Missed | wire.Update | wire.TableOut],
) -> list[list[str]]:
    return [[option.value for option in one.options] for one in told]


async def test_more_time_is_offered_over_the_socket_and_over_http(tmp_path: Path) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, turn_seconds=60)
        due = (await one.look()).status.due
        assert due is not None
        async with greeted(server.port, two) as breaker:
            await breaker.hear_a(wire.Present)
            await breaker.say(wire.OfferTime(id="t", seconds=30))
            update = await breaker.hear_a(wire.Update)
            assert update.entry.events == (wire.event_out(TimeOffered(30)),)
            assert update.status.due == due + 30_000
        path = f"/api/tables/{one.table}/commands"
        offer = wire.OfferTime(id="u", seconds=1)
        for _ in range(2):
            assert (await client.post(path, offer, wire.Ack, two.token)).seq == 4
        assert (await two.look()).status.due == due + 31_000
        with pytest.raises(Refused, match="on the opponent's turn"):
            await client.post(path, wire.OfferTime(id="v", seconds=1), wire.Ack, one.token)
        for number in range(8):
            more = wire.OfferTime(id=f"w{number}", seconds=1)
            await client.post(path, more, wire.Ack, two.token)
        with pytest.raises(Refused, match="10 times in a turn"):
            await client.post(path, wire.OfferTime(id="x", seconds=1), wire.Ack, two.token)


async def test_a_player_who_does_not_read_is_closed_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with greeted(server.port, one) as maker, two.connect() as breaker:
            await maker.say(wire.SetSecret(id="s", code=SECRET))
            await maker.hear_a(wire.Ack)
            sessions = server.application.live._sessions
            session = next(s for s in sessions if s.seat is Seat.ONE)

            async def stalled(text: str) -> None:
                await asyncio.Event().wait()

            monkeypatch.setattr(session._socket, "send", stalled)
            monkeypatch.setattr(session._socket, "write", lambda _text: False)
            for _ in range(70):
                await breaker.guess((5, 5, 6, 6))
            assert await maker.closed() == 4008
        async with greeted(server.port, one, 3) as again:
            assert len(await everything(again, 73)) == 70
