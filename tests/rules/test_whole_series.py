"""Random legal and illegal moves through whole series, against a small independent model.

The model is written from the rule book, not from the code: a referee with paper and pencil
who keeps plain lists, scores by crossing off pegs, and knows who may do what when.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

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
    LimitAccepted,
    LimitDeclined,
    LimitEvent,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.notation import Record, format_record, parse_record
from keypeg.rules.referee import verdict
from keypeg.rules.series import Seat, Series, play_on, replay
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.rules.view import view

BOARD = Board(3, 3, rows=3)
PEGS = (1, 2, 3)


PaperRow = tuple[tuple[int, ...] | None, tuple[int, int] | None]


def cross_off(secret: tuple[int, ...], guess: tuple[int, ...]) -> tuple[int, int]:
    """Key pegs as a person finds them: first the blacks, then a white for each peg left over."""
    left, tried = [], []
    black = white = 0
    for mine, theirs in zip(secret, guess, strict=True):
        if mine == theirs:
            black += 1
        else:
            left.append(mine)
            tried.append(theirs)
    for peg in tried:
        if peg in left:
            left.remove(peg)
            white += 1
    return black, white


@dataclass
class Paper:
    """The referee's notes on a series."""

    games: int
    by_hand: bool
    limit: int | None
    key_peg_points: bool
    points: list[int] = field(default_factory=lambda: [0, 0])
    finished: int = 0
    secret: tuple[int, ...] | None = None
    rows: list[PaperRow] = field(default_factory=list)
    ended: str = ""
    opened: bool = False
    winner_by_award: int | None = None
    closed_for_good: bool = False
    unquestioned: int = 0
    begun: int = 1
    later_limit: int | None = None
    """The limit from the next turn on."""
    proposal: tuple[int, int | None] | None = None
    have_proposed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.later_limit = self.limit

    @property
    def timed(self) -> bool:
        return self.limit is not None

    @property
    def turn(self) -> tuple[int, str, int]:
        waits_for = "answer" if self.waiting else "guess" if self.secret else "secret"
        return self.begun, "nothing" if self.ended else waits_for, len(self.rows)

    @property
    def maker(self) -> int:
        return self.finished % 2

    @property
    def waiting(self) -> bool:
        return bool(self.rows) and self.rows[-1][1] is None and self.rows[-1][0] is not None

    @property
    def over(self) -> bool:
        if self.closed_for_good:
            return True
        shut = bool(self.ended) and (self.opened or self.secret is None)
        if self.winner_by_award is not None:
            return shut
        return self.last and shut and not self.disputable

    @property
    def disputable(self) -> bool:
        return self.by_hand and self.unquestioned > 0 and self.ended != "maker resigned"

    @property
    def last(self) -> bool:
        return self.finished == self.games - 1 and self.ended not in ("", "void")

    def legal_code(self, code: tuple[int, ...]) -> bool:
        return len(code) == 3 and all(peg in PEGS for peg in code)

    def wrong(self) -> bool:
        assert self.secret is not None
        return any(
            cross_off(self.secret, guess) != keys
            for guess, keys in self.rows
            if guess is not None and keys is not None
        )

    def worth(self) -> int:
        if self.ended in ("void", "maker left", "maker resigned"):
            return 0
        key_pegs = sum(sum(keys) for _, keys in self.rows if keys is not None)
        if self.ended == "broken":
            return key_pegs if self.key_peg_points else len(self.rows)
        return (key_pegs if self.key_peg_points else 3) + 1

    def totals(self) -> list[int]:
        totals = list(self.points)
        if self.ended and not self.closed_for_good:
            totals[self.maker] += self.worth()
            if self.ended == "void":
                totals[1 - self.maker] += 3
        return totals

    def try_event(self, event: Event) -> bool:
        """Note the event down, or say that it is not allowed; a new turn has the agreed limit."""
        turn = self.turn
        allowed = self.note(event)
        if self.turn != turn:
            self.limit = self.later_limit
            self.have_proposed.clear()
        return allowed

    def note_limit(self, event: LimitEvent) -> bool:
        if self.last and (self.opened or self.secret is None):
            return False
        match event:
            case LimitProposed(role, seconds):
                by = self.maker if role is Role.MAKER else 1 - self.maker
                if self.proposal or by in self.have_proposed or seconds == self.later_limit:
                    return False
                self.proposal = by, seconds
                self.have_proposed.add(by)
                return True
            case LimitAccepted(seconds):
                if self.proposal is None or self.proposal[1] != seconds:
                    return False
                self.later_limit = seconds
        there_was = self.proposal is not None
        self.proposal = None
        return there_was

    def note(self, event: Event) -> bool:
        if self.over or (self.winner_by_award is not None and not isinstance(event, Revealed)):
            return False
        match event:
            case SecretSet(opening, _, expired):
                assert opening is not None
                if self.ended or self.secret is not None or not self.legal_code(opening.code):
                    return False
                if expired and not self.timed:
                    return False
                self.secret = opening.code
            case Guessed(code):
                if self.ended or self.secret is None or self.waiting or not self.legal_code(code):
                    return False
                self.rows.append((code, None))
            case Answered(keys, expired):
                return self.try_answer((keys.black, keys.white), expired)
            case RowExpired():
                if self.ended or self.secret is None or self.waiting or not self.timed:
                    return False
                self.rows.append((None, None))
                self.end_if_full()
            case Challenged(upheld):
                if not self.by_hand or self.secret is None or self.unquestioned == 0:
                    return False
                if self.ended in ("void", "maker resigned") or upheld != self.wrong():
                    return False
                self.ended = "void" if upheld else self.ended
                self.unquestioned = 0
            case Resigned(role):
                if self.ended:
                    return False
                self.ended = "gave up" if role is Role.BREAKER else "maker resigned"
            case Abandoned(role):
                if self.last and (self.opened or self.secret is None):
                    return False
                left_maker = role is Role.MAKER
                if not self.ended:
                    self.ended = "maker left" if left_maker else "gave up"
                self.winner_by_award = 1 - self.maker if left_maker else self.maker
            case Revealed(opening):
                if not self.ended or self.opened or self.secret is None:
                    return False
                if opening.code != self.secret:
                    return False
                self.opened = True
            case Closed():
                return self.try_close()
            case LimitProposed() | LimitAccepted() | LimitDeclined() | LimitWithdrawn():
                return self.note_limit(event)
        return True

    def try_answer(self, keys: tuple[int, int], expired: bool) -> bool:
        if self.ended or not self.waiting or (expired and not self.timed):
            return False
        if min(keys) < 0 or sum(keys) > 3 or keys == (2, 1):
            return False
        assert self.secret is not None
        guess = self.rows[-1][0]
        assert guess is not None
        right = cross_off(self.secret, guess)
        if keys != right and not (self.by_hand and not expired):
            return False
        self.rows[-1] = (guess, keys)
        self.unquestioned += 1
        if keys == (3, 0):
            self.ended = "broken"
        else:
            self.end_if_full()
        return True

    def end_if_full(self) -> None:
        if len(self.rows) == 3:
            self.ended = "unbroken"

    def try_close(self) -> bool:
        if not self.ended or not (self.opened or self.secret is None):
            return False
        self.points = self.totals()
        self.finished += self.ended != "void"
        self.ended, self.opened, self.secret, self.rows = "", False, None, []
        self.unquestioned = 0
        self.begun += 1
        self.closed_for_good = self.finished == self.games
        return True


codes = st.tuples(*[st.integers(1, 3)] * 3)
pegs = st.integers(0, 4)
odd_codes = codes | st.tuples(pegs, pegs) | st.tuples(pegs, pegs, pegs)
counts = st.integers(-1, 4)
limits = st.sampled_from([None, 60, 240])
withdrawn = st.just(LimitWithdrawn())


class WholeSeries(RuleBasedStateMachine):
    """Keypeg and paper play the same series; they must agree on everything."""

    @initialize(
        games=st.sampled_from([2, 4]),
        mode=st.sampled_from(KeyPegMode),
        scoring=st.sampled_from(Scoring),
        seconds=st.sampled_from([None, 180]),
        first=st.sampled_from(Seat),
    )
    def agree(
        self, games: int, mode: KeyPegMode, scoring: Scoring, seconds: int | None, first: Seat
    ) -> None:
        terms = Terms(BOARD, games, mode, scoring, seconds)
        self.series = Series.start(terms, "model", first)
        self.start = self.series
        self.log: list[Event] = []
        self.paper = Paper(
            games,
            mode is KeyPegMode.BY_HAND,
            seconds,
            scoring is Scoring.KEY_PEGS,
        )

    def attempt(self, event: Event) -> None:
        before = self.series
        try:
            self.series = play_on(self.series, event)
            allowed = True
        except KeypegError:
            allowed = False
        assert allowed == self.paper.try_event(event), event
        if allowed:
            self.log.append(event)
        else:
            assert self.series is before

    @rule(code=odd_codes, expired=st.booleans())
    def set_any_secret(self, code: tuple[int, ...], expired: bool) -> None:
        self.attempt(SecretSet(Opening(code), None, expired))

    @rule(code=codes)
    def set_secret(self, code: tuple[int, ...]) -> None:
        self.attempt(SecretSet(Opening(code)))

    @rule(code=odd_codes)
    def guess_anything(self, code: tuple[int, ...]) -> None:
        self.attempt(Guessed(code))

    @rule(code=codes)
    def guess(self, code: tuple[int, ...]) -> None:
        self.attempt(Guessed(code))

    @rule(black=counts, white=counts, expired=st.booleans())
    def answer_anything(self, black: int, white: int, expired: bool) -> None:
        self.attempt(Answered(KeyPegs(black, white), expired))

    @precondition(lambda self: self.paper.waiting and not self.paper.ended)
    @rule(expired=st.booleans())
    def answer_rightly(self, expired: bool) -> None:
        assert self.paper.secret is not None
        guess = self.paper.rows[-1][0]
        assert guess is not None
        right = cross_off(self.paper.secret, guess)
        self.attempt(Answered(KeyPegs(*right), expired))

    @precondition(lambda self: self.paper.secret is not None and not self.paper.ended)
    @rule()
    def guess_the_secret(self) -> None:
        assert self.paper.secret is not None
        self.attempt(Guessed(self.paper.secret))

    @rule()
    def expire(self) -> None:
        self.attempt(RowExpired())

    @rule(upheld=st.booleans())
    def challenge(self, upheld: bool) -> None:
        game = self.series.game
        if game is not None and game.secret_set:
            assert verdict(game).upheld == self.paper.wrong()
        self.attempt(Challenged(upheld))

    @rule(role=st.sampled_from(Role))
    def resign(self, role: Role) -> None:
        self.attempt(Resigned(role))

    @precondition(lambda self: len(self.log) > 20)
    @rule(role=st.sampled_from(Role))
    def abandon(self, role: Role) -> None:
        self.attempt(Abandoned(role))

    @rule(role=st.sampled_from(Role), seconds=limits)
    def propose_a_limit(self, role: Role, seconds: int | None) -> None:
        self.attempt(LimitProposed(role, seconds))

    @rule(event=st.builds(LimitAccepted, limits) | st.just(LimitDeclined()) | withdrawn)
    def say_something_about_the_limit(self, event: Event) -> None:
        self.attempt(event)

    @precondition(lambda self: self.paper.proposal is not None)
    @rule()
    def accept_the_limit(self) -> None:
        assert self.paper.proposal is not None
        self.attempt(LimitAccepted(self.paper.proposal[1]))

    @rule(code=codes)
    def reveal_anything(self, code: tuple[int, ...]) -> None:
        self.attempt(Revealed(Opening(code)))

    @precondition(lambda self: bool(self.paper.ended) and self.paper.secret is not None)
    @rule()
    def reveal(self) -> None:
        assert self.paper.secret is not None
        self.attempt(Revealed(Opening(self.paper.secret)))

    @rule()
    def close(self) -> None:
        self.attempt(Closed())

    @invariant()
    def both_agree(self) -> None:
        series, paper = self.series, self.paper
        seats = (series.first_maker, series.first_maker.other)
        assert [series.points.of(seat) for seat in seats] == paper.totals()
        assert series.over == paper.over
        undecided = bool(paper.ended) and paper.ended != "void" and paper.winner_by_award is None
        assert series.challengeable == (undecided and paper.disputable)
        if not paper.closed_for_good:
            assert series.maker is seats[paper.maker]
            assert series.number == paper.finished + 1
        assert series.past or len(series.games) == 1
        if not paper.closed_for_good:
            assert series.terms.turn_seconds == paper.limit
            assert series.next_limit == paper.later_limit

    @invariant()
    def the_result_follows_from_the_points(self) -> None:
        result = self.series.result
        assert (result is not None) == self.paper.over
        if result is None:
            return
        first, second = self.paper.totals()
        seats = (self.series.first_maker, self.series.first_maker.other)
        if self.paper.winner_by_award is not None:
            assert result.winner is seats[self.paper.winner_by_award]
        else:
            expected = None if first == second else seats[first < second]
            assert result.winner is expected

    def teardown(self) -> None:
        if not hasattr(self, "log"):
            return
        assert replay(self.start, self.log) == self.series
        record = Record(self.start.terms, tuple(self.log), "model", self.series.first_maker)
        assert parse_record(format_record(record)) == record
        for seat in (None, *Seat):
            seen = replay(self.start, view(self.start, self.log, seat))
            assert (seen.points, seen.over) == (self.series.points, self.series.over)
            assert (seen.terms, seen.proposal) == (self.series.terms, self.series.proposal)


TestWholeSeries = WholeSeries.TestCase
TestWholeSeries.settings = settings(max_examples=150, stateful_step_count=60)
