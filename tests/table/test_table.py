from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from dataclasses import replace

import pytest

from harness import programs
from harness.tables import (
    BY_HAND,
    CLASSIC,
    SECRET,
    WRONG,
    ConsistentPlayer,
    FakeClock,
    Playing,
    sit_down,
    table_of,
    token_hash,
)
from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.rules.events import Abandoned, Answered, Closed, Guessed, Resigned, Revealed, Role
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.notation import format_record, parse_record
from keypeg.rules.series import Points
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.events import HintUsed, Rematched, RematchOffered
from keypeg.store.sql import SqlLog
from keypeg.table import Computer, Open, Seat, Settings, Table, handler, options
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    DeclineLimit,
    Guess,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.errors import (
    CommandReused,
    HintsOff,
    LogFull,
    NoSuchLevel,
    NotReady,
    SeatHeld,
    Stale,
    TooEarly,
)
from keypeg.table.options import MOST_HINTS

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO


async def finish_series(playing: Playing) -> None:
    """Both break at once."""
    await playing.ask(ONE, SetSecret(SECRET))
    await playing.ask(TWO, Guess(SECRET), NextGame(), SetSecret(SECRET))
    await playing.ask(ONE, Guess(SECRET))


async def test_a_guess_is_answered_in_the_same_entry() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        reply = await playing.ask(TWO, Guess((1, 2, 5, 5)))
        assert reply.entry.events == (Guessed((1, 2, 5, 5)), Answered(KeyPegs(2, 0)))
        assert reply.seq == playing.table.seq == 4


async def test_what_is_answered_is_on_disk() -> None:
    async with table_of() as playing:
        for command in (SetSecret(SECRET),):
            reply = await playing.ask(ONE, command)
            entries = await playing.log.read(playing.table.id)
            assert entries[-1].seq == reply.seq


async def test_a_whole_series_is_played_and_written_down() -> None:
    async with table_of() as playing:
        await finish_series(playing)
        assert playing.table.state.series.over
        assert playing.table.state.totals == Points(1, 1)
        text = format_record(playing.table.record(None))
        assert parse_record(text).replay() == playing.table.state.series
        assert parse_record(text).players == ("Ada", "Bob")


async def test_a_rematch_needs_both_swaps_roles_and_carries_the_score() -> None:
    async with table_of() as playing:
        with pytest.raises(NotYourTurn, match="when the series is over"):
            await playing.ask(ONE, Rematch())
        await finish_series(playing)
        reply = await playing.ask(ONE, Rematch())
        assert reply.entry.events == (RematchOffered(ONE),)
        with pytest.raises(NotYourTurn, match="you have offered"):
            await playing.ask(ONE, Rematch())
        reply = await playing.ask(TWO, Rematch())
        assert reply.entry.events == (RematchOffered(TWO), Rematched())
        state = playing.table.state
        assert state.series.maker is TWO
        assert state.totals == Points(1, 1)
        assert state.finished[0].winner is None
        await playing.ask(TWO, SetSecret(SECRET))
        await playing.ask(ONE, Guess(SECRET))
        assert playing.table.state.totals == Points(1, 2)
        assert playing.table.record(None, 1).events != playing.table.record(None).events
        assert playing.table.record(None).first_maker is TWO
        with pytest.raises(AgainstTheRules, match="series 1 to 2, no series 3"):
            playing.table.record(None, 3)


async def test_spectators_stay_for_the_rematch() -> None:
    async with table_of() as playing:
        heard: list[int] = []
        playing.table.watch(heard.append)
        await finish_series(playing)
        await playing.ask(ONE, Rematch())
        await playing.ask(TWO, Rematch())
        await asyncio.sleep(0)
        assert heard[-1] == playing.table.seq


async def test_watchers_are_told_after_the_asker_until_they_stop() -> None:
    async with table_of() as playing:
        await asyncio.sleep(0)
        order: list[str] = []
        stop = playing.table.watch(lambda seq: order.append(f"told {seq}"))
        await playing.ask(ONE, SetSecret(SECRET))
        order.append("answered")
        await asyncio.sleep(0)
        stop()
        stop()
        await playing.ask(TWO, Guess(WRONG))
        await asyncio.sleep(0)
        assert order == ["answered", "told 3"]


async def test_the_same_command_again_gets_the_same_reply_and_does_nothing() -> None:
    async with table_of() as playing:
        table, now = playing.table, playing.clock.now()
        first = await table.handle(ONE, "a", SetSecret(SECRET), now)
        second, third = await asyncio.gather(
            table.handle(ONE, "a", SetSecret(SECRET), now),
            table.handle(ONE, "a", SetSecret(SECRET), now, expected=2),
        )
        assert first == second == third
        assert table.seq == 3


async def test_the_same_id_for_something_else_is_a_conflict() -> None:
    async with table_of() as playing:
        table, now = playing.table, playing.clock.now()
        await table.handle(ONE, "a", SetSecret(SECRET), now)
        for other in (SetSecret(WRONG), Guess(SECRET), Resign()):
            with pytest.raises(CommandReused) as conflict:
                await table.handle(ONE, "a", other, now)
            assert conflict.value.seq == 3
        await table.handle(TWO, "a", Guess(WRONG), now)


@pytest.mark.parametrize("name", ["", "x" * 65, "a b", "\ud800", "\x00", "é"])
async def test_an_id_that_a_database_might_not_hold_is_refused(name: str) -> None:
    async with table_of() as playing:
        with pytest.raises(CannotRead, match="command id"):
            await playing.table.handle(ONE, name, SetSecret(SECRET), playing.clock.now())


async def test_a_stale_command_is_told_where_the_table_is() -> None:
    async with table_of() as playing:
        with pytest.raises(Stale, match="is at 2, not at 1") as stale:
            await playing.table.handle(ONE, "a", SetSecret(SECRET), playing.clock.now(), expected=1)
        assert stale.value.seq == 2
        await playing.table.handle(ONE, "a", SetSecret(SECRET), playing.clock.now(), expected=2)


async def test_many_at_once_are_taken_one_by_one() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        guesses = [
            playing.table.handle(TWO, f"g{number}", Guess(WRONG), playing.clock.now(), expected=3)
            for number in range(20)
        ]
        results = await asyncio.gather(*guesses, return_exceptions=True)
        assert sum(isinstance(result, Stale) for result in results) == 19
        assert playing.table.seq == 4


async def test_one_who_goes_away_does_not_undo_what_was_begun() -> None:
    async with table_of() as playing:
        heard: list[int] = []
        playing.table.watch(heard.append)
        asking = asyncio.create_task(playing.ask(ONE, SetSecret(SECRET)))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await playing.ask(TWO, Guess(WRONG))
        await asyncio.sleep(0)
        assert playing.table.seq == heard[-1] == 4


async def test_what_was_begun_by_one_who_is_not_shielded_is_read_from_the_log() -> None:
    log = await SqlLog.open(key=bytes(32))
    try:
        playing = await sit_down(log, Settings(CLASSIC))
        table, now = playing.table, playing.clock.now()
        asking = asyncio.create_task(table.handle(ONE, "s", SetSecret(SECRET), now, shielded=False))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert asking.cancelled()
        async with asyncio.timeout(60):
            while not await log.read(table.id, table.seq):
                await asyncio.sleep(0)
        await playing.ask(TWO, Guess(WRONG))
        assert table.seq == 4
        await table.close()
    finally:
        await log.close()


@pytest.mark.parametrize(
    ("seat", "command", "error", "reason"),
    [
        (TWO, SetSecret(SECRET), NotYourTurn, "only the maker"),
        (ONE, Guess(SECRET), NotYourTurn, "only the breaker"),
        (TWO, Guess(SECRET), NotYourTurn, "must set the secret first"),
        (ONE, SetSecret((1, 2, 3)), CannotRead, "4 pegs"),
        (ONE, SetSecret((1, 2, 3, 9)), CannotRead, "hole 4"),
        (ONE, Answer(KeyPegs(1, 1)), NotYourTurn, "only the referee"),
        (TWO, Challenge(), AgainstTheRules, "by hand"),
        (ONE, NextGame(), AgainstTheRules, "closed only when it is over"),
        (ONE, TakeSeat("Eve", "0" * 64), SeatHeld, "somebody has this seat"),
        (ONE, OfferTime(60), AgainstTheRules, "there is no time limit now"),
        (TWO, UseHint(), HintsOff, "without hints"),
        (TWO, ClaimAbsent(), TooEarly, "away for 30 seconds"),
    ],
)
async def test_what_is_not_allowed_changes_nothing(
    seat: Seat, command: object, error: type[Exception], reason: str
) -> None:
    async with table_of() as playing:
        before = playing.table.state
        with pytest.raises(error, match=reason):
            await playing.ask(seat, command)  # type: ignore[arg-type]
        assert playing.table.state is before


async def test_nothing_is_played_before_both_seats_are_taken() -> None:
    log = await SqlLog.open()
    opening = Open(Settings(CLASSIC), TWO, "Ada", token_hash(TWO))
    table = await Table.open("t", opening, log, FakeClock(), ConsistentPlayer())
    with pytest.raises(NotReady, match="both seats"):
        await table.handle(TWO, "a", Resign(), 0)
    with pytest.raises(SeatHeld, match="the other seat"):
        await table.handle(ONE, "a", TakeSeat("Ada", token_hash(TWO)), 0)
    await table.handle(ONE, "a", TakeSeat("  Zoe\u0308 ", token_hash(ONE)), 0)
    await table.handle(ONE, "a", TakeSeat("Zoë", token_hash(ONE)), 0)
    assert table.state.one is not None
    assert table.state.one.name == "Zoë"
    assert table.state.seat_of(token_hash(ONE)) is ONE
    assert table.state.seat_of("0" * 64) is None
    assert table.state.seat_of("") is None
    await table.close()
    await log.close()


@pytest.mark.parametrize("name", ["", "  ", "x" * 33, "a\nb", "a\x00", "\ud800", "a\u202eb"])
async def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    log = await SqlLog.open()
    table = await Table.open("t", Open(Settings(CLASSIC)), log, FakeClock(), ConsistentPlayer())
    with pytest.raises(CannotRead, match="is not a valid name"):
        await table.handle(ONE, "a", TakeSeat(name, token_hash(ONE)), 0)
    await log.close()


async def test_a_table_opens_only_at_a_level_the_computer_plays() -> None:
    log = await SqlLog.open()
    opening = Open(Settings(CLASSIC, two=Computer("grandmaster")))
    with pytest.raises(NoSuchLevel, match="beginner, club, expert, perfect"):
        await Table.open("t", opening, log, FakeClock(), ConsistentPlayer())
    with pytest.raises(SeatHeld, match="the computer has this seat"):
        await Table.open(
            "t",
            Open(Settings(CLASSIC, two=Computer("club")), TWO, "Ada", token_hash(TWO)),
            log,
            FakeClock(),
            ConsistentPlayer(),
        )
    assert await log.read("t") == []
    await log.close()


async def test_resigning_gives_the_game_up_and_the_series_goes_on() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        reply = await playing.ask(TWO, Resign())
        assert reply.entry.events[0] == Resigned(Role.BREAKER)
        assert isinstance(reply.entry.events[1], Revealed)
        reply = await playing.ask(ONE, NextGame())
        assert reply.entry.events == (Closed(),)
        assert playing.table.state.series.maker is TWO


async def test_an_absent_opponent_is_claimed_only_on_their_turn_and_after_a_while() -> None:
    async with table_of() as playing:
        table, clock = playing.table, playing.clock
        table.presence.arrive(TWO)
        await playing.ask(ONE, SetSecret(SECRET))
        clock.turn(100)
        with pytest.raises(TooEarly, match="it has been 0"):
            await playing.ask(ONE, ClaimAbsent())
        table.presence.leave(TWO, clock.now())
        clock.turn(29)
        with pytest.raises(TooEarly, match="it has been 29"):
            await playing.ask(ONE, ClaimAbsent())
        clock.turn(1)
        with pytest.raises(NotYourTurn, match="only while the game waits"):
            await playing.ask(TWO, ClaimAbsent())
        reply = await playing.ask(ONE, ClaimAbsent())
        assert reply.entry.events[0] == Abandoned(Role.BREAKER)
        result = table.state.series.result
        assert result is not None
        assert result.winner is ONE


async def test_a_breaker_who_leaves_before_closing_a_game_by_hand_can_be_claimed() -> None:
    async with table_of(BY_HAND) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(SECRET))
        await playing.ask(ONE, Answer(KeyPegs(4, 0)))
        playing.clock.turn(31)
        await playing.ask(ONE, ClaimAbsent())
        result = playing.table.state.series.result
        assert result is not None
        assert result.winner is ONE


async def test_a_breaker_away_from_the_last_game_by_hand_holds_up_nothing_for_long() -> None:
    async with table_of(BY_HAND) as playing:
        for maker, breaker in ((ONE, TWO), (TWO, ONE)):
            await playing.ask(maker, SetSecret(SECRET))
            await playing.ask(breaker, Guess(SECRET))
            await playing.ask(maker, Answer(KeyPegs(4, 0)))
            if maker is ONE:
                await playing.ask(breaker, NextGame())
        playing.clock.turn(31)
        reply = await playing.ask(TWO, ClaimAbsent())
        assert reply.entry.events == (Closed(),)
        result = playing.table.state.series.result
        assert result is not None
        assert result.winner is None
        assert result.points == Points(1, 1)


@pytest.mark.parametrize("defended", [True, False])
async def test_a_claim_and_the_end_of_a_pause_do_not_pass_for_each_other(
    defended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both close a game; the id of one is refused to the other, also after a restart."""
    if not defended:
        monkeypatch.setattr(handler, "same", lambda *_, **__: True)
    async with table_of(BY_HAND) as playing:

        async def answers() -> list[str]:
            now, found = playing.clock.now(), []
            for seat, name, command in (
                (TWO, "next", NextGame()),
                (TWO, "next", ClaimAbsent()),
                (TWO, "claim", ClaimAbsent()),
                (TWO, "claim", NextGame()),
            ):
                try:
                    reply = await playing.table.handle(seat, name, command, now)
                    found.append(str(reply.seq))
                except CommandReused:
                    found.append("reused")
            return found

        for maker, breaker in ((ONE, TWO), (TWO, ONE)):
            await playing.ask(maker, SetSecret(SECRET))
            await playing.ask(breaker, Guess(SECRET))
            await playing.ask(maker, Answer(KeyPegs(4, 0)))
            playing.clock.turn(31)
            if maker is ONE:
                await playing.table.handle(TWO, "next", NextGame(), playing.clock.now())
        await playing.table.handle(TWO, "claim", ClaimAbsent(), playing.clock.now())
        for _ in range(2):
            right = ["6", "reused", "10", "reused"] if defended else ["6", "6", "10", "10"]
            assert await answers() == right
            await playing.restart()


async def test_nobody_is_away_who_has_just_acted_or_whose_turn_has_just_come() -> None:
    async with table_of(BY_HAND) as playing:
        playing.clock.turn(100)
        await playing.ask(ONE, SetSecret(SECRET))
        with pytest.raises(TooEarly, match="it has been 0"):
            await playing.ask(ONE, ClaimAbsent())
        playing.clock.turn(29)
        await playing.ask(TWO, Guess(WRONG))
        await playing.ask(ONE, Answer(KeyPegs(0, 0)))
        playing.clock.turn(29)
        with pytest.raises(TooEarly, match="it has been 29"):
            await playing.ask(ONE, ClaimAbsent())


async def test_a_wrong_answer_by_hand_is_challenged_and_the_game_replayed() -> None:
    async with table_of(BY_HAND) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG))
        await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        await playing.ask(TWO, Challenge(), NextGame())
        series = playing.table.state.series
        assert series.points == Points(0, 3)
        assert (series.number, series.maker) == (1, ONE)


async def test_a_hint_is_written_down_where_hints_are_allowed() -> None:
    async with table_of(hints=True) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        with pytest.raises(NotYourTurn, match="for the breaker"):
            await playing.ask(ONE, UseHint())
        reply = await playing.ask(TWO, UseHint())
        assert reply.entry.events == (HintUsed(1),)
        assert playing.table.state.hints == 1


async def test_hints_for_one_row_come_to_an_end() -> None:
    async with table_of(hints=True) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        for _ in range(MOST_HINTS):
            await playing.ask(TWO, UseHint())
        seq = playing.table.seq
        with pytest.raises(AgainstTheRules, match="play it"):
            await playing.ask(TWO, UseHint())
        assert playing.table.seq == seq
        await playing.ask(TWO, Guess(WRONG), UseHint())
        assert playing.table.state.hints == MOST_HINTS + 1


def test_hints_are_customary_against_the_computer_only() -> None:
    people, computer = Settings(CLASSIC), Settings(CLASSIC, two=Computer("club"))
    assert not people.hints_allowed
    assert computer.hints_allowed
    assert not replace(computer, hints=False).hints_allowed


async def test_a_full_log_takes_what_ends_the_series_and_nothing_that_need_not_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with table_of(replace(BY_HAND, turn_seconds=180), hints=True) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG))
        await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        await playing.ask(TWO, UseHint())
        await playing.ask(ONE, OfferTime(10))
        monkeypatch.setattr(options, "MOST_ENTRIES", playing.table.seq)
        for seat, command in ((TWO, UseHint()), (ONE, OfferTime(10)), (TWO, ProposeLimit(60))):
            with pytest.raises(LogFull, match="open a new table"):
                await playing.ask(seat, command)
        await playing.ask(TWO, Challenge(), NextGame())
        # The replay: no second one can follow, and so the breaker loses nothing.
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG))
        with pytest.raises(LogFull, match="the right answer"):
            await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        for keys in (KeyPegs(1, 0), KeyPegs(0, 0)):
            # To the breaker no refusal tells which is right.
            with pytest.raises(NotYourTurn):
                await playing.ask(TWO, Answer(keys))
        await playing.ask(ONE, Answer(KeyPegs(0, 0)))
        playing.clock.turn(200)
        await playing.table.expire(playing.clock.now())
        playing.clock.turn(1)
        await playing.ask(TWO, Resign(), NextGame(), SetSecret(SECRET))
        await playing.ask(ONE, Guess(SECRET))
        await playing.ask(TWO, Answer(KeyPegs(4, 0)))
        await playing.ask(ONE, NextGame())
        assert playing.table.state.series.over
        with pytest.raises(LogFull, match="open a new table"):
            await playing.ask(ONE, Rematch())


async def test_a_full_log_grows_by_one_series_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two who try everything, again and again."""
    monkeypatch.setattr(options, "MOST_ENTRIES", 30)
    rng = random.Random(7)
    terms = Terms(Board(2, 3, 4), 2, KeyPegMode.BY_HAND)
    async with table_of(terms, hints=True) as playing:
        refused = 0
        while refused < 1_000:
            assert playing.table.seq < 200, "it goes on for ever"
            keys = rng.choice([KeyPegs(0, 0), KeyPegs(1, 0), KeyPegs(0, 1), KeyPegs(2, 0)])
            code = (rng.randint(1, 3), rng.randint(1, 3))
            asked: list[Command] = [SetSecret(code), Guess(code), Answer(keys), Challenge()]
            asked += [NextGame(), UseHint(), Rematch(), OfferTime(5), ProposeLimit(60)]
            asked += [AcceptLimit(60), DeclineLimit(), WithdrawLimit()]
            try:
                await playing.ask(rng.choice([ONE, TWO]), rng.choice(asked))
            except KeypegError:
                refused += 1
            else:
                refused = 0
        assert playing.table.state.series.over
        # Two games and a replay, each of a secret, four rows, answers and challenges, and a close;
        # and the end of a proposal that was open.
        assert 30 <= playing.table.seq <= 30 + 3 * (1 + 3 * 4 + 1) + 1


async def test_a_table_rebuilt_from_its_log_is_the_same_table() -> None:
    async with table_of() as playing:
        await finish_series(playing)
        await playing.ask(ONE, Rematch())
        before = playing.table
        await playing.restart()
        assert playing.table.state == before.state
        for seat in (None, ONE, TWO):
            assert playing.table.view(seat) == before.view(seat)
        first = await playing.table.handle(ONE, "id-2", SetSecret(SECRET), 0)
        assert first.seq == 3


async def test_two_servers_at_one_table_agree(address: str) -> None:
    key = bytes(32)
    here, there = await SqlLog.open(address, key), await SqlLog.open(address, key)
    mine = await sit_down(here, Settings(CLASSIC))
    entries = await there.read(mine.table.id)
    other = Table.rebuild(mine.table.id, entries, there, mine.clock, mine.player)
    heard: list[int] = []
    other.watch(heard.append)
    await mine.ask(ONE, SetSecret(SECRET))
    replies = await asyncio.gather(
        *(table.handle(TWO, "same", Guess(WRONG), 0) for table in (mine.table, other))
    )
    assert replies[0] == replies[1]
    refused = await asyncio.gather(
        *(
            table.handle(TWO, name, Guess(WRONG), 0, expected=4)
            for name, table in (("a", mine.table), ("b", other))
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Stale) for result in refused) == 1
    await mine.table.catch_up()
    await other.catch_up()
    assert mine.table.state == other.state
    assert heard[-1] == 5
    for closing in (mine.table, other, here, there):
        await closing.close()


KILLED = """
import asyncio
from harness.tables import table_of
from keypeg.table import Seat
from keypeg.table.commands import SetSecret

async def main():
    async with table_of() as playing:
        playing.table.watch(lambda seq: print("told", seq, flush=True))
        reply = await playing.ask(Seat.ONE, SetSecret((1, 2, 3, 4)))
        print("answered", reply.seq, flush=True)
        await asyncio.sleep(1)

asyncio.run(main())
"""


async def test_the_asker_is_answered_though_the_server_dies_before_it_tells_the_rest() -> None:
    done = await asyncio.to_thread(
        programs.run,
        [sys.executable, "-c", KILLED],
        env={**os.environ, "KEYPEG_FAILPOINT": "after-ack:2"},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout.splitlines() == ["told 2", "answered 3"]
