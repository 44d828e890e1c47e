"""A table against a model of it: random commands, repeats, stale ones, races, restarts.

The model is the rules' own series, a deadline and a list of what was asked: no log, no queue,
no redaction. Whatever order things come in, table and model must agree.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from harness.tables import Playing, sit_down
from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    Resigned,
    SecretSet,
)
from keypeg.rules.game import Game, Phase
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.options import authorise
from keypeg.rules.referee import expiry, ruling, verdict
from keypeg.rules.series import Points, Seat, Series, play_on
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.store.sql import SqlLog
from keypeg.table import Reply, Settings
from keypeg.table.clock import ABSENCE, GRACE
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
    WithdrawLimit,
)
from keypeg.table.errors import CommandReused, Stale
from keypeg.table.options import MOST_OFFERS
from keypeg.table.refusals import LimitCommand
from keypeg.table.state import rebuild

BOARD = Board(2, 3, rows=3)
LIMIT = 60
DRAWN = (1, 2)
seats = st.sampled_from(Seat)
limits = st.sampled_from([None, 45])
small_codes = st.tuples(st.integers(0, 4), st.integers(1, 3))
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(SetSecret, small_codes),
    st.builds(Guess, small_codes),
    st.builds(Guess, small_codes),
    st.builds(Answer, st.builds(KeyPegs, st.integers(0, 2), st.integers(0, 2))),
    st.builds(OfferTime, st.sampled_from([0, 1, 30])),
    st.builds(ProposeLimit, limits),
    st.builds(AcceptLimit, limits),
    st.sampled_from([DeclineLimit(), WithdrawLimit()]),
    st.sampled_from([Challenge(), NextGame(), NextGame(), Rematch(), Resign(), ClaimAbsent()]),
)
TURN_BOUND = (SetSecret, Guess, Answer, NextGame)


class Refused(Exception):
    """The model does not allow it."""


@dataclass
class Model:
    """What should be."""

    series: Series
    limit: int | None
    """The limit of the running turn."""
    earlier: Points = field(default_factory=Points)
    offered: Seat | None = None
    deadline: float | None = None
    expired_at: float = 0.0
    entries: int = 2
    played: int = 1
    offers: int = 0

    def __post_init__(self) -> None:
        self.opening_limit = self.next_limit = self.limit
        self.proposal: tuple[Seat, int | None] | None = None
        self.proposers: set[Seat] = set()
        self.first = self.series.first_maker

    def ask(self, seat: Seat, command: Command, received: float, now: float, away: float) -> None:
        if isinstance(command, ClaimAbsent) and away < ABSENCE:
            raise Refused
        if isinstance(command, TURN_BOUND) and received <= self.expired_at:
            raise Refused
        if self.deadline is not None and received >= self.deadline:
            self.expire(now)
            if isinstance(command, TURN_BOUND):
                raise Refused
        before = self.position
        self._carry_out(seat, command)
        self.entries += 1
        if isinstance(command, OfferTime):
            assert self.deadline is not None
            self.deadline += command.seconds
            self.offers += 1
        elif self.position != before:
            self._start_clock(now)

    def expire(self, now: float) -> None:
        game = self.series.game
        assert game is not None
        over = game.outcome is not None
        self._follow(Closed() if over else expiry(game, Opening(DRAWN), None))
        self.entries += 1
        self.expired_at = now
        self._start_clock(now)

    @property
    def position(self) -> object:
        game = self.series.game
        return (self.played, self.series.over, game and (game.id, game.phase, len(game.rows)))

    def _start_clock(self, now: float) -> None:
        self.offers = 0
        self.limit = self.next_limit
        self.proposers.clear()
        runs = self.limit is not None and not self.series.over
        self.deadline = now + self.limit if runs and self.limit is not None else None

    def _carry_out(self, seat: Seat, command: Command) -> None:
        series = self.series
        match command:
            case SetSecret(code):
                self._play(seat, SecretSet(Opening(code)))
            case Guess(code):
                self._play(seat, Guessed(code))
            case Answer(keys):
                self._play(seat, Answered(keys))
            case Challenge():
                authorise(series, seat, Challenged(upheld=False))
                if series.game is None:
                    raise Refused
                self._follow(verdict(series.game))
            case NextGame():
                self._play(seat, Closed())
            case Resign():
                self._play(seat, Resigned(series.role(seat)))
            case ClaimAbsent():
                waits = series.maker.other if series.challengeable else series.turn
                _need(waits is seat.other and not series.over)
                self._follow(Abandoned(series.role(seat.other)))
            case OfferTime(seconds):
                _need(seconds > 0 and self.deadline is not None and series.turn is seat.other)
                _need(self.offers < MOST_OFFERS)
            case ProposeLimit() | AcceptLimit() | DeclineLimit() | WithdrawLimit():
                self._say_about_the_limit(seat, command)
            case Rematch():
                self._rematch(seat)

    def _say_about_the_limit(self, seat: Seat, command: LimitCommand) -> None:
        series, game = self.series, self.series.game
        _need(game is not None and not series.over and series.awarded is None)
        _need(game is None or series.number < 2 or not game.settled or _is_void(game))
        if isinstance(command, ProposeLimit):
            _need(self.proposal is None and seat not in self.proposers)
            _need(command.seconds != self.next_limit)
            self.proposal = seat, command.seconds
            self.proposers.add(seat)
            return
        _need(self.proposal is not None)
        assert self.proposal is not None
        by, seconds = self.proposal
        _need((by is seat) == isinstance(command, WithdrawLimit))
        if isinstance(command, AcceptLimit):
            _need(command.seconds == seconds)
            self.next_limit = seconds
        self.proposal = None

    def _play(self, seat: Seat, event: Event) -> None:
        authorise(self.series, seat, event)
        self._follow(event)

    def _follow(self, event: Event) -> None:
        series = play_on(self.series, event)
        while series.game is not None and (follows := ruling(series.game)) is not None:
            series = play_on(series, follows)
        self.series = series

    def _rematch(self, seat: Seat) -> None:
        _need(self.series.over and self.offered is not seat)
        if self.offered is None:
            self.offered = seat
            return
        points = self.series.points
        self.earlier = self.earlier.plus(Seat.ONE, points.one).plus(Seat.TWO, points.two)
        self.first = self.first.other
        terms = replace(self.series.terms, turn_seconds=self.opening_limit)
        self.series = Series.start(terms, "model", self.first)
        self.offered, self.played = None, self.played + 1
        self.next_limit, self.proposal = self.opening_limit, None


def _is_void(game: Game) -> bool:
    return game.outcome is not None and game.outcome.void


def _need(allowed: bool) -> None:
    if not allowed:
        raise Refused


@dataclass(frozen=True)
class Asked:
    seat: Seat
    id: str
    command: Command
    reply: Reply


_runner = asyncio.Runner()
_logs: list[SqlLog] = []
_loaded_dice = pytest.MonkeyPatch()


def setup_module() -> None:
    # Hypothesis can only replay what does not depend on chance.
    _loaded_dice.setattr("keypeg.table.decisions.draw_code", lambda board: DRAWN)


def teardown_module() -> None:
    _loaded_dice.undo()
    for log in _logs:
        _runner.run(log.close())
    _runner.close()


class TableMachine(RuleBasedStateMachine):
    """The two side by side."""

    @initialize(
        mode=st.sampled_from(KeyPegMode),
        scoring=st.sampled_from(Scoring),
        limit=st.sampled_from([None, LIMIT, LIMIT]),
        first=seats,
    )
    def open(self, mode: KeyPegMode, scoring: Scoring, limit: int | None, first: Seat) -> None:
        if not _logs:
            _logs.append(_runner.run(SqlLog.open()))
        terms = Terms(BOARD, 2, mode, scoring, limit)
        self.playing: Playing = _runner.run(sit_down(_logs[0], Settings(terms, first_maker=first)))
        self.model = Model(Series.start(terms, "model", first), limit)
        self.model._start_clock(self.playing.clock.now())
        self.done: list[Asked] = []
        self.heard: list[int] = []
        self.ids = 0
        self.watch()

    def watch(self) -> None:
        self.playing.table.watch(self.heard.append)

    def new_id(self) -> str:
        self.ids += 1
        return f"machine-{self.ids}"

    def handle(self, seat: Seat, name: str, command: Command, received: float) -> Reply:
        async def ask() -> Reply:
            return await self.playing.table.handle(seat, name, command, received)

        return _runner.run(ask())

    @rule(seat=seats, command=commands, delay=st.sampled_from([0.0, 0.0, 0.1]))
    def ask(self, seat: Seat, command: Command, delay: float) -> None:
        self.exchange(seat, command, delay)

    @rule(data=st.data())
    def ask_something_likely(self, data: st.DataObject) -> None:
        """Random commands seldom get far; this one is for the one on turn."""
        series = self.model.series
        game, breaker = series.game, series.maker.other
        code = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
        if series.over or game is None:
            self.exchange(data.draw(seats), Rematch(), 0.0)
        elif game.phase is Phase.SECRET:
            self.exchange(series.maker, SetSecret(code), 0.0)
        elif game.phase is Phase.GUESS:
            self.exchange(breaker, Guess(code), 0.0)
        elif game.phase is Phase.ANSWER:
            keys = data.draw(st.sampled_from([KeyPegs(0, 0), KeyPegs(1, 0), KeyPegs(2, 0)]))
            self.exchange(series.maker, Answer(keys), 0.0)
        else:
            self.exchange(breaker, NextGame(), 0.0)

    def exchange(self, seat: Seat, command: Command, delay: float) -> None:
        """Ask table and model the same; `delay` passes between receiving and reading."""
        clock, table = self.playing.clock, self.playing.table
        received = clock.now()
        away = table.presence.away(seat.other, received)
        clock.turn(delay)
        name = self.new_id()
        allowed = True
        try:
            self.model.ask(seat, command, received, clock.now(), away)
        except (Refused, KeypegError):
            allowed = False
        try:
            reply = self.handle(seat, name, command, received)
        except KeypegError as refusal:
            assert not allowed, refusal
        else:
            assert allowed, command
            assert reply.seq == self.model.entries
            self.done.append(Asked(seat, name, command, reply))

    @precondition(lambda self: self.done)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        asked = data.draw(st.sampled_from(self.done))
        reply = self.handle(asked.seat, asked.id, asked.command, self.playing.clock.now())
        assert reply == asked.reply

    @precondition(lambda self: self.done)
    @rule(data=st.data(), other=commands)
    def reuse_an_id(self, data: st.DataObject, other: Command) -> None:
        asked = data.draw(st.sampled_from(self.done))
        closing = {NextGame(), ClaimAbsent()}
        closed = isinstance(asked.reply.entry.events[0], Closed)
        if other == asked.command or (closed and {other, asked.command} == closing):
            return  # either may close a game, and the log does not say which it was
        try:
            self.handle(asked.seat, asked.id, other, self.playing.clock.now())
        except CommandReused as conflict:
            assert conflict.seq == self.model.entries
        else:
            raise AssertionError("one id did two things")

    @rule(seat=seats, command=commands, behind=st.integers(1, 3))
    def ask_too_late_to_matter(self, seat: Seat, command: Command, behind: int) -> None:
        async def ask() -> None:
            table, now = self.playing.table, self.playing.clock.now()
            await table.handle(seat, self.new_id(), command, now, expected=table.seq - behind)

        try:
            _runner.run(ask())
        except Stale as stale:
            assert stale.seq == self.model.entries
        else:
            raise AssertionError("a stale command was carried out")

    @rule(seconds=st.sampled_from([0.001, 1.0, 29.999, 31.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.playing.clock.turn(seconds)
        self.ring()

    @precondition(lambda self: self.model.deadline is not None)
    @rule(seat=seats, command=commands, moment=st.sampled_from([-0.001, 0.0, 0.001]))
    def race_the_clock(self, seat: Seat, command: Command, moment: float) -> None:
        """A command received just before, at or after the deadline, and read after it."""
        clock = self.playing.clock
        assert self.model.deadline is not None
        clock.turn(max(0.0, self.model.deadline + moment - clock.now()))
        self.exchange(seat, command, 0.2)
        self.ring()

    def ring(self) -> None:
        """Let the alarms ring that are due, in table and model."""

        async def ring() -> None:
            self.playing.clock.ring()
            while self.playing.table._tasks:
                await asyncio.gather(*self.playing.table._tasks, return_exceptions=True)
                await asyncio.sleep(0)

        now = self.playing.clock.now()
        if self.model.deadline is not None and now >= self.model.deadline + GRACE:
            self.model.expire(now)
        _runner.run(ring())

    @rule(seat=seats)
    def come_and_go(self, seat: Seat) -> None:
        presence, now = self.playing.table.presence, self.playing.clock.now()
        if presence.here(seat):
            presence.leave(seat, now)
        else:
            presence.arrive(seat)

    @rule()
    def restart(self) -> None:
        self.playing.clock.alarms.clear()
        before = {seat: self.playing.table.view(seat) for seat in (None, *Seat)}
        state = self.playing.table.state

        async def restart() -> None:
            await self.playing.restart()

        _runner.run(restart())
        self.model.expired_at = 0.0
        assert self.playing.table.state == state
        assert {seat: self.playing.table.view(seat) for seat in before} == before
        self.watch()

    @rule(count=st.integers(2, 4), data=st.data())
    def ask_many_times_at_once(self, count: int, data: st.DataObject) -> None:
        """One command on several sockets: one entry, the same reply on all."""
        game = self.model.series.game
        if game is None or game.phase is not Phase.SECRET or self.is_untimely():
            return
        seat, code = self.model.series.maker, data.draw(st.tuples(*[st.integers(1, 3)] * 2))
        name, now = self.new_id(), self.playing.clock.now()
        self.model.ask(seat, SetSecret(code), now, now, 0.0)

        async def ask() -> list[Any]:
            table = self.playing.table
            asked = (table.handle(seat, name, SetSecret(code), now) for _ in range(count))
            return await asyncio.gather(*asked)

        first, *others = _runner.run(ask())
        assert all(reply == first for reply in others)
        self.done.append(Asked(seat, name, SetSecret(code), first))

    def is_untimely(self) -> bool:
        deadline, now = self.model.deadline, self.playing.clock.now()
        return now <= self.model.expired_at or (deadline is not None and now >= deadline)

    @invariant()
    def the_series_is_the_same(self) -> None:
        ours, state = self.model, self.playing.table.state
        theirs = state.series
        assert [game.rows for game in theirs.games] == [game.rows for game in ours.series.games]
        assert [g.outcome for g in theirs.games] == [g.outcome for g in ours.series.games]
        assert theirs.score_line == ours.series.score_line
        assert (theirs.turn, theirs.maker, theirs.over) == (
            ours.series.turn,
            ours.series.maker,
            ours.series.over,
        )
        points = ours.series.points
        assert state.totals == ours.earlier.plus(Seat.ONE, points.one).plus(Seat.TWO, points.two)

    @invariant()
    def the_clock_is_the_same(self) -> None:
        ours, theirs = self.model.deadline, self.playing.table.deadline
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            # A restart knows the wall clock to the millisecond only.
            assert abs(ours - theirs) < 0.01
            self.model.deadline = theirs

    @invariant()
    def the_log_has_no_gap_and_is_the_table(self) -> None:
        table = self.playing.table

        async def read() -> None:
            entries = await self.playing.log.read(table.id)
            assert [entry.seq for entry in entries] == list(range(1, self.model.entries + 1))
            assert rebuild(table.id, entries) == table.state

        _runner.run(read())

    @invariant()
    def watchers_are_told_everything_in_order(self) -> None:
        assert self.heard == sorted(set(self.heard))
        if self.heard:
            assert self.heard[-1] <= self.model.entries

    @invariant()
    def nobody_but_the_maker_sees_a_secret(self) -> None:
        for entry in self.playing.table.view(None):
            for event in entry.events:
                assert not isinstance(event, SecretSet) or event.opening is None

    def teardown(self) -> None:
        if hasattr(self, "playing"):
            _runner.run(self.playing.table.close())


TableMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=40)
TestATableAgainstItsModel = TableMachine.TestCase
