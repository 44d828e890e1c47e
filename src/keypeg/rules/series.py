"""A series: an even number of games, with the roles swapped after each, and the points.

The rule books leave some things open. keypeg decides:

- If the breaker resigns or leaves, the maker scores as if the code was not broken.
- If the maker resigns, the maker gets nothing for the game, and it is not replayed. Otherwise a
  maker whose code is nearly broken would gain by starting again.
- If the maker resigns after a wrong answer that was not challenged, the referee upholds a
  challenge: the breaker gets the points for it, and the game is replayed.
- If key pegs are scored, the breaker cannot resign: the rows that are left would give the maker
  nothing.
- A player who leaves loses the series, whatever the points.
- A turn limit agreed on during the series holds from the next turn to the end of the series. Each
  player may propose one limit in a turn, and only one proposal is open at a time.
- A finished game can be challenged until it is closed. If key pegs are placed by hand, only the
  breaker may close it, because closing gives up the right to challenge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, assert_never

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import (
    Abandoned,
    Closed,
    Event,
    LimitAccepted,
    LimitDeclined,
    LimitEvent,
    LimitProposed,
    LimitWithdrawn,
    Revealed,
    Role,
)
from keypeg.rules.game import Game, apply
from keypeg.rules.terms import Scoring, Terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board

WRONG_INFORMATION_POINTS: Final = 3


class Seat(Enum):
    """The two sides of the table. Players keep their seats while roles swap."""

    ONE = "one"
    TWO = "two"

    __hash__ = object.__hash__
    """Each seat is one object. Enum's own hash is written in Python, and seats are often keys."""

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.TWO if self is Seat.ONE else Seat.ONE


@dataclass(frozen=True, slots=True)
class Points:
    """The points of both seats."""

    one: int = 0
    two: int = 0

    def of(self, seat: Seat) -> int:
        """The points of one seat."""
        return self.one if seat is Seat.ONE else self.two

    def plus(self, seat: Seat, points: int) -> Points:
        """These points, with `points` more for `seat`."""
        if seat is Seat.ONE:
            return Points(self.one + points, self.two)
        return Points(self.one, self.two + points)


@dataclass(frozen=True, slots=True)
class Result:
    """How a series ended: its winner, or None for a tie."""

    winner: Seat | None
    points: Points


@dataclass(frozen=True, slots=True)
class Proposal:
    """A turn limit that one seat has proposed, in seconds; None is no limit."""

    seat: Seat
    seconds: int | None


@dataclass(frozen=True, slots=True)
class Series:
    """The state of a series: the closed games, void ones included, and the current game.

    `terms` contains the turn limit of the running turn: the players may agree on another one.
    """

    id: str
    terms: Terms
    first_maker: Seat
    game: Game | None
    past: tuple[Game, ...] = ()
    number: int = 1
    """The number of the current game, from 1. The replay of a void game has the same number."""
    attempt: int = 1
    """The attempt at the current game: 1, or more for a replay."""
    past_points: Points = Points()
    """The points of the closed games."""
    awarded: Seat | None = None
    next_limit: int | None = None
    """The turn limit from the next turn on, in seconds, or None."""
    proposal: Proposal | None = None
    proposers: frozenset[Seat] = frozenset()
    """Who has proposed a turn limit during the running turn."""

    @classmethod
    def start(cls, terms: Terms, series_id: str, first_maker: Seat = Seat.ONE) -> Series:
        """A new series, which waits for its first maker to set a secret."""
        game = Game(game_id(series_id, 1, 1), terms)
        return cls(series_id, terms, first_maker, game, next_limit=terms.turn_seconds)

    @property
    def maker(self) -> Seat:
        """The maker in the current game."""
        return maker_of(self.first_maker, self.number)

    def role(self, seat: Seat) -> Role:
        """The role of `seat` in the current game."""
        return Role.MAKER if seat is self.maker else Role.BREAKER

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is in the current game."""
        role = self.game.turn if self.game is not None else None
        if role is None:
            return None
        return self.maker if role is Role.MAKER else self.maker.other

    @property
    def over(self) -> bool:
        """Whether the result is final."""
        if self.game is None:
            return True
        if self.awarded is not None:
            return self.game.settled
        return _is_last(self, self.game) and not self.challengeable

    @property
    def challengeable(self) -> bool:
        """Whether the current game is finished but can still be challenged."""
        if self.game is None or self.game.outcome is None or self.awarded is not None:
            return False
        return self.game.questionable and not self.game.outcome.forfeited

    @property
    def last_game_over(self) -> bool:
        """Whether no turn follows, unless the last game is challenged."""
        return self.game is None or _is_last(self, self.game)

    @property
    def games(self) -> tuple[Game, ...]:
        """All games, in order, void ones and the current one included."""
        return self.past if self.game is None else (*self.past, self.game)

    @property
    def points(self) -> Points:
        """The points of all finished games."""
        if self.game is None or self.game.outcome is None:
            return self.past_points
        return _earned(self, self.game)

    @property
    def score_line(self) -> Points:
        """The positions of the score pegs: the points, and 1 more for each row of the current game.

        If key pegs are scored, 1 more for each key peg.
        """
        if self.game is None or self.game.outcome is not None:
            return self.points
        return self.points.plus(self.maker, _played(self.game))

    @property
    def result(self) -> Result | None:
        """The winner or tie. None until the series is over."""
        if not self.over:
            return None
        points = self.points
        if self.awarded is not None:
            return Result(self.awarded, points)
        if points.one == points.two:
            return Result(None, points)
        return Result(Seat.ONE if points.one > points.two else Seat.TWO, points)

    def makers(self) -> Iterable[tuple[Seat, Game]]:
        """All games, each with the seat of its maker."""
        number = 1
        for game in self.games:
            yield maker_of(self.first_maker, number), game
            number += not _is_void(game)


def play_on(series: Series, event: Event) -> Series:
    """The series after `event`. Raises an error if the rules do not allow it."""
    if series.over or series.game is None:
        raise AgainstTheRules("the series is over")
    if series.awarded is not None and not isinstance(event, Revealed):
        raise AgainstTheRules("the series is over")
    if isinstance(event, LimitEvent):
        return _discuss_limit(series, event)
    if isinstance(event, Closed):
        after = _close(series, series.game)
    elif isinstance(event, Abandoned):
        after = _abandon(series, series.game, event)
    else:
        after = replace(series, game=apply(series.game, event))
    return _begin_turn(after) if _is_next_turn(series.game, after.game) else after


def replay(start: Series, events: Iterable[Event]) -> Series:
    """The series after all `events`."""
    for event in events:
        start = play_on(start, event)
    return start


def maker_points(game: Game) -> int:
    """The points of the maker for a finished game."""
    if game.outcome is None or game.outcome.forfeited:
        return 0
    if not game.outcome.unbroken:
        return _played(game)
    if game.terms.scoring is Scoring.ROWS:
        return unbroken_points(game.board)
    return _played(game) + 1


def unbroken_points(board: Board) -> int:
    """The points of the maker if all rows are used and the code is not broken."""
    return board.rows + 1


def breaker_points(game: Game) -> int:
    """The points of the breaker: 3 for wrong information."""
    return WRONG_INFORMATION_POINTS if _is_void(game) else 0


def maker_of(first_maker: Seat, number: int) -> Seat:
    """The maker of game `number`. Roles swap after each game."""
    return first_maker if number % 2 else first_maker.other


def game_id(series_id: str, number: int, attempt: int) -> str:
    """The id of a game, which its seal contains. Each replay has its own id."""
    return f"{series_id}/{number}" + (f".{attempt}" if attempt > 1 else "")


def turn_key(game: Game) -> tuple[str, str, int]:
    """What tells one turn, or pause after a game, from the next."""
    return (game.id, game.phase.value, len(game.rows))


def _is_next_turn(before: Game, after: Game | None) -> bool:
    return after is not None and turn_key(after) != turn_key(before)


def _begin_turn(series: Series) -> Series:
    """The series in its next turn, in which a limit agreed on before takes effect."""
    if series.next_limit != series.terms.turn_seconds and series.game is not None:
        terms = replace(series.terms, turn_seconds=series.next_limit)
        series = replace(series, terms=terms, game=replace(series.game, terms=terms))
    return replace(series, proposers=frozenset()) if series.proposers else series


def _discuss_limit(series: Series, event: LimitEvent) -> Series:
    if series.last_game_over:
        raise AgainstTheRules("the last game is over; there are no more turns to limit")
    proposal = series.proposal
    if isinstance(event, LimitProposed):
        return _propose(series, event)
    if proposal is None:
        raise AgainstTheRules("no turn limit is proposed now")
    match event:
        case LimitAccepted(seconds):
            if seconds != proposal.seconds:
                raise AgainstTheRules("another turn limit is proposed now; look at it again")
            return replace(series, proposal=None, next_limit=seconds)
        case LimitDeclined() | LimitWithdrawn():
            return replace(series, proposal=None)
        case _:
            assert_never(event)


def _propose(series: Series, event: LimitProposed) -> Series:
    if series.proposal is not None:
        raise AgainstTheRules(
            "a turn limit is already proposed; it must be accepted, declined or withdrawn first"
        )
    seat = series.maker if event.role is Role.MAKER else series.maker.other
    if seat in series.proposers:
        raise AgainstTheRules(
            "you can propose a turn limit once in a turn; propose the next one after the next move"
        )
    if event.seconds == series.next_limit:
        raise AgainstTheRules("this is the turn limit already; propose another")
    proposal = Proposal(seat, event.seconds)
    return replace(series, proposal=proposal, proposers=series.proposers | {seat})


def _abandon(series: Series, game: Game, event: Abandoned) -> Series:
    """A player who leaves between two games keeps the points of the finished one."""
    if _is_last(series, game):
        raise AgainstTheRules("the last game is over; there is nothing left to leave")
    stayed = series.maker if event.role is Role.BREAKER else series.maker.other
    ended = game if game.outcome is not None else apply(game, event)
    return replace(series, game=ended, awarded=stayed)


def _close(series: Series, game: Game) -> Series:
    if not game.settled:
        raise AgainstTheRules("a game can be closed only when it is over and its secret revealed")
    closed = replace(series, past=(*series.past, game), past_points=_earned(series, game))
    if _is_last(series, game):
        return replace(closed, game=None)
    number = series.number + (not _is_void(game))
    attempt = series.attempt + 1 if _is_void(game) else 1
    following = Game(game_id(series.id, number, attempt), series.terms)
    return replace(closed, game=following, number=number, attempt=attempt)


def _earned(series: Series, game: Game) -> Points:
    """The points of the closed games and of this game, which comes after them."""
    maker, breaker = series.maker, series.maker.other
    gained = series.past_points.plus(maker, maker_points(game))
    return gained.plus(breaker, breaker_points(game))


def _is_last(series: Series, game: Game) -> bool:
    """Whether this is the last game of the series, settled and not void."""
    return series.number == series.terms.games and game.settled and not _is_void(game)


def _is_void(game: Game) -> bool:
    return game.outcome is not None and game.outcome.void


def _played(game: Game) -> int:
    """The points for rows or key pegs in one game, without the 1 for an unbroken code."""
    if game.terms.scoring is Scoring.ROWS:
        return len(game.rows)
    return sum(sum(row.keys) for row in game.rows if row.keys is not None)
