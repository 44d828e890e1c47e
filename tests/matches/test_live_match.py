"""Matches in a process: clocks, outages, repeats, and two writers on one database."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest

from harness.tables import FakeClock
from keypeg.matches.commands import Answer, Guess, Open, SetSecret, Start
from keypeg.matches.errors import MatchReused, RowTooLate, WrongRow
from keypeg.matches.live_match import LiveMatch
from keypeg.matches.matches import ENTRY_BYTES, MATCH_BYTES, Matches
from keypeg.matches.soundness import check_match
from keypeg.rules.board import Board
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.match.events import ClockCredited, Task
from keypeg.rules.match.state import MatchStage, Turn
from keypeg.rules.match.terms import MatchKind, MatchTerms
from keypeg.rules.terms import KeyPegMode
from keypeg.store.errors import Unavailable, Unreadable
from keypeg.store.sql import SqlLog
from keypeg.table.clock import GRACE
from keypeg.table.computer import THE_PLAYER
from keypeg.table.outages import Outage, Outages
from tests.store.entries import KEY

pytestmark = pytest.mark.anyio
BOARD = Board(2, 3, rows=4)
LIMIT = 10
A, B = "a" * 64, "b" * 64


class Two:
    """A race of two players that has begun."""

    def __init__(self, log: SqlLog, clock: FakeClock, match: LiveMatch) -> None:
        self.log, self.clock, self.match = log, clock, match

    async def guess(self, player: int, row: int, ago: float = 0.0, id_: str = "") -> int:
        """A guess that does not break the code, received so many seconds ago."""
        secret = self.match.state.match.player(player).game.opening
        assert secret is not None
        code = (3, 3) if secret.code == (1, 1) else (1, 1)
        at = self.clock.now() - ago
        return await self.match.handle(player, id_ or f"g{player}-{row}", Guess(row, code), at)

    def rows(self, player: int) -> list[bool]:
        """For each row of a player whether it was filled."""
        return [row.guess is not None for row in self.match.state.match.player(player).game.rows]

    async def elsewhere(self) -> LiveMatch:
        """The match in another process."""
        others = Matches(self.log, self.clock, THE_PLAYER, Outages(self.clock), shared=True)
        return await others.get(self.match.id)

    async def sound(self) -> None:
        """Check the stored log."""
        store = self.match.writer._store
        card, seq = (await store.cards())[self.match.id]
        check_match(self.match.id, await store.read(self.match.id), card, seq)


@asynccontextmanager
async def racing(log: SqlLog, **terms: Any) -> AsyncIterator[Two]:
    clock = FakeClock()
    matches = Matches(log, clock, THE_PLAYER, Outages(clock))
    wanted = MatchTerms(MatchKind.RACE, BOARD, row_seconds=LIMIT, **terms)
    match = await matches.open("x", Open(wanted, A, "Ann"))
    await match.join(B, None)
    assert match.state.match.stage is MatchStage.PLAYING
    two = Two(log, clock, match)
    yield two
    await two.sound()
    await matches.close()


@pytest.fixture
async def log(tmp_path: Any) -> AsyncIterator[SqlLog]:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    yield log
    await log.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.001)


async def test_a_row_stays_empty_once_its_time_is_up(log: SqlLog) -> None:
    async with racing(log) as two:
        two.clock.turn(LIMIT - 1)
        await two.guess(1, 1)
        two.clock.turn(1 + GRACE + 0.01)
        two.clock.ring()
        await until(lambda: two.rows(2) == [False])
        assert two.rows(1) == [True]
        with pytest.raises(RowTooLate):
            await two.guess(2, 1)
        await two.guess(2, 2)


async def test_what_was_received_in_time_counts_although_it_is_read_late(log: SqlLog) -> None:
    async with racing(log) as two:
        two.clock.turn(LIMIT + 0.1)  # no alarm has rung
        await two.guess(1, 1, ago=0.2)
        assert two.rows(1) == [True]
        with pytest.raises(RowTooLate):
            await two.guess(2, 1, ago=0.05)
        assert two.rows(2) == [False]


async def test_a_command_is_carried_out_once(log: SqlLog) -> None:
    async with racing(log) as two:
        seqs = await asyncio.gather(*(two.guess(1, 1, id_="x") for _ in range(5)))
        assert len({*seqs}) == 1
        assert two.rows(1) == [True]
        with pytest.raises(MatchReused):
            await two.match.handle(1, "x", Start(), two.clock.now())
        with pytest.raises(WrongRow):
            await two.guess(1, 1, id_="y")


async def test_time_lost_to_an_outage_is_given_back_once(
    log: SqlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with racing(log) as two:
        append = two.match.writer._store.append
        outages = two.match.writer.outages
        outages.heartbeat(two.clock.now())

        async def fail(*_: object) -> None:
            raise Unavailable("the disk is full")

        monkeypatch.setattr(two.match.writer._store, "append", fail)
        two.clock.turn(4)
        with pytest.raises(Unavailable):
            await two.guess(1, 1)
        two.clock.turn(LIMIT)
        monkeypatch.setattr(two.match.writer._store, "append", append)
        await two.guess(1, 1)
        assert two.rows(1) == [True]
        assert two.rows(2) == []
        await two.match.give_back()
        credits_ = [
            event
            for entry in await two.match.writer._store.read(two.match.id)
            for event in entry.events
            if isinstance(event, ClockCredited)
        ]
        assert sorted(one.player for one in credits_) == [1, 2]


async def test_after_a_restart_the_time_since_the_last_heartbeat_is_given_back(
    log: SqlLog,
) -> None:
    async with racing(log) as two:
        heartbeat = two.clock.utc()
        await two.match.close()
        two.clock.turn(100)
        matches = Matches(log, two.clock, THE_PLAYER, Outages(two.clock))
        await matches.resume(heartbeat)
        match = await matches.get(two.match.id)
        assert match.state.match.due == heartbeat + 100_000 + 1000 * LIMIT
        now = two.clock.utc()
        await match.credit(Outage(heartbeat, now, now))
        assert match.state.match.due == heartbeat + 100_000 + 1000 * LIMIT
        await matches.close()


async def test_whoever_sets_the_wall_clock_moves_no_deadline(log: SqlLog) -> None:
    async with racing(log) as two:
        before = two.match.state.match.due
        for jump in (3_600_000, -7_200_000):
            two.clock.wall += jump
            await two.guess(1, len(two.rows(1)) + 1)
            due = two.match.state.match.due
            assert due == before
        assert two.rows(2) == []


async def test_two_processes_write_one_after_the_other(log: SqlLog) -> None:
    async with racing(log) as two:
        there = await two.elsewhere()
        far = Two(log, two.clock, there)
        await asyncio.gather(two.guess(1, 1), far.guess(2, 1), two.guess(1, 1), far.guess(2, 1))
        await two.match.catch_up()
        await there.catch_up()
        assert two.match.state == there.state
        assert (two.rows(1), two.rows(2)) == ([True], [True])
        await there.close()


async def test_nobody_is_away_who_may_be_at_another_process(log: SqlLog) -> None:
    async with racing(log) as two:
        there = await two.elsewhere()
        there.arrive(1)
        two.match.arrive(2)
        assert there.seen(1).here == {1, 2}
        assert two.match.seen(1).here == {2}
        await there.close()


async def test_a_turn_ends_once_although_two_processes_see_it_end(log: SqlLog) -> None:
    async with racing(log) as two:
        there = await two.elsewhere()
        two.clock.turn(LIMIT + 1)
        await asyncio.gather(two.match.expire(), there.expire(), two.match.expire())
        await two.match.catch_up()
        await there.catch_up()
        assert two.match.state == there.state
        assert (two.rows(1), two.rows(2)) == ([False], [False])
        await there.close()


async def test_the_computer_fills_a_row_and_answers_one_at_the_same_time(log: SqlLog) -> None:
    clock = FakeClock()
    matches = Matches(log, clock, THE_PLAYER, Outages(clock))
    terms = MatchTerms(MatchKind.DUEL, BOARD, key_pegs=KeyPegMode.BY_HAND)
    duel = await matches.open("x", Open(terms, A))
    await duel.join(B, None)
    for player in (1, 2):
        await duel.handle(player, "s", SetSecret((1, 2)), clock.now())
    await duel.handle(1, "g", Guess(1, (3, 3)), clock.now())
    seq = duel.state.seq
    await asyncio.gather(
        duel.ask_now(Turn(2, Task.ROW, 1), Guess(1, (2, 2)), seq),
        duel.ask_now(Turn(2, Task.ANSWER, 1), Answer(1, KeyPegs(0, 0)), seq),
    )
    one, two = (duel.state.match.player(number).game.rows for number in (1, 2))
    assert (one[0].keys, two[0].guess) == (KeyPegs(0, 0), (2, 2))
    await matches.close()


async def test_matches_out_of_use_are_let_go_and_found_again(log: SqlLog) -> None:
    clock = FakeClock()
    room = 10 * (MATCH_BYTES + ENTRY_BYTES)
    matches = Matches(log, clock, THE_PLAYER, Outages(clock), idle_bytes=room)
    terms = MatchTerms(MatchKind.RACE, BOARD)
    watched = await matches.open("watched", Open(terms, A))
    watched.watch(lambda _: None)
    names = [(await matches.open(f"x{number}", Open(terms, A))).id for number in range(30)]
    gc.collect()
    assert len(matches._memory.all) < 20
    assert await matches.get(watched.id) is watched
    for name in names:
        assert (await matches.get(name)).id == name
    await matches.close()


async def test_a_damaged_match_is_logged_once(
    log: SqlLog, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with racing(log) as two:
        pass
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("UPDATE match_entries SET at = at + 1 WHERE seq = 2")
        connection.commit()
    matches = Matches(log, two.clock, THE_PLAYER, Outages(two.clock))
    for _ in range(3):
        with pytest.raises(Unreadable):
            await matches.get(two.match.id)
    assert len([record for record in caplog.records if "refused" in record.message]) == 1
    await matches.close()


async def test_the_codes_of_a_match_are_encrypted_until_its_end(log: SqlLog) -> None:
    clock = FakeClock()
    matches = Matches(log, clock, THE_PLAYER, Outages(clock))
    board = Board(16, 20)
    duel = await matches.open("x", Open(MatchTerms(MatchKind.DUEL, board), A))
    await duel.join(B, None)
    codes = [tuple(range(1, 17)), tuple(range(16, 0, -1))]
    for player, code in enumerate(codes, 1):
        await duel.handle(player, "s", SetSecret(code), clock.now())

    def stored() -> bytes:
        path = log._url.database or ""
        found = b""
        for suffix in ("", "-wal"):
            with open(path + suffix, "rb") as file:
                found += file.read()
        return found

    def shown(code: Any) -> bool:
        forms = (bytes(code), str(list(code)).replace(" ", "").encode())
        return any(form in stored() for form in forms)

    assert not any(map(shown, codes))
    await duel.handle(1, "g", Guess(1, codes[1]), clock.now())
    await duel.handle(2, "g", Guess(1, codes[0]), clock.now())
    assert duel.state.match.stage is MatchStage.OVER
    assert all(map(shown, codes))
    await matches.close()
