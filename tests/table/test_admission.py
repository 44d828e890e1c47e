"""What a table would have refused is refused in a log; the fold alone would take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.tables import BY_HAND, CLASSIC, SECRET, WRONG, table_of
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Guessed,
    Resigned,
    Revealed,
    Role,
)
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.rules.terms import Scoring, Terms
from keypeg.store.events import (
    HintUsed,
    LogEvent,
    RematchOffered,
    SeatTaken,
    TimeCredited,
    TimeOffered,
)
from keypeg.store.log import Entry
from keypeg.store.memory import MemoryLog
from keypeg.table.commands import Answer, Command, Guess, Resign, SetSecret
from keypeg.table.options import MOST_HINTS, MOST_OFFERS
from keypeg.table.soundness import Unsound, check_log
from keypeg.table.state import rebuild
from tests.store import evening

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
Log = list[Entry]
Forge = Callable[[Log], Log]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def logs() -> dict[str, Log]:
    """The three tables of the golden evening, on which every kind of event happens."""
    memory = MemoryLog()
    with evening.without_chance():
        await evening.play(memory)
    return {name: await memory.read(name) for name in evening.TABLES}


def at(log: Log, kind: type[LogEvent], which: int = 0) -> int:
    """The place of an entry that begins with an event of this kind."""
    found = [place for place, entry in enumerate(log) if isinstance(entry.events[0], kind)]
    return found[which]


def put(log: Log, place: int, **fields: Any) -> Log:
    """The log with one entry changed."""
    return [*log[:place], replace(log[place], **fields), *log[place + 1 :]]


def insert(log: Log, place: int, seat: Seat | None, *events: LogEvent, times: int = 1) -> Log:
    """The beginning of a log with more entries after it."""
    more = [
        Entry(place + 1 + more, log[place - 1].at, seat, f"more-{more}", events)
        for more in range(times)
    ]
    return [*log[:place], *more]


def first(kind: type[LogEvent], which: int = 0, **fields: Any) -> Forge:
    """Change the first event of an entry that begins with this kind."""

    def forge(log: Log) -> Log:
        place = at(log, kind, which)
        event, *others = log[place].events
        changed: Any = replace(event, **fields)
        return put(log, place, events=(changed, *others))

    return forge


def seated(**fields: Any) -> Forge:
    """Change who sat down second."""
    return first(SeatTaken, **fields)


def opened_by(**fields: Any) -> Forge:
    """Change who opened the table."""

    def forge(log: Log) -> Log:
        settings, sat = log[0].events
        assert isinstance(sat, SeatTaken)
        return put(log, 0, events=(settings, replace(sat, **fields)))

    return forge


def moved(kind: type[LogEvent], seat: Seat | None, which: int = 0) -> Forge:
    """Move an entry to another seat."""
    return lambda log: put(log, at(log, kind, which), seat=seat)


def until(kind: type[LogEvent], seat: Seat | None, *events: LogEvent, times: int = 1) -> Forge:
    """Put other events in the place of the first entry of a kind, and end there."""
    return lambda log: insert(log, at(log, kind), seat, *events, times=times)


def sits_down(seat: Seat) -> Forge:
    """Somebody takes a seat at the end."""
    return lambda log: insert(log, len(log), seat, SeatTaken(seat, "Eve", "e" * 64))


OFTEN = MOST_OFFERS + 1
ANSWERED = (Guessed((1, 3)), Answered(KeyPegs(0, 0)))
TWICE = (Guessed((1, 0, 4)), Guessed((1, 0, 4)))
REFUSED: list[tuple[str, str, Forge]] = [
    ("a name with an escape code", "by-hand", seated(name="\x1b[31mEve")),
    ("a name of two lines", "by-hand", seated(name="Eve\nMallory")),
    ("a name of 5,000 characters", "by-hand", seated(name="e" * 5_000)),
    ("a name of the opener that turns the line", "referee", opened_by(name="A\u202eda")),
    ("one token for both seats", "by-hand", seated(token_hash="a" * 64)),
    ("a token hash that is none", "by-hand", seated(token_hash="b" * 63)),
    ("no token", "checked", seated(token_hash=None)),
    ("a seat taken from the other", "by-hand", moved(SeatTaken, ONE)),
    ("a seat taken again", "by-hand", sits_down(ONE)),
    ("the seat of the computer taken", "referee", sits_down(TWO)),
    ("a guess moved to the maker", "by-hand", moved(Guessed, ONE)),
    ("a guess moved to the table", "by-hand", moved(Guessed, None)),
    ("an answer moved to the breaker", "by-hand", moved(Answered, TWO)),
    ("a resignation moved to the winner", "by-hand", moved(Resigned, ONE)),
    ("a challenge by the maker", "by-hand", lambda log: put(log, 5, seat=ONE)),
    ("a rematch in the opponent's name", "by-hand", moved(RematchOffered, TWO)),
    ("a claim moved to the absent", "checked", moved(Abandoned, TWO)),
    ("a game closed by the maker", "by-hand", moved(Closed, ONE, 1)),
    ("a turn that ended by a player", "checked", moved(Answered, ONE)),
    ("a negative credit", "checked", first(TimeCredited, milliseconds=-5)),
    ("a credit longer than time", "checked", first(TimeCredited, milliseconds=10**15)),
    ("a credit by a player", "checked", moved(TimeCredited, ONE)),
    ("a credit without a clock", "by-hand", until(Guessed, None, TimeCredited(5))),
    ("too much time offered", "checked", first(TimeOffered, seconds=10**6)),
    ("negative time offered", "checked", first(TimeOffered, seconds=-60)),
    ("time offered to oneself", "checked", moved(TimeOffered, ONE)),
    ("time offered too often", "checked", until(TimeOffered, TWO, TimeOffered(1), times=OFTEN)),
    ("a hint for a row that is not there", "referee", first(HintUsed, row=7)),
    ("a hint for the maker", "referee", moved(HintUsed, TWO)),
    ("too many hints", "referee", until(HintUsed, ONE, HintUsed(1), times=MOST_HINTS + 1)),
    ("a hint where there are none", "checked", until(Guessed, ONE, HintUsed(3))),
    ("an answer in the breaker's own entry", "by-hand", until(Guessed, TWO, *ANSWERED)),
    ("a guess that nobody answers", "referee", until(Guessed, TWO, Guessed((1, 1, 2, 2)))),
    ("two guesses at once", "checked", until(Guessed, ONE, *TWICE)),
    ("a resignation in the opponent's name", "by-hand", until(Guessed, TWO, Resigned(Role.MAKER))),
    ("an entry in which nothing happens", "by-hand", until(Guessed, TWO)),
    ("a command id of two lines", "by-hand", lambda log: put(log, 3, command_id="a\nb")),
    ("a time before all time", "by-hand", lambda log: put(log, 3, at=-1)),
    ("a time after all time", "by-hand", lambda log: put(log, 3, at=10**16)),
    ("a table opened by whoever did not sit down", "by-hand", lambda log: put(log, 0, seat=TWO)),
]  # fmt: skip


@pytest.mark.parametrize(("what", "table", "forge"), REFUSED, ids=[case[0] for case in REFUSED])
async def test_what_a_table_would_have_refused_is_refused(
    logs: dict[str, Log], what: str, table: str, forge: Forge
) -> None:
    forged = forge(logs[table])
    assert forged != logs[table], what
    with pytest.raises(Unsound, match=rf"table {table}: its log cannot be replayed: entry \d+: "):
        check_log(table, forged, rebuild(table, logs[table]).card)


async def test_the_fold_alone_would_take_most_of_it(logs: dict[str, Log]) -> None:
    """So these checks, and not the fold, are what refuses it."""
    taken = 0
    for _, table, forge in REFUSED:
        try:
            rebuild(table, forge(logs[table]))
        except KeypegError:
            continue
        taken += 1
    assert taken > len(REFUSED) * 3 // 4


async def test_what_tables_wrote_is_accepted_at_every_moment(logs: dict[str, Log]) -> None:
    for table, log in logs.items():
        for length in range(1, len(log) + 1):
            check_log(table, log[:length], rebuild(table, log[:length]).card)


@pytest.mark.parametrize(
    ("terms", "commands", "resigns"),
    [
        (BY_HAND, (SetSecret(SECRET), Guess(WRONG), Answer(KeyPegs(2, 0))), Role.MAKER),
        (replace(CLASSIC, scoring=Scoring.KEY_PEGS), (SetSecret(SECRET),), Role.BREAKER),
    ],
)
async def test_what_earlier_versions_let_resign_is_accepted(
    terms: Terms, commands: tuple[Command, ...], resigns: Role
) -> None:
    """A maker after a wrong answer, who escaped the points for it; a breaker for key pegs."""
    async with table_of(terms) as playing:
        for command in commands:
            await playing.ask(TWO if isinstance(command, Guess) else ONE, command)
        table, log = playing.table.id, await playing.log.read(playing.table.id)
        game = playing.table.state.series.game
        assert game is not None
        assert game.opening is not None
        seat = ONE if resigns is Role.MAKER else TWO
        old = insert(log, len(log), seat, Resigned(resigns), Revealed(game.opening))
        check_log(table, old, rebuild(table, old).card)
        forged = put(old, len(log), seat=seat.other)
        with pytest.raises(Unsound):
            check_log(table, forged, rebuild(table, old).card)


async def test_a_lying_maker_s_resignation_is_written_with_its_verdict_and_repeated() -> None:
    async with table_of(BY_HAND) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG))
        await playing.ask(ONE, Answer(KeyPegs(2, 0)))
        replies = [await playing.table.handle(ONE, "r", Resign(), 0.0) for _ in range(2)]
        assert replies[0] == replies[1]
        kinds = [type(event) for event in replies[0].entry.events]
        assert kinds == [Resigned, Challenged, Revealed]
        assert playing.table.state.totals.two == 3
        table, log = playing.table.id, await playing.log.read(playing.table.id)
        check_log(table, log, rebuild(table, log).card)
