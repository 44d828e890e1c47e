"""The rules of matches against the model: whatever is asked, by whomever, and whenever."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.matches import commands as asked
from keypeg.matches.decisions import decide, opening
from keypeg.matches.soundness import check_entry
from keypeg.matches.state import State, begin, fold
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.match.options import MatchOption, options
from keypeg.rules.match.state import MatchStage
from keypeg.rules.match.terms import Goal, MatchKind, MatchTerms, Pace
from keypeg.rules.match.view import MatchView, view
from keypeg.rules.terms import KeyPegMode
from keypeg.store.matches import MatchEntry
from tests.matches.model import HOLES, ROWS, Model, Refused, keys_for

BOARD = Board(HOLES, 3, rows=ROWS)
SECRET = (1, 2)
LIMIT = 10
NEXT = "n" * 22
codes = st.tuples(st.integers(1, 3), st.integers(1, 3))
keys = st.sampled_from([(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)])
kinds = st.sampled_from(
    ["guess"] * 6
    + ["answer"] * 3
    + ["honest"] * 3
    + ["close", "challenge", "give-up"]
    + ["join", "leave", "start", "another"]
)
actions = st.one_of(
    st.tuples(kinds, st.integers(1, 4), codes, keys),
    st.tuples(st.just("wait"), st.integers(1, 12_000), codes, keys),
)


@st.composite
def terms(draw: st.DrawFn) -> MatchTerms:
    """Terms of every kind that there is."""
    duel, pace = draw(st.booleans()), draw(st.sampled_from(Pace))
    own = pace is Pace.OWN
    by_hand = duel and own and draw(st.booleans())
    return MatchTerms(
        MatchKind.DUEL if duel else MatchKind.RACE,
        BOARD,
        pace,
        draw(st.sampled_from(Goal)) if own and not duel else Goal.ROWS,
        by_hand or draw(st.booleans()),
        KeyPegMode.BY_HAND if by_hand else KeyPegMode.REFEREE,
        LIMIT,
        2 if duel else draw(st.integers(2, 3)),
    )


def model_of(terms: MatchTerms) -> Model:
    return Model(
        duel=terms.kind is MatchKind.DUEL,
        together=terms.pace is Pace.TOGETHER,
        by_hand=terms.by_hand,
        by_time=terms.goal is Goal.TIME,
        places=terms.places,
        limit=1000 * LIMIT,
        secret=SECRET,
    )


class World:
    """A match, folded from what is decided, and the model beside it."""

    def __init__(self, terms: MatchTerms) -> None:
        events = opening(asked.Open(terms, "1" * 64), "m" * 22, draw=lambda _: SECRET)
        self.now = 1_000_000
        self.state: State = begin("m" * 22, MatchEntry(1, self.now, 0, "open", events))
        self.model = model_of(terms)

    def write(self, player: int, command: Any) -> None:
        before = self.state
        events = decide(before, player, command, self.now, self.now)
        entry = MatchEntry(before.seq + 1, self.now, player, f"c{before.seq}", events)
        check_entry("m" * 22, before, entry)
        self.state = fold(before, entry)
        self.counted_rightly(before, self.state)

    def counted_rightly(self, before: State, after: State) -> None:
        """A reader's count moves exactly if what they see has changed."""
        for reader in (None, *(player.number for player in after.match.players)):
            if reader is not None and not before.match.has(reader):
                continue
            same = shown(before, reader) == shown(after, reader)
            moved = after.seq_for(reader) - before.seq_for(reader)
            assert moved in (0, 1)
            assert moved or same
            if before.match.terms.discreet and same:
                assert not moved

    def do(self, kind: str, who: int, code: Any, keys: Any) -> bool:
        """Ask both; gives whether both agreed to it."""
        if kind == "honest":
            kind, keys = "answer", self.right_keys(who)
        if kind == "join":
            who = 0  # somebody new: whoever has a place keeps it
        command = self.command(kind, who, code, keys)
        before = self.state
        try:
            player = self.state.match.joins + 1 if kind == "join" else who
            self.write(player, command)
        except KeypegError:
            allowed = False
            assert self.state is before
        else:
            allowed = True
        try:
            self.model.do(who, kind, self.now, code, keys)
        except Refused:
            assert not allowed, (kind, who)
        else:
            assert allowed, (kind, who)
        return allowed

    def right_keys(self, who: int) -> Any:
        match = self.state.match
        if not match.terms.by_hand or not match.has(who) or len(match.players) < 2:
            return (0, 0)
        game = match.opponent(who).game
        if not game.rows or game.rows[-1].guess is None or game.opening is None:
            return (0, 0)
        return keys_for(game.opening.code, game.rows[-1].guess)

    def command(self, kind: str, who: int, code: Any, keys: Any) -> Any:
        match = self.state.match
        rows = len(match.player(who).game.rows) if match.has(who) else 0
        other = len(match.opponent(who).game.rows) if len(match.players) > 1 else 0
        commands = {
            "join": asked.Join(f"{match.joins + 1:064}"),
            "start": asked.Start(),
            "leave": asked.Leave(),
            "secret": asked.SetSecret(code),
            "guess": asked.Guess(rows + 1, code),
            "answer": asked.Answer(max(other, 1), KeyPegs(*keys)),
            "challenge": asked.Challenge(),
            "close": asked.Accept(),
            "give-up": asked.GiveUp(),
            "another": asked.Another(NEXT),
        }
        return commands[kind]

    def wait(self, milliseconds: int) -> None:
        """Let time pass, but no further than to the next end of a turn, which ends then."""
        due = self.state.match.due
        self.now += milliseconds
        if due is None or self.now < due:
            return
        self.now = due
        if self.state.match.stage is MatchStage.SETTING:
            self.set_codes()
            return
        self.write(0, asked.Expire(self.now))
        self.model.expire(self.now)

    def set_codes(self) -> None:
        for who in [player.number for player in self.state.match.players]:
            if "secret" in self.model.options(who):
                self.do("secret", who, (3, who % 3 + 1), (0, 0))

    def agree(self) -> None:
        match, model = self.state.match, self.model
        assert match.stage.value == model.stage
        for who in range(1, 6):
            offered = {option.value for option in options(match, who)}
            assert offered == model.options(who)
        assert {
            (clock.turn.player, clock.turn.task.value, clock.turn.row): clock.due
            for clock in match.clocks
        } == model.due
        for player in match.players:
            mine = [(row.code, row.keys) for row in model.people[player.number].rows]
            assert [(row.guess, row.keys) for row in player.game.rows] == mine
            assert player.done == (model.people[player.number].end is not None)
        if match.stage is MatchStage.OVER:
            places = model.places_now()
            for one in view(match, None).players:
                assert one.place is not None
                assert one.place.place == places[one.number]


def shown(state: State, reader: int | None) -> tuple[MatchView, Any]:
    return view(state.match, reader), dict(state.people)


@settings(max_examples=150, deadline=None)
@given(terms(), st.integers(1, 2), st.lists(actions, min_size=10, max_size=60))
def test_whatever_is_asked_a_match_does_as_the_model_does(
    terms: MatchTerms, joining: int, wanted: list[tuple[Any, ...]]
) -> None:
    world = World(terms)
    world.agree()
    for _ in range(min(joining, terms.places - 1)):
        world.do("join", 0, (), (0, 0))
        world.agree()
    for kind, *more in wanted:
        if kind == "wait":
            world.wait(more[0])
        else:
            if world.state.match.stage is MatchStage.SETTING:
                world.set_codes()
            world.do(kind, *more)
        world.agree()


@settings(max_examples=150, deadline=None)
@given(terms(), st.integers(0, 2**32))
def test_whatever_is_offered_a_match_does_as_the_model_does(terms: MatchTerms, seed: int) -> None:
    """Mostly what is open now, so that matches come to their ends, also by wrong answers."""
    world, rng = World(terms), Random(seed)
    while rng.random() < 0.99 and world.state.match.stage is not MatchStage.OVER:
        people = [0, *world.model.people]
        offered = [(who, kind) for who in people for kind in sorted(world.model.options(who))]
        who, kind = rng.choice([*offered, *[(0, "wait")] * (len(offered) < 3)] or [(0, "wait")])
        if kind in ("give-up", "leave", "close") and rng.random() < 0.8:
            kind = "wait"
        if kind == "wait":
            world.wait(rng.choice([1, 500, 4_000]))
        elif kind == "answer" and rng.random() < 0.8:
            world.do("honest", who, (), (0, 0))
        else:
            code = rng.choices((1, 2, 3), k=2)
            world.do(kind, who, tuple(code), rng.choice([(0, 0), (0, 1), (1, 0), (2, 0)]))
        world.agree()


@settings(max_examples=60, deadline=None)
@given(terms())
def test_every_match_ends_by_itself_whoever_walks_away(terms: MatchTerms) -> None:
    world = World(terms)
    for _ in range(terms.places - 1):
        world.do("join", 0, (), (0, 0))
    for _ in range(2 * ROWS * terms.places + 4):
        world.wait(1000 * LIMIT)
        world.agree()
    assert world.state.match.stage is MatchStage.OVER


def test_every_option_is_a_command_or_joining() -> None:
    assert {option.value for option in MatchOption} == {
        "start",
        "join",
        "secret",
        "guess",
        "answer",
        "challenge",
        "close",
        "another",
        "leave",
        "give-up",
    }
