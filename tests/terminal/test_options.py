"""The terminal offers exactly what the table would do, through random evenings.

On the screen by its keys, at the prompt by its help; for each seat alone, and for both here.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from textual.binding import Binding

from harness.tables import ConsistentPlayer, Playing, accepted, sit_down, suitable
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.events import Computer, Person, Settings
from keypeg.store.memory import MemoryLog
from keypeg.table.commands import Command
from keypeg.table.options import MOVES, OPTION_OF, TableOption
from keypeg.terminal.lookups import Lookups
from keypeg.terminal.narration import Narrator
from keypeg.terminal.plain import Conversation
from keypeg.terminal.screen import keys
from keypeg.terminal.screen.game import OFFERED, GameScreen
from keypeg.terminal.sitting import LocalSitting, actor, onlooker, state_of
from keypeg.terminal.vocabulary import ALWAYS, HELP
from tests.terminal.typist import Typist

pytestmark = pytest.mark.anyio
TABLES = 8
DEEDS = 25
HERE = ((Seat.ONE,), (Seat.TWO,), (Seat.ONE, Seat.TWO))
BY_ROW = {TableOption.SET_SECRET, TableOption.GUESS, TableOption.ANSWER, TableOption.NEXT_GAME}
"""What Enter does on the screen."""
ABOUT_LIMIT = {TableOption.PROPOSE_LIMIT, TableOption.WITHDRAW_LIMIT}
"""What one key does on the screen."""
TYPED = {
    TableOption.SET_SECRET: "secret 12",
    TableOption.GUESS: "guess 12",
    TableOption.ANSWER: "answer 10",
    TableOption.HINT: "hint left",
    TableOption.CHALLENGE: "challenge",
    TableOption.NEXT_GAME: "next",
    TableOption.REMATCH: "rematch",
    TableOption.CLAIM: "claim",
    TableOption.OFFER_TIME: "more 30",
    TableOption.ACCEPT_LIMIT: "accept",
    TableOption.DECLINE_LIMIT: "decline",
    TableOption.WITHDRAW_LIMIT: "withdraw",
    TableOption.PROPOSE_LIMIT: "limit 3",
    TableOption.RESIGN: "resign",
}


async def test_the_terminal_offers_what_the_table_would_do() -> None:
    log = MemoryLog()
    offered: set[TableOption] = set()
    for number in range(TABLES):
        rng = random.Random(number)
        mode = (KeyPegMode.BY_HAND, KeyPegMode.REFEREE)[number % 2]
        terms = Terms(Board(2, 3, rows=3), 2, mode, turn_seconds=(None, 60)[number // 2 % 2])
        two = Computer("club") if number > 5 else Person()
        settings = Settings(terms, two=two, hints=True)
        playing = await sit_down(log, settings, player=ConsistentPlayer(rng))
        for _ in range(DEEDS):
            for seats in HERE[: 1 if number > 5 else 3]:
                done = check_offers(playing, seats, rng)
                for option in done - offered:
                    await asyncio.to_thread(check_typed, playing, seats, option)
                offered |= done
            await deed(playing, rng)
        await playing.table.close()
    await log.close()
    assert offered == set(TableOption)


def check_offers(playing: Playing, seats: tuple[Seat, ...], rng: random.Random) -> set[TableOption]:
    sitting = LocalSitting(playing.table, playing.clock, seats, "")
    done = {option for seat in seats for option in accepted(playing.table.state, seat, rng)}
    if len(seats) > 1:
        done.discard(TableOption.CLAIM)  # nobody who sits here is absent
    screen = GameScreen(sitting)
    found = {option for action, option in OFFERED.items() if screen.check_action(action, ())}
    assert found == done & set(OFFERED.values())
    assert screen.check_action("limit", ()) == bool(done & ABOUT_LIMIT)
    assert screen.filling == bool(done & {TableOption.SET_SECRET, TableOption.GUESS})
    assert screen.may(TableOption.ANSWER) == (TableOption.ANSWER in done)
    assert (actor(screen.state, seats) is not None) == bool(done & MOVES)
    assert helped(sitting) == [line for one in TableOption if one in done for line in HELP[one]]
    return done


class Recording(LocalSitting):
    """Records what it is asked for instead of doing it."""

    def __init__(self, playing: Playing, seats: tuple[Seat, ...]) -> None:
        super().__init__(playing.table, playing.clock, seats, "")
        self.asked: list[Command] = []

    async def ask(self, seat: Seat, command: Command) -> None:
        self.asked.append(command)

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        return callback


def check_typed(playing: Playing, seats: tuple[Seat, ...], option: TableOption) -> None:
    """An option can be typed as its help says. In a thread, as the prompt has its own loop."""
    line, sitting = TYPED[option], Recording(playing, seats)
    words = " ".join(HELP[option])
    assert line.split()[0] in words or "A CODE" in words or "KEY PEGS" in words
    with asyncio.Runner() as runner:
        narrator = Narrator(list[str]().append)
        talk = Conversation(runner, sitting, Typist(line), narrator, lambda _: iter(()))
        if option is TableOption.REMATCH:
            talk._prompt()
        else:
            talk._hear(line, talk._state, actor(talk._state, seats) or seats[0])
    assert option in {OPTION_OF[type(command)] for command in sitting.asked}  # type: ignore[index]


def test_every_option_has_its_key_on_the_screen() -> None:
    assert {*OFFERED.values(), *BY_ROW, *ABOUT_LIMIT, TableOption.DECLINE_LIMIT} == set(TableOption)
    bound = {key.action for key in keys.GAME if isinstance(key, Binding)}
    assert bound >= {*OFFERED, "limit"}
    assert all(hasattr(GameScreen, f"action_{action}") for action in OFFERED)


def helped(sitting: LocalSitting) -> list[str]:
    """What is said of what may be done when help is asked for."""
    said: list[str] = []
    lookups = Lookups(sitting, Narrator(said.append), lambda _: iter(()))
    assert lookups.answer("help", state_of(sitting, onlooker(sitting)))
    assert said[-len(ALWAYS) :] == list(ALWAYS)
    return said[: -len(ALWAYS)]


async def deed(playing: Playing, rng: random.Random) -> None:
    """Something that somebody may do, mostly what brings the series on."""
    state = playing.table.state
    seat = rng.choice([seat for seat in Seat if state.settings.level(seat) is None])
    open_to = sorted(accepted(state, seat, rng), key=lambda option: option.value)
    if open_to:
        likely = [option for option in open_to if option in MOVES] * 4
        with suppress(KeypegError):  # a claim comes too early
            await playing.ask(seat, suitable(state, rng.choice(likely + open_to), rng))
    while playing.table._tasks:
        await asyncio.gather(*playing.table._tasks, return_exceptions=True)
        await asyncio.sleep(0)
