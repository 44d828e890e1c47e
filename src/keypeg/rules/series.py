"""A series: an even number of games with the roles swapped after each, and its points.

Decisions where the rule books are silent:

- A breaker who resigns or leaves lets the maker score as if the code was never broken.
- A maker who resigns gets nothing for the game, which counts as played: were it replayed, a
  maker who sees the code nearly broken would gain by starting afresh.
- A player who leaves for good loses the series, whatever the points.
- A finished game stays open for a challenge until it is closed. Where key pegs are placed by
  hand only its breaker may close it, since only the breaker has a challenge to lose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import Abandoned, Closed, Event, Revealed, Role
from keypeg.rules.game import Game, apply
from keypeg.rules.terms import Scoring, Terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board

WRONG_INFORMATION_POINTS: Final = 3


class Seat(Enum):
    """The two sides of the table. Seats stay; roles swap."""

    ONE = "one"
    TWO = "two"

    __hash__ = object.__hash__  # Enum's own takes as long as a look into ten dictionaries

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.TWO if self is Seat.ONE else Seat.ONE


@dataclass(frozen=True, slots=True)
class Points:
    """What each seat has."""

    one: int = 0
    two: int = 0

    def of(self, seat: Seat) -> int:
        """The points of one seat."""
        return self.one if seat is Seat.ONE else self.two

    def plus(self, seat: Seat, points: int) -> Points:
        """The same with `points` more for `seat`."""
        if seat is Seat.ONE:
            return Points(self.one + points, self.two)
        return Points(self.one, self.two + points)


@dataclass(frozen=True, slots=True)
class Result:
    """How a series ended: its winner, or None for a tie."""

    winner: Seat | None
    points: Points


@dataclass(frozen=True, slots=True)
class Series:
    """The state of a series: the games closed so far, void ones included, and the one on now."""

    id: str
    terms: Terms
    first_maker: Seat
    game: Game | None
    past: tuple[Game, ...] = ()
    number: int = 1
    """Which game of the series is on, counted from 1; a replay has the number of the void one."""
    attempt: int = 1
    """Which attempt at that game this is."""
    past_points: Points = Points()
    """What the closed games have brought."""
    awarded: Seat | None = None

    @classmethod
    def start(cls, terms: Terms, series_id: str, first_maker: Seat = Seat.ONE) -> Series:
        """A series about to begin: its first maker is to set a secret."""
        return cls(series_id, terms, first_maker, Game(game_id(series_id, 1, 1), terms))

    @property
    def maker(self) -> Seat:
        """Who makes the code in the game that is on."""
        return maker_of(self.first_maker, self.number)

    def role(self, seat: Seat) -> Role:
        """What `seat` is in the game that is on."""
        return Role.MAKER if seat is self.maker else Role.BREAKER

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is in the game that is on."""
        role = self.game.turn if self.game is not None else None
        if role is None:
            return None
        return self.maker if role is Role.MAKER else self.maker.other

    @property
    def over(self) -> bool:
        """Whether the result stands: nothing more can happen."""
        if self.game is None:
            return True
        if self.awarded is not None:
            return self.game.settled
        return _is_last(self, self.game) and not self.challengeable

    @property
    def challengeable(self) -> bool:
        """Whether the finished game that is still on the board may yet be challenged."""
        if self.game is None or self.game.outcome is None or self.awarded is not None:
            return False
        return self.game.questionable and not self.game.outcome.forfeited

    @property
    def games(self) -> tuple[Game, ...]:
        """Every game begun, in order, void ones included."""
        return self.past if self.game is None else (*self.past, self.game)

    @property
    def points(self) -> Points:
        """The points of all finished games."""
        if self.game is None or self.game.outcome is None:
            return self.past_points
        return _earned(self, self.game)

    @property
    def score_line(self) -> Points:
        """Where the score pegs stand: the points, and a step for every row of the game that is on.

        With key pegs for scoring, a step for every key peg.
        """
        if self.game is None or self.game.outcome is not None:
            return self.points
        return self.points.plus(self.maker, _played(self.game))

    @property
    def result(self) -> Result | None:
        """The winner or tie, once the series is over."""
        if not self.over:
            return None
        points = self.points
        if self.awarded is not None:
            return Result(self.awarded, points)
        if points.one == points.two:
            return Result(None, points)
        return Result(Seat.ONE if points.one > points.two else Seat.TWO, points)

    def makers(self) -> Iterable[tuple[Seat, Game]]:
        """Every game begun, each with the seat that made its code."""
        number = 1
        for game in self.games:
            yield maker_of(self.first_maker, number), game
            number += not _is_void(game)


def play_on(series: Series, event: Event) -> Series:
    """The series after `event`; refuses what the rules do not allow."""
    if series.over or series.game is None:
        raise AgainstTheRules("the series is over")
    if series.awarded is not None and not isinstance(event, Revealed):
        raise AgainstTheRules("the series is over")
    if isinstance(event, Closed):
        return _close(series, series.game)
    if isinstance(event, Abandoned):
        return _abandon(series, series.game, event)
    return replace(series, game=apply(series.game, event))


def replay(start: Series, events: Iterable[Event]) -> Series:
    """The series after all `events`."""
    for event in events:
        start = play_on(start, event)
    return start


def maker_points(game: Game) -> int:
    """What the maker gets for a finished game, by the scoring agreed on."""
    if game.outcome is None or game.outcome.forfeited:
        return 0
    if not game.outcome.unbroken:
        return _played(game)
    if game.terms.scoring is Scoring.ROWS:
        return unbroken_points(game.board)
    return _played(game) + 1


def unbroken_points(board: Board) -> int:
    """What the maker gets for every row used and the code not broken."""
    return board.rows + 1


def breaker_points(game: Game) -> int:
    """The 3 points for wrong information."""
    return WRONG_INFORMATION_POINTS if _is_void(game) else 0


def maker_of(first_maker: Seat, number: int) -> Seat:
    """Who makes the code in game `number`: roles swap after each."""
    return first_maker if number % 2 else first_maker.other


def game_id(series_id: str, number: int, attempt: int) -> str:
    """The name a game's seal is bound to; replays have their own."""
    return f"{series_id}/{number}" + (f".{attempt}" if attempt > 1 else "")


def _abandon(series: Series, game: Game, event: Abandoned) -> Series:
    """Leaving between two games takes nothing from the finished one."""
    if _is_last(series, game):
        raise AgainstTheRules("the last game is over; nothing is left to leave")
    stayed = series.maker if event.role is Role.BREAKER else series.maker.other
    ended = game if game.outcome is not None else apply(game, event)
    return replace(series, game=ended, awarded=stayed)


def _close(series: Series, game: Game) -> Series:
    if not game.settled:
        raise AgainstTheRules("a game is closed after it has ended and the secret is revealed")
    closed = replace(series, past=(*series.past, game), past_points=_earned(series, game))
    if _is_last(series, game):
        return replace(closed, game=None)
    number = series.number + (not _is_void(game))
    attempt = series.attempt + 1 if _is_void(game) else 1
    following = Game(game_id(series.id, number, attempt), series.terms)
    return replace(closed, game=following, number=number, attempt=attempt)


def _earned(series: Series, game: Game) -> Points:
    """The points of the closed games and of this one, the first after them."""
    maker, breaker = series.maker, series.maker.other
    gained = series.past_points.plus(maker, maker_points(game))
    return gained.plus(breaker, breaker_points(game))


def _is_last(series: Series, game: Game) -> bool:
    """Whether the series' last game has come to an end that counts."""
    return series.number == series.terms.games and game.settled and not _is_void(game)


def _is_void(game: Game) -> bool:
    return game.outcome is not None and game.outcome.void


def _played(game: Game) -> int:
    """Steps of the score peg in one game, without the one for an unbroken code."""
    if game.terms.scoring is Scoring.ROWS:
        return len(game.rows)
    return sum(sum(row.keys) for row in game.rows if row.keys is not None)
