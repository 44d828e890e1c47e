"""A series: an even number of games with the roles swapped after each, and its points.

Decisions where the rule books are silent:

- A void game (wrong information shown, or the maker gave it up) earns the maker nothing and
  is replayed with the same roles. The breaker gets 3 points: a maker who sees the code
  nearly broken must not gain by starting afresh.
- A breaker who resigns or leaves lets the maker score as if the code was never broken.
- A player who leaves for good loses the series, whatever the points.
- A finished game stays open for a challenge until it is closed. Where key pegs are placed by
  hand only its breaker may close it, since only the breaker has a challenge to lose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    Resigned,
    Revealed,
    Role,
    SecretSet,
)
from keypeg.rules.game import Ending, Game, apply
from keypeg.rules.terms import KeyPegMode, Scoring, Terms

if TYPE_CHECKING:
    from collections.abc import Iterable

WRONG_INFORMATION_POINTS: Final = 3


class Seat(Enum):
    """The two sides of the table. Seats stay; roles swap."""

    ONE = "one"
    TWO = "two"

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
            return replace(self, one=self.one + points)
        return replace(self, two=self.two + points)


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
    past: tuple[Game, ...]
    game: Game | None
    awarded: Seat | None = None

    @classmethod
    def start(cls, terms: Terms, series_id: str, first_maker: Seat = Seat.ONE) -> Series:
        """A series about to begin: its first maker is to set a secret."""
        return cls(series_id, terms, first_maker, (), _game(series_id, terms, 1, 1))

    @property
    def number(self) -> int:
        """Which game of the series is on, counted from 1; a replay has the number of the void."""
        return min(_counted(self.past) + 1, self.terms.games)

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
        if self.game is None or not self.game.settled:
            return self.game is None
        last = self.number == self.terms.games and not _is_void(self.game)
        return self.awarded is not None or (last and not self.challengeable)

    @property
    def challengeable(self) -> bool:
        """Whether the finished game that is still on the board may yet be challenged."""
        outcome = self.game.outcome if self.game is not None else None
        by_hand = self.terms.key_pegs is KeyPegMode.BY_HAND
        return by_hand and outcome is not None and not outcome.void and self.awarded is None

    @property
    def games(self) -> tuple[Game, ...]:
        """Every game begun, in order, void ones included."""
        return self.past if self.game is None else (*self.past, self.game)

    @property
    def points(self) -> Points:
        """The points of all finished games."""
        points = Points()
        for maker, game in self.makers():
            gained = maker_points(game)
            points = points.plus(maker, gained).plus(maker.other, breaker_points(game))
        return points

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
        for index, game in enumerate(self.games):
            yield maker_of(self.first_maker, _counted(self.games[:index]) + 1), game


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


def authorise(series: Series, seat: Seat, event: Event) -> None:
    """Refuse an event that is not for `seat` to bring about, whether or not it is legal now."""
    actor = _actor(series, event)
    if actor is None:
        raise NotYourTurn("only the referee does this")
    if actor is not series.role(seat) and not (
        isinstance(event, Closed) and _anyone_closes(series)
    ):
        raise NotYourTurn(f"this is for the {actor.value} to do; you are the {actor.other.value}")


def _actor(series: Series, event: Event) -> Role | None:
    """Whose deed an event is; None for the referee's own."""
    match event:
        case Resigned(role):
            return role
        case SecretSet(expired=False):
            return Role.MAKER
        case Answered(expired=False) if series.terms.key_pegs is not KeyPegMode.REFEREE:
            return Role.MAKER
        case Guessed() | Challenged() | Closed():
            return Role.BREAKER
        case _:
            return None


def _anyone_closes(series: Series) -> bool:
    return not series.challengeable


def maker_points(game: Game) -> int:
    """What the maker gets for a finished game, by the scoring agreed on."""
    if game.outcome is None or game.outcome.void:
        return 0
    if not game.outcome.unbroken:
        return _played(game)
    rows = game.terms.scoring is Scoring.ROWS
    return (game.board.rows if rows else _played(game)) + 1


def breaker_points(game: Game) -> int:
    """The 3 points for wrong information, or for a maker who gave the game up."""
    endings = (Ending.WRONG_INFORMATION, Ending.MAKER_RESIGNED)
    earned = game.outcome is not None and game.outcome.ending in endings
    return WRONG_INFORMATION_POINTS if earned else 0


def maker_of(first_maker: Seat, number: int) -> Seat:
    """Who makes the code in game `number`: roles swap after each."""
    return first_maker if number % 2 else first_maker.other


def game_id(series_id: str, number: int, attempt: int) -> str:
    """The name a game's seal is bound to; replays have their own."""
    return f"{series_id}/{number}" + (f".{attempt}" if attempt > 1 else "")


def _abandon(series: Series, game: Game, event: Abandoned) -> Series:
    """Leaving between two games takes nothing from the finished one."""
    stayed = series.maker if event.role is Role.BREAKER else series.maker.other
    ended = game if game.outcome is not None else apply(game, event)
    return replace(series, game=ended, awarded=stayed)


def _close(series: Series, game: Game) -> Series:
    if not game.settled:
        raise AgainstTheRules("a game is closed after it has ended and the secret is revealed")
    past = (*series.past, game)
    number = _counted(past) + 1
    if number > series.terms.games:
        return replace(series, past=past, game=None)
    attempt = 1
    while attempt <= len(past) and _is_void(past[-attempt]):
        attempt += 1
    return replace(series, past=past, game=_game(series.id, series.terms, number, attempt))


def _game(series_id: str, terms: Terms, number: int, attempt: int) -> Game:
    return Game(game_id(series_id, number, attempt), terms)


def _counted(games: Iterable[Game]) -> int:
    return sum(not _is_void(game) for game in games)


def _is_void(game: Game) -> bool:
    return game.outcome is not None and game.outcome.void


def _played(game: Game) -> int:
    """Steps of the score peg in one game, without the one for an unbroken code."""
    if game.terms.scoring is Scoring.ROWS:
        return len(game.rows)
    return sum(sum(row.keys) for row in game.rows if row.keys is not None)
