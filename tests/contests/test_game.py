"""Contests on each database: who may do and see what, and what two servers do at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from keypeg.attempts.errors import AlreadyDone, GuessReused
from keypeg.contests import game
from keypeg.contests.errors import (
    ContestClosed,
    ContestFull,
    ContestReused,
    Entered,
    NoSuchContest,
    NotDoneYet,
    NotEntered,
    OwnCode,
    TooManySpectators,
    Watching,
)
from keypeg.contests.game import Contests, Plan, computer_holder, game_id
from keypeg.contests.standing import Line, standing
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import opens
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.keypegs import score
from keypeg.store.errors import StoreError
from keypeg.store.sql import SqlLog
from tests.daily.clocks import SetClock
from tests.store.entries import KEY

pytestmark = pytest.mark.anyio
CLASSIC = PRESETS["classic"]
SETTER, ANN, BOB = "5" * 64, "a" * 64, "b" * 64
SECRET: Code = (1, 2, 3, 4)
OTHER: Code = (4, 3, 2, 1)
CHOSEN = Plan(CLASSIC, (SECRET, OTHER), "Cleo")


@pytest.fixture
async def log(address: str) -> AsyncIterator[SqlLog]:
    log = await SqlLog.open(address, KEY)
    yield log
    await log.close()


@pytest.fixture
def clock() -> SetClock:
    return SetClock("2026-11-18 12:00")


@pytest.fixture
def contests(log: SqlLog, clock: SetClock) -> Contests:
    return Contests(log, clock)


async def made(contests: Contests, plan: Plan = CHOSEN, *entrants: str) -> str:
    """A new contest, which these have entered."""
    id_ = (await contests.create(SETTER, "x", plan)).contest.id
    for holder in entrants:
        await contests.enter(id_, holder, None)
    return id_


async def test_whoever_is_done_sees_the_code_and_everybody_who_is_done(
    contests: Contests, clock: SetClock
) -> None:
    id_ = await made(contests, CHOSEN, ANN, BOB)
    before = await contests.look(id_, ANN)
    assert [code.opening for code in before.codes] == [None, None]
    number, seen = await contests.guess(id_, 1, ANN, ("x", OTHER))
    assert number == 1
    attempt = seen.codes[0].attempt
    assert attempt is not None
    assert attempt.rows[0].keys == score(SECRET, OTHER)
    for ask in (contests.results(id_, 1, ANN), contests.standing(id_, ANN)):
        with pytest.raises(NotDoneYet):
            await ask
    clock.set("2026-11-18 12:01:30")
    await contests.guess(id_, 1, ANN, ("y", SECRET))
    await contests.guess(id_, 1, BOB, ("x", OTHER))
    seen = await contests.look(id_, ANN)
    opening = seen.codes[0].opening
    assert opening is not None
    assert opens(before.codes[0].seal, CLASSIC, game_id(id_, 1), opening)
    assert seen.codes[1].opening is None
    results = await contests.results(id_, 1, ANN)
    assert [(line.entrant, line.rows, line.seconds) for line in results.lines] == [(1, 2, 90)]
    assert results.under_way == 1
    assert results.book is not None
    assert results.book[-1][0] == SECRET
    await contests.guess(id_, 1, BOB, ("y", SECRET))
    results = await contests.results(id_, 1, BOB)
    assert [(line.place, line.entrant) for line in results.lines] == [(1, 2), (2, 1)]
    finish, theirs = await contests.rows(id_, 1, 1, BOB)
    assert (finish.needed, [row.code for row in theirs.rows]) == (2, [OTHER, SECRET])
    with pytest.raises(NotDoneYet):
        await contests.results(id_, 2, BOB)
    with pytest.raises(NotDoneYet):
        await contests.rows(id_, 2, 1, BOB)
    for nobody in (0, 3, 2**63, 10**999):
        with pytest.raises(NoSuchContest):
            await contests.rows(id_, 1, nobody, BOB)


async def test_the_standing_counts_the_codes_that_one_is_done_with(contests: Contests) -> None:
    id_ = await made(contests, CHOSEN, ANN, BOB)
    for number, code in ((1, SECRET), (2, OTHER)):
        await contests.guess(id_, number, ANN, ("x", code))
    await contests.guess(id_, 1, BOB, ("x", SECRET))
    hers, his = await contests.standing(id_, ANN), await contests.standing(id_, BOB)
    assert (hers.codes, his.codes) == ((1, 2), (1,))
    assert [(line.entrant, line.rows, line.codes) for line in hers.lines] == [
        (1, 2, (1, 1)),
        (2, 12, (1, None)),
    ]
    assert [(line.place, line.codes) for line in his.lines] == [(1, (1,)), (1, (1,))]


async def test_a_standing_is_charged_before_it_is_read_and_made_beside_the_event_loop(
    contests: Contests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of 2,000 entrants and 20 codes takes 75 ms."""
    id_ = await made(contests, CHOSEN, ANN, BOB)
    threads, charged = list[int](), list[int]()

    def noted(*given: Any) -> tuple[Line, ...]:
        threads.append(threading.get_ident())
        return standing(*given)

    async def charge(attempts: int) -> None:
        charged.append(attempts)

    async def refuse(_attempts: int) -> None:
        raise AgainstTheRules("too much is read")

    monkeypatch.setattr(game, "standing", noted)
    await contests.standing(id_, SETTER, charge)
    await contests.results(id_, 1, SETTER, charge)
    assert charged == [2 * (game.LINE_COST + counted) for counted in (2, 1)]
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    monkeypatch.setattr(contests.store, "finishes", None)  # it is not read
    with pytest.raises(AgainstTheRules):
        await contests.standing(id_, SETTER, refuse)


@pytest.mark.parametrize("defended", [True, False])
async def test_standings_are_made_one_after_another(
    contests: Contests, defended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several threads at once would keep the event loop waiting, each for 5 ms."""
    if not defended:
        monkeypatch.setattr(contests, "_summing", asyncio.Semaphore(2))
    id_ = await made(contests)
    both = threading.Barrier(2)

    def met(*given: Any) -> tuple[Line, ...]:
        both.wait(0.3 if defended else 60)
        return standing(*given)

    monkeypatch.setattr(game, "standing", met)
    asked = (contests.standing(id_, SETTER) for _ in range(2))
    done = await asyncio.gather(*asked, return_exceptions=True)
    alone = [isinstance(each, threading.BrokenBarrierError) for each in done]
    assert alone == [defended, defended]


async def test_whoever_chose_the_codes_sees_everything_and_cannot_enter(
    contests: Contests,
) -> None:
    id_ = await made(contests, CHOSEN, ANN)
    seen = await contests.look(id_, SETTER)
    assert [code.opening and code.opening.code for code in seen.codes] == [SECRET, OTHER]
    await contests.guess(id_, 1, ANN, ("x", OTHER))
    results = await contests.results(id_, 1, SETTER)
    assert (results.lines, results.under_way) == ((), 1)
    with pytest.raises(NoSuchContest, match="no entrant 1 is done"):
        await contests.rows(id_, 1, 1, SETTER)
    with pytest.raises(OwnCode):
        await contests.enter(id_, SETTER, None)
    with pytest.raises(OwnCode):
        await contests.guess(id_, 1, SETTER, ("x", OTHER))


async def test_a_spectator_sees_the_codes_and_can_never_enter(
    contests: Contests, clock: SetClock
) -> None:
    id_ = await made(contests, Plan(CLASSIC, (SECRET, OTHER), None, 3600), ANN)
    await contests.guess(id_, 1, ANN, ("x", SECRET))
    for _ in range(2):
        seen = await contests.watch(id_, BOB)
        assert (seen.watches, seen.entrant) == (True, None)
    assert [code.opening and code.opening.code for code in seen.codes] == [SECRET, OTHER]
    assert (await contests.standing(id_, BOB)).codes == (1, 2)
    for act, error in (
        (contests.enter(id_, BOB, None), Watching),
        (contests.guess(id_, 1, BOB, ("x", SECRET)), NotEntered),
        (contests.watch(id_, ANN), Entered),
        (contests.watch("x" * 22, BOB), NoSuchContest),
    ):
        with pytest.raises(error):
            await act
    # Those who see everything anyway just look.
    assert not (await contests.watch(id_, SETTER)).watches
    clock.set("2026-11-18 13:00")
    assert not (await contests.watch(id_, "c" * 64)).watches


async def test_nobody_is_both_an_entrant_and_a_spectator_however_they_ask(
    contests: Contests, log: SqlLog, address: str, clock: SetClock
) -> None:
    """Both at once, at two servers: one of them is refused."""
    other = await SqlLog.open(address, KEY)
    servers = [contests, Contests(other, clock)]
    id_ = await made(contests)
    for number in range(12):
        holder = f"{number:064}"
        asked = [servers[number % 2].enter(id_, holder, None), servers[1].watch(id_, holder)]
        done = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(isinstance(one, Watching | Entered) for one in done) == 1
        seen = await contests.look(id_, holder)
        assert (seen.entrant is None) == seen.watches
    await other.close()


async def test_only_so_many_watch(contests: Contests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "MOST_SPECTATORS", 1)
    id_ = await made(contests)
    await contests.watch(id_, BOB)
    await contests.watch(id_, BOB)
    with pytest.raises(TooManySpectators, match="1 watch this contest"):
        await contests.watch(id_, ANN)


async def test_the_computer_is_an_entrant_like_others(contests: Contests) -> None:
    plan = Plan(CLASSIC, (SECRET,), None, None, ("careful", "perfect"))
    id_ = await made(contests, plan, ANN)
    for level, code in (("perfect", SECRET), ("careful", OTHER)):
        await contests.guess(id_, 1, computer_holder(level), ("row-1", code))
    results = await contests.results(id_, 1, SETTER)
    assert [(line.entrant, results.contest.level(line.entrant)) for line in results.lines] == [
        (2, "perfect")
    ]
    assert results.under_way == 1
    assert results.contest.level(3) is None
    assert (await contests.look(id_, ANN)).codes[0].opening is None
    assert await contests.store.with_computers(0) == [id_]
    with pytest.raises(ContestReused):
        await contests.create(SETTER, "x", Plan(CLASSIC, (SECRET,)))


async def test_whoever_had_codes_drawn_plays_like_everybody_else(contests: Contests) -> None:
    id_ = await made(contests, Plan(CLASSIC, 3), SETTER)
    seen = await contests.look(id_, SETTER)
    assert (seen.yours, [code.opening for code in seen.codes]) == (True, [None] * 3)
    assert len({code.seal for code in seen.codes}) == 3
    with pytest.raises(NotDoneYet):
        await contests.results(id_, 1, SETTER)


async def test_the_same_request_makes_a_contest_once(contests: Contests) -> None:
    for plan in (CHOSEN, Plan(CLASSIC, 3, None, 3600)):
        first, *others = await asyncio.gather(
            *(contests.create(SETTER, f"r{plan.codes}", plan) for _ in range(3))
        )
        assert [one.contest for one in others] == [first.contest] * 2
    assert len(await contests.store.ids()) == 2
    assert (await contests.create(BOB, "x", CHOSEN)).contest.id != first.contest.id
    await contests.create(SETTER, "x", CHOSEN)
    for plan in (
        Plan(CLASSIC, (OTHER, SECRET), "Cleo"),
        Plan(CLASSIC, (SECRET,), "Cleo"),
        Plan(CLASSIC, 2, "Cleo"),
        Plan(CLASSIC, (SECRET, OTHER), "Ann"),
        Plan(CLASSIC, (SECRET, OTHER), "Cleo", 60),
        Plan(PRESETS["classic-blanks"], (SECRET, OTHER), "Cleo"),
    ):
        with pytest.raises(ContestReused):
            await contests.create(SETTER, "x", plan)


async def test_a_contest_closes_to_guesses_and_opens_to_all(
    contests: Contests, clock: SetClock
) -> None:
    id_ = await made(contests, Plan(CLASSIC, (SECRET,), None, 3600), ANN, BOB)
    await contests.guess(id_, 1, ANN, ("x", OTHER))
    clock.set("2026-11-18 12:59:59.999")
    await contests.guess(id_, 1, BOB, ("x", SECRET))
    clock.set("2026-11-18 13:00")
    for ask in (
        contests.guess(id_, 1, ANN, ("y", SECRET)),
        contests.enter(id_, "c" * 64, None),
    ):
        with pytest.raises(ContestClosed):
            await ask
    # What was answered in time is answered again.
    assert (await contests.guess(id_, 1, ANN, ("x", OTHER)))[0] == 1
    for holder in (ANN, BOB, SETTER, None):
        seen = await contests.look(id_, holder)
        assert seen.codes[0].opening is not None
        results = await contests.results(id_, 1, holder)
        assert [(line.entrant, line.rows) for line in results.lines] == [(2, 1), (1, 11)]
        assert results.under_way == 0
        assert len((await contests.rows(id_, 1, 1, holder))[1].rows) == 1


async def test_a_code_is_not_broken_when_the_rows_are_used_up(contests: Contests) -> None:
    id_ = await made(contests, CHOSEN, ANN)
    for number in range(CLASSIC.rows):
        _, seen = await contests.guess(id_, 1, ANN, (f"g{number}", OTHER))
    assert seen.codes[0].attempt is not None
    assert seen.codes[0].attempt.needed == 0
    assert seen.codes[0].opening is not None
    with pytest.raises(AlreadyDone):
        await contests.guess(id_, 1, ANN, ("more", SECRET))
    assert [line.rows for line in (await contests.results(id_, 1, ANN)).lines] == [11]


async def test_only_whoever_has_entered_may_guess_and_may_change_their_name(
    contests: Contests,
) -> None:
    id_ = await made(contests)
    with pytest.raises(NotEntered):
        await contests.guess(id_, 1, ANN, ("x", SECRET))
    for name in (None, "Ann", "Anna"):
        seen = await contests.enter(id_, ANN, name)
        assert seen.entrant == (1, name)
    assert (await contests.enter(id_, BOB, "Ann")).entrant == (2, "Ann")


async def test_only_so_many_enter_and_those_who_have_may_take_another_name(
    contests: Contests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game, "MOST_ENTRANTS", 2)
    id_ = await made(contests, CHOSEN, ANN, BOB)
    with pytest.raises(ContestFull, match="2 have entered"):
        await contests.enter(id_, "c" * 64, None)
    assert (await contests.enter(id_, BOB, "Bob")).entrant == (2, "Bob")


async def test_what_there_is_not_is_not_found(contests: Contests) -> None:
    id_ = await made(contests, CHOSEN, ANN)
    for wrong in ("", "x", "x" * 22, "x" * 23, "\u00e9" * 22, "../../etc"):
        with pytest.raises(NoSuchContest, match="no such contest"):
            await contests.look(wrong, ANN)
    for number in (0, -1, 3, 10**30):
        with pytest.raises(NoSuchContest, match="has codes 1 to 2"):
            await contests.guess(id_, number, ANN, ("x", SECRET))
    await contests.guess(id_, 1, ANN, ("x", SECRET))
    for entrant in (0, 2, 10**30):
        with pytest.raises(NoSuchContest, match=f"no entrant {entrant} is done"):
            await contests.rows(id_, 1, entrant, ANN)


async def test_what_is_not_a_code_of_the_board_is_refused(contests: Contests) -> None:
    with pytest.raises((CannotRead, AgainstTheRules)):
        await contests.create(SETTER, "x", Plan(CLASSIC, ((1, 2, 3, 7),)))
    assert await contests.store.ids() == []
    id_ = await made(contests, CHOSEN, ANN)
    wrong: tuple[Code, ...] = ((1, 2, 3), (1, 2, 3, 7), (0, 1, 2, 3))
    for code in wrong:
        with pytest.raises((CannotRead, AgainstTheRules)):
            await contests.guess(id_, 1, ANN, ("x", code))
    await contests.guess(id_, 1, ANN, ("x", SECRET))
    with pytest.raises(GuessReused):
        await contests.guess(id_, 1, ANN, ("x", OTHER))


async def test_a_new_contest_or_entrant_needs_leave_and_a_repeat_does_not(
    contests: Contests,
) -> None:
    async def refuse() -> None:
        raise StoreError("no")

    with pytest.raises(StoreError):
        await contests.create(SETTER, "x", CHOSEN, refuse)
    id_ = await made(contests)
    assert (await contests.create(SETTER, "x", CHOSEN, refuse)).contest.id == id_
    with pytest.raises(StoreError):
        await contests.enter(id_, ANN, None, refuse)
    await contests.enter(id_, ANN, None)
    await contests.enter(id_, ANN, "Ann", refuse)


async def test_two_servers_number_everybody_once_and_answer_each_guess_once(
    log: SqlLog, address: str, clock: SetClock
) -> None:
    other = await SqlLog.open(address, KEY)
    servers = [Contests(log, clock), Contests(other, clock)]
    id_ = await made(servers[0])
    holders = [f"{number:064}" for number in range(12)]
    seen = await asyncio.gather(
        *(server.enter(id_, holder, None) for holder in holders for server in servers)
    )
    numbers = [one.entrant.number if one.entrant else 0 for one in seen]
    assert numbers[::2] == numbers[1::2]
    assert sorted(numbers[::2]) == list(range(1, 13))
    guesses = [(f"g{number}", (number, 1, 1, 1)) for number in range(1, 5)]
    done = await asyncio.gather(
        *(server.guess(id_, 1, ANN_OF, guess) for guess in guesses for server in servers * 2)
    )
    rows = [{row for row, _ in done[4 * at : 4 * at + 4]} for at in range(4)]
    assert sorted(map(sorted, rows)) == [[1], [2], [3], [4]]
    await asyncio.gather(
        *(server.guess(id_, 2, one, ("x", OTHER)) for one in holders for server in servers)
    )
    results = [await server.results(id_, 2, holders[0]) for server in servers]
    assert results[0] == results[1]
    assert len(results[0].lines) == 12
    await other.close()


ANN_OF = f"{0:064}"


async def test_any_board_may_be_played_and_one_without_a_book_has_no_yardstick(
    contests: Contests,
) -> None:
    board = Board(3, 9, rows=99)
    id_ = await made(contests, Plan(board, ((1, 2, 3),)), ANN)
    await contests.guess(id_, 1, ANN, ("x", (1, 2, 3)))
    assert (await contests.results(id_, 1, ANN)).book is None
