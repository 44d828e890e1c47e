"""A table's options over random evenings, of people and computers, in whole and in every view.

What is offered is never refused, what is not offered always is, and a spectator is offered nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from harness.tables import suitable, token_hash
from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.log import Entry
from keypeg.table import Computer, Open, Person, Seat, Settings, State
from keypeg.table.commands import (
    Answer,
    Challenge,
    ClaimAbsent,
    Expire,
    Guess,
    NextGame,
    Resign,
    SeatedCommand,
    SetSecret,
    TakeSeat,
)
from keypeg.table.computer import awaited_move
from keypeg.table.decisions import decide, opening
from keypeg.table.options import MOST_ENTRIES, MOVES, OPTION_OF, TableOption, is_full, options
from keypeg.table.state import begin, fold
from keypeg.table.view import see

BOARD = Board(2, 3, rows=3)
TABLES = 40
DEEDS = 70
HOLDERS = (
    (Person(), Person()),
    (Person(), Computer("club")),
    (Computer("club"), Person()),
    (Computer("club"), Computer("club")),
)


class Evening:
    """A table whose states are known, whole and as each sees them; nothing is written."""

    def __init__(self, settings: Settings, rng: random.Random) -> None:
        self.rng = rng
        entry = Entry(1, 0, None, "open", opening(Open(settings)))
        self.state = begin("table", entry)
        self.seen = {viewer: begin("table", entry) for viewer in (None, *Seat)}

    def happen(self, seat: Seat | None, command: SeatedCommand | TakeSeat | Expire) -> None:
        events = decide(self.state, seat, command).events
        entry = Entry(self.state.seq + 1, 0, seat, "x", events)
        for viewer, state in self.seen.items():
            shown = see(entry, self.state, viewer)
            self.seen[viewer] = fold(state, replace(entry, events=shown.events))
        self.state = fold(self.state, entry)

    def deed(self) -> None:
        """Something that somebody may do; a wrong answer now and then, and time that runs out."""
        seat = self.rng.choice(tuple(Seat))
        offered = sorted(options(self.state, seat), key=lambda option: option.value)
        likely = [option for option in offered if option in MOVES] * 4
        if self.state.turn is not None and self.rng.random() < 0.05:
            self.happen(None, Expire())
        elif offered:
            command = suitable(self.state, self.rng.choice(likely + offered), self.rng)
            if isinstance(command, Answer) and self._may_err():
                command = Answer(KeyPegs(0, 0))
            self.happen(seat, command)

    def _may_err(self) -> bool:
        by_hand = self.state.settings.terms.key_pegs is KeyPegMode.BY_HAND
        return by_hand and not is_full(self.state) and self.rng.random() < 0.3


def evening(number: int) -> Evening:
    rng = random.Random(number)
    one, two = HOLDERS[number % len(HOLDERS)]
    seconds, hints = rng.choice((None, 60)), rng.choice((None, True, False))
    terms = Terms(BOARD, 2, rng.choice((*KeyPegMode, KeyPegMode.BY_HAND)), turn_seconds=seconds)
    settings = Settings(terms, one, two, rng.choice(tuple(Seat)), hints=hints)
    return Evening(settings, rng)


def check_offers(tonight: Evening) -> Counter[tuple[TableOption, bool]]:
    met: Counter[tuple[TableOption, bool]] = Counter()
    for seat in Seat:
        offered = options(tonight.state, seat)
        for option in TableOption:
            met[option, option in offered] += 1
            command = suitable(tonight.state, option, tonight.rng)
            if option in offered:
                assert decide(tonight.state, seat, command).events
            else:
                with pytest.raises(AgainstTheRules):
                    decide(tonight.state, seat, command)
        waited_for = tonight.state.waits_for is seat.other
        is_person = tonight.state.settings.level(seat.other) is None
        assert (TableOption.CLAIM in offered) == (waited_for and is_person)
    for viewer, seen in tonight.seen.items():
        assert options(seen, viewer) == options(tonight.state, viewer)
        assert all(options(seen, seat) == options(tonight.state, seat) for seat in Seat)
    assert options(tonight.state, None) == frozenset()
    return met


@pytest.mark.parametrize("most_entries", [MOST_ENTRIES, 40])
def test_what_is_offered_is_never_refused_and_what_is_not_always_is(
    most_entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.table.options.MOST_ENTRIES", most_entries)
    met: Counter[tuple[TableOption, bool]] = Counter()
    for number in range(TABLES):
        tonight = evening(number)
        for seat in Seat:
            met += check_offers(tonight)
            if not tonight.state.taken(seat):
                tonight.happen(seat, TakeSeat("Ada", token_hash(seat)))
        for _ in range(DEEDS):
            met += check_offers(tonight)
            tonight.deed()
    for option in TableOption:
        assert min(met[option, True], met[option, False]) > TABLES // 2, (option, met)


def test_the_computer_moves_only_by_its_options() -> None:
    """And is waited for only where it has one, which is never to close a game for a person."""
    moved = 0
    for number in range(TABLES):
        tonight = evening(number)
        for seat in Seat:
            if not tonight.state.taken(seat):
                tonight.happen(seat, TakeSeat("Ada", token_hash(seat)))
        for _ in range(DEEDS):
            awaited = awaited_move(tonight.state)
            if awaited is not None:
                assert tonight.state.settings.level(awaited.seat) is not None
                assert options(tonight.state, awaited.seat) & (MOVES | {TableOption.CHALLENGE})
                moved += 1
            tonight.deed()
    assert moved > TABLES


def test_every_command_of_a_seat_needs_an_option() -> None:
    assert sorted(option.value for option in OPTION_OF.values()) == sorted(
        option.value for option in TableOption
    )


def test_the_computer_challenges_before_the_game_is_closed() -> None:
    terms = Terms(BOARD, key_pegs=KeyPegMode.BY_HAND)
    tonight = Evening(Settings(terms, two=Computer("club")), random.Random(1))
    tonight.happen(Seat.ONE, TakeSeat("Ada", token_hash(Seat.ONE)))
    tonight.happen(Seat.ONE, SetSecret((1, 2)))
    tonight.happen(Seat.TWO, Guess((3, 3)))
    tonight.happen(Seat.ONE, Answer(KeyPegs(1, 0)))
    tonight.happen(Seat.TWO, Resign())
    assert options(tonight.state, Seat.ONE) == {TableOption.PROPOSE_LIMIT}
    with pytest.raises(NotYourTurn, match="about to challenge a wrong answer"):
        decide(tonight.state, Seat.ONE, NextGame())
    tonight.happen(Seat.TWO, Challenge())
    still_open = {TableOption.NEXT_GAME, TableOption.PROPOSE_LIMIT}
    assert options(tonight.state, Seat.ONE) == still_open


def test_nobody_claims_the_computer_absent() -> None:
    tonight = Evening(Settings(Terms(BOARD), two=Computer("club")), random.Random(1))
    tonight.happen(Seat.ONE, TakeSeat("Ada", token_hash(Seat.ONE)))
    tonight.happen(Seat.ONE, SetSecret((1, 2)))
    state: State = tonight.state
    assert state.waits_for is Seat.TWO
    assert TableOption.CLAIM not in options(state, Seat.ONE)
    with pytest.raises(NotYourTurn, match="the computer is never away"):
        decide(state, Seat.ONE, ClaimAbsent())
