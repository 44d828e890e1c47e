"""Every fault test fails when its defence is off: here each defence is switched off and missed.

A defence is switched off from here only; no shipped program knows how. With it on, its check
passes; with it off, the same check must fail.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from itertools import count, product
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from websockets.exceptions import ConnectionClosed
from websockets.server import ServerProtocol

from harness.clients.sockets import PATIENCE, Raw, greeted, raw, seated
from harness.servers.in_process import running
from harness.tables import SECRET, TIMED, WRONG, ConsistentPlayer, FakeClock, sit_down
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.server import arrivals, frames, outbox
from keypeg.server.app import Application
from keypeg.store import engines, health, sql
from keypeg.store.errors import Moved, StoreError, Unavailable
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table import Settings, Table, decisions, handler
from keypeg.table.commands import Guess, SetSecret
from keypeg.table.state import State, rebuild
from tests.server.defences import Defence, Missed, Patch, need
from tests.server.test_received import by_socket, played_while_held
from tests.store.entries import KEY, WAITING, guessed, opened
from tests.store.syncs import counted_syncs

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO


@asynccontextmanager
async def log_in(folder: Path) -> AsyncIterator[SqlLog]:
    log = await SqlLog.open(f"sqlite:///{folder}/x.db", KEY)
    try:
        yield log
    finally:
        await log.close()


async def everything_acknowledged_is_on_disk(folder: Path) -> None:
    with counted_syncs() as syncs:
        async with log_in(folder) as log:
            await log.append("t", opened(), WAITING)
            for seq in range(2, 10):
                before = syncs.count
                await log.append("t", guessed(seq), None)
                need(syncs.count > before, "acknowledged, and the disk was not asked to keep it")


def do_not_wait_for_the_disk(patch: Patch) -> None:
    lax = [p.replace("synchronous = FULL", "synchronous = NORMAL") for p in engines._PRAGMAS]
    patch.setattr(engines, "_PRAGMAS", tuple(lax))


async def servers_that_start_together_all_start(folder: Path) -> None:
    address = f"sqlite:///{folder}/x.db"
    # SQLite itself lets only one turn a new file to WAL, and refuses the others without a wait.
    with closing(sqlite3.connect(folder / "x.db")) as file:
        file.execute("PRAGMA journal_mode = WAL")
    started = await asyncio.gather(
        *(SqlLog.open(address, KEY) for _ in range(6)), return_exceptions=True
    )
    for log in started:
        if isinstance(log, SqlLog):
            await log.close()
    failed = [repr(log) for log in started if not isinstance(log, SqlLog)]
    need(not failed, f"one reads, then cannot write: {failed}")


def begin_by_reading(patch: Patch) -> None:
    both, others = threading.Barrier(2), count(1)

    def deferred(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN DEFERRED")
        connection.exec_driver_sql("SELECT * FROM sqlite_master")
        if next(others) <= both.parties:  # the first two have read before either writes
            both.wait(60)

    patch.setattr(engines, "_begin_immediate", deferred)


async def two_processes_write_no_entry_twice(folder: Path) -> None:
    """Each plays the breaker's next row, over and over, on a table of its own."""
    async with log_in(folder) as log:
        clock = FakeClock()
        playing = await sit_down(log, Settings(Terms(Board(4, 6, 20))), clock)
        await playing.ask(ONE, SetSecret(SECRET))
        entries = await log.read(playing.table.id)
        other = Table.rebuild(playing.table.id, entries, log, clock, ConsistentPlayer())
        for number in range(5):
            seq = 3 + number
            asked = [
                table.handle(TWO, f"{name}{number}", Guess(WRONG), 0.0, expected=seq)
                for name, table in (("a", playing.table), ("b", other))
            ]
            done = await asyncio.gather(*asked, return_exceptions=True)
            need(sum(not isinstance(one, Exception) for one in done) == 1, "both played row one")
            await asyncio.gather(playing.table.catch_up(), other.catch_up())
        rebuild(playing.table.id, await log.read(playing.table.id))


def write_after_whatever_is_there(patch: Patch) -> None:
    """As a server would that numbers entries as it writes them."""
    append = SqlLog.append

    async def unguarded(self: SqlLog, table_id: str, entry: Entry, card: Card | None) -> None:
        try:
            await append(self, table_id, entry, card)
        except Moved:
            last = (await self.read(table_id))[-1].seq
            await append(self, table_id, replace(entry, seq=last + 1), card)

    patch.setattr(SqlLog, "append", unguarded)


async def who_does_not_read_holds_little(folder: Path) -> None:
    async with running(folder) as server, Client(server.url) as client:
        one, two = await seated(client, board="4x6/99")
        async with greeted(server.port, one) as maker, two.connect() as breaker:
            await maker.say(wire.SetSecret(id="s", code=SECRET))
            await maker.hear_a(wire.Ack)
            session = next(s for s in server.application.live._sessions if s.seat is ONE)
            stalled = asyncio.Event()
            session._socket.send = lambda _text: stalled.wait()  # type: ignore[method-assign,assignment,return-value]
            session._socket.write = lambda _text: False  # type: ignore[method-assign,assignment]
            try:
                for _ in range(80):
                    await breaker.guess(WRONG)
                need(len(session._outbox._waiting) <= 64, "a socket that is not read fills up")
            finally:
                stalled.set()  # else the end of the server would wait for it


def let_outboxes_grow(patch: Patch) -> None:
    patch.setattr(outbox, "MOST_MESSAGES", 10**9)


async def a_seal_cannot_be_searched(folder: Path) -> None:
    """By one who knows every nonce shown so far, and tries every code."""
    async with log_in(folder) as log:
        shown = {bytes(32)}
        for secret in (SECRET, WRONG):
            playing = await sit_down(log, Settings(Terms(Board(4, 6))))
            await playing.ask(ONE, SetSecret(secret))
            game = playing.table.shown(TWO).series.games[0]
            need(game.seal is not None, "no seal")
            for code, nonce in product(product(game.board.symbols, repeat=4), shown):
                found = opens(game.seal or "", game.board, game.id, Opening(code, nonce))
                need(not found, "the secret was found from its seal")
            await playing.ask(TWO, Guess(secret))
            opening = playing.table.shown(TWO).series.games[0].opening
            assert opening is not None
            assert opening.nonce is not None
            shown.add(opening.nonce)


def use_a_nonce_twice(patch: Patch) -> None:
    def conceal(code: Code) -> Opening:
        return Opening(code, b"n" * 32)

    patch.setattr(decisions, "conceal", conceal)


def use_no_nonce(patch: Patch) -> None:
    patch.setattr(decisions, "conceal", lambda code: Opening(code, bytes(32)))


async def a_breaker_is_shown_no_secret(folder: Path) -> None:
    async with running(folder) as server, Client(server.url) as client:
        one, two = await seated(client)
        async with one.connect() as maker:
            await maker.set_secret(SECRET)
        for place in (two, client.watch(one.table)):
            need((await place.look()).games[0].secret is None, "the secret is shown")


def show_everybody_the_whole_table(patch: Patch) -> None:
    def shown(self: Table, _seat: Seat | None) -> State:
        return self.state

    patch.setattr(Table, "shown", shown)


async def a_command_that_was_done_is_answered_before_the_end(folder: Path) -> None:
    """Told to stop while a command is being written, a server answers it first."""
    address = f"sqlite:///{folder}/x.db"
    heard: list[object] = []
    async with running(address) as server, Client(server.url) as client:
        one, _ = await seated(client)
        log, append = server.application.services.log, SqlLog.append

        async def slow(table_id: str, entry: Entry, card: Card | None) -> None:
            await append(log, table_id, entry, card)
            await asyncio.sleep(0.3)

        log.append = slow  # type: ignore[method-assign]

        async def listen() -> None:
            async with greeted(server.port, one) as socket:
                await socket.hear_a(wire.Present)
                await socket.say(wire.SetSecret(id="s", code=SECRET))
                while True:
                    heard.append(await socket.hear())

        listening = asyncio.create_task(listen())
        async with asyncio.timeout(PATIENCE):
            while not await log.read(one.table, 2):
                await asyncio.sleep(0.01)
    await asyncio.wait_for(asyncio.gather(listening, return_exceptions=True), PATIENCE)
    need(any(isinstance(message, wire.Ack) for message in heard), "done, and never answered")


def stop_at_once(patch: Patch) -> None:
    async def drain(self: Application, seconds: float) -> None:
        """Wait for nobody."""

    patch.setattr(Application, "drain", drain)


async def a_failed_disk_is_not_trusted_again(folder: Path) -> None:
    async with log_in(folder) as log:
        await log.append("t", opened(), WAITING)
        fault = sqlite3.OperationalError("disk I/O error")
        fault.sqlite_errorname = "SQLITE_IOERR_FSYNC"

        def failed(*_: object) -> None:
            raise OperationalError("", None, fault)

        with pytest.MonkeyPatch.context() as failing:
            failing.setattr(sql, "insert_batch", failed)
            with pytest.raises(StoreError):
                await log.append("t", guessed(2), None)
        outcome = await asyncio.gather(log.append("t", guessed(2), None), return_exceptions=True)
        need(isinstance(outcome[0], StoreError), "acknowledged after the disk had failed")


def hope_that_the_disk_has_recovered(patch: Patch) -> None:
    patch.setattr(health, "diagnose", lambda _fault: Unavailable("try again"))


async def a_move_overtaken_by_its_expiry_is_not_played_in_the_next_row(folder: Path) -> None:
    async with log_in(folder) as log:
        playing = await sit_down(log, Settings(TIMED))
        await playing.ask(ONE, SetSecret(SECRET))
        received = playing.clock.now() + 179
        playing.clock.turn(200)
        await playing.table.expire(playing.clock.now())
        move = playing.table.handle(TWO, "g", Guess(WRONG), received)
        await asyncio.gather(move, return_exceptions=True)
        rows = [row.guess for row in playing.table.state.series.games[0].rows]
        need(rows == [None], "the move was played in a row it was not meant for")


def judge_moves_by_when_they_are_read(patch: Patch) -> None:
    patch.setattr(handler, "_TURN_BOUND", ())


async def a_long_reader_leaves_no_long_write_ahead_log(folder: Path) -> None:
    """Once it has gone; a smaller limit stands for ours, since so much takes long to write."""
    most = 2**20
    with Patch.context() as patch:
        limits = [re.sub(r"(?<=size_limit = )\d+", str(most), p) for p in engines._PRAGMAS]
        patch.setattr(engines, "_PRAGMAS", tuple(limits))
        async with log_in(folder) as log:
            with closing(sqlite3.connect(folder / "x.db", isolation_level=None)) as reader:
                await log.append("first", opened(), WAITING)
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM entries").fetchall()
                for start in range(0, 20 * sql.BATCH, sql.BATCH):
                    names = (f"t{number}" for number in range(start, start + sql.BATCH))
                    await asyncio.gather(*(log.append(name, opened(), WAITING) for name in names))
                assert (folder / "x.db-wal").stat().st_size > 4 * most
            # The next commit brings all of it into the database, and the one after begins anew.
            for seq in (2, 3):
                await log.append("first", guessed(seq), None)
            size = (folder / "x.db-wal").stat().st_size
            need(size <= most, f"{size:,} bytes are left of what a reader held up")


def let_the_write_ahead_log_be_long(patch: Patch) -> None:
    others = [pragma for pragma in engines._PRAGMAS if "size_limit" not in pragma]
    patch.setattr(engines, "_PRAGMAS", tuple(others))


async def a_move_that_came_in_time_is_played(folder: Path) -> None:
    async with running(folder) as server:
        answer = await played_while_held(server.url, by_socket)
        need('"type":"ack"' in answer, "a turn was taken from a player who moved in time")


async def an_alarm_lets_a_move_come_first_that_was_received_before(folder: Path) -> None:
    """The move has been read, and has a few turns of the event loop to go."""
    async with log_in(folder) as log:
        playing = await sit_down(log, Settings(TIMED))
        await playing.ask(ONE, SetSecret(SECRET))
        received = playing.clock.now() + 179
        playing.clock.turn(181)
        playing.clock.ring()
        for _ in range(8):
            await asyncio.sleep(0)
        move = playing.table.handle(TWO, "g", Guess(WRONG), received)
        await asyncio.gather(move, return_exceptions=True)
        rows = [row.guess for row in playing.table.state.series.games[0].rows]
        need(rows == [WRONG], "the turn was ended before a move that was received in time")


def judge_moves_by_when_they_are_looked_at(patch: Patch) -> None:
    patch.setattr(arrivals.ArrivalClock, "earliest", lambda _: time.monotonic())


def let_the_alarm_come_first(patch: Patch) -> None:
    patch.setattr(handler, "ROUNDS", 0)


async def a_flood_of_pongs_is_cut_off(folder: Path) -> None:
    limits = {"messages_per_second": 0.1, "messages_at_once": 40}
    async with running(folder, **limits) as server, raw(server.port) as flooder:
        await asyncio.gather(*(flooder.socket.pong() for _ in range(300)))
        need(await answered_or_cut(flooder) == "cut", "300 pongs, and the socket is open")


async def answered_or_cut(socket: Raw) -> str:
    """Which comes first: the answer to a ping, or the end."""
    try:
        async with asyncio.timeout(PATIENCE):
            await (await socket.socket.ping())
    except ConnectionClosed:
        return "cut"
    return "answered"


def count_no_frames(patch: Patch) -> None:
    patch.setattr(frames.CountedFrames, "recv_frame", ServerProtocol.recv_frame)


DEFENCES = [
    Defence(everything_acknowledged_is_on_disk, do_not_wait_for_the_disk),
    Defence(servers_that_start_together_all_start, begin_by_reading),
    Defence(two_processes_write_no_entry_twice, write_after_whatever_is_there),
    Defence(who_does_not_read_holds_little, let_outboxes_grow),
    Defence(a_seal_cannot_be_searched, use_no_nonce),
    Defence(a_seal_cannot_be_searched, use_a_nonce_twice),
    Defence(a_breaker_is_shown_no_secret, show_everybody_the_whole_table),
    Defence(a_command_that_was_done_is_answered_before_the_end, stop_at_once),
    Defence(a_failed_disk_is_not_trusted_again, hope_that_the_disk_has_recovered),
    Defence(
        a_move_overtaken_by_its_expiry_is_not_played_in_the_next_row,
        judge_moves_by_when_they_are_read,
    ),
    Defence(a_move_that_came_in_time_is_played, judge_moves_by_when_they_are_looked_at),
    Defence(an_alarm_lets_a_move_come_first_that_was_received_before, let_the_alarm_come_first),
    Defence(a_flood_of_pongs_is_cut_off, count_no_frames),
    Defence(a_long_reader_leaves_no_long_write_ahead_log, let_the_write_ahead_log_be_long),
]


@pytest.mark.parametrize("check", dict.fromkeys(each.check for each in DEFENCES))
async def test_what_is_defended_holds(
    check: Callable[[Path], Awaitable[None]], tmp_path: Path
) -> None:
    await check(tmp_path)


@pytest.mark.parametrize("defence", DEFENCES, ids=lambda each: each.off.__name__)
async def test_a_defence_that_is_off_is_missed(
    defence: Defence, tmp_path: Path, monkeypatch: Patch
) -> None:
    defence.off(monkeypatch)
    with pytest.raises(Missed):
        await defence.check(tmp_path)
