"""One match: its immutable state, and `play`, which computes the state after an event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.game import Ending, Game, Outcome, Phase, apply
from keypeg.rules.keypegs import solved
from keypeg.rules.match.events import (
    AnswersAccepted,
    Begun,
    ClockCredited,
    Followed,
    InGame,
    Joined,
    Left,
    MatchEvent,
    Stopped,
    Task,
)
from keypeg.rules.match.terms import LEAST_PLAYERS, MatchKind, MatchTerms, Pace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.events import GameEvent

MOST_JOINS: Final = 32
"""How often a place in a match can be taken, so that coming and going ends."""
MOST_IDLE: Final = 3
"""Whoever lets this many rows and answers in a row pass has given up."""


class MatchStage(Enum):
    """How far a match has come."""

    WAITING = "waiting"
    SETTING = "setting"
    """The players of a duel set their codes."""
    PLAYING = "playing"
    OVER = "over"
    CANCELLED = "cancelled"


class Turn(NamedTuple):
    """What a match waits for: who is to do what, in which row (0 if in none)."""

    player: int
    task: Task
    row: int


@dataclass(frozen=True, slots=True)
class MatchClock:
    """A running clock; times in milliseconds since the epoch.

    `known` is the time up to which outages are credited: the start, or the last credit.
    """

    turn: Turn
    since: int
    allowed: int
    known: int

    @property
    def due(self) -> int:
        """When it runs out."""
        return self.since + self.allowed

    def credited(self, milliseconds: int) -> ClockCredited:
        """The event that gives it back so much."""
        return ClockCredited(self.turn.player, self.turn.task, milliseconds)


@dataclass(frozen=True, slots=True)
class Player:
    """A player, and the game in which they are the breaker."""

    number: int
    game: Game
    idle: int = 0
    """Rows and answers that they let pass, one after the other."""
    accepted: bool = False
    """Whether they let the answers given by hand stand, once their game was over."""
    received: int | None = None
    """When their last guess was received."""
    credited: int = 0
    """Milliseconds that their rows were given back."""

    @property
    def done(self) -> bool:
        """Whether they will not play another row."""
        return self.game.outcome is not None

    @property
    def gave_up(self) -> bool:
        """Whether they gave up."""
        return self.game.outcome == Outcome(Ending.BREAKER_RESIGNED)

    @property
    def broken(self) -> bool:
        """Whether they broke the code."""
        rows = self.game.rows
        return bool(rows) and rows[-1].keys == solved(self.game.board)

    @property
    def complete(self) -> int:
        """How many of their rows are answered, or stay empty."""
        return len(self.game.rows) - (self.game.phase is Phase.ANSWER)

    @property
    def doubtful(self) -> bool:
        """Whether they may still say that an answer was wrong."""
        return self.game.questionable and not self.accepted

    @property
    def absent(self) -> bool:
        """Whether the referee answers for them, because they gave up or went away."""
        return self.gave_up or self.idle >= MOST_IDLE


@dataclass(frozen=True, slots=True)
class Objection:
    """A challenge of a player, and whether it was upheld."""

    player: int
    upheld: bool


@dataclass(frozen=True, slots=True)
class Match:
    """The state of a match, its codes included."""

    id: str
    terms: MatchTerms
    players: tuple[Player, ...] = ()
    joins: int = 0
    """How often a place was taken; numbers are not given twice."""
    blank: Game | None = None
    """A race's game before its first row, with the code of everybody."""
    begun: int | None = None
    """When it began, in milliseconds since the epoch."""
    row: int = 0
    """The row that is being filled, if everybody plays together."""
    clocks: tuple[MatchClock, ...] = ()
    objections: tuple[Objection, ...] = ()
    cancelled: bool = False
    next: str | None = None
    """The id of the match that follows."""

    @classmethod
    def start(cls, terms: MatchTerms, id_: str) -> Match:
        """A match that nobody has joined, and whose code is not drawn."""
        race = terms.kind is MatchKind.RACE
        return cls(id_, terms, blank=Game(game_id(id_, 0), terms.game) if race else None)

    @property
    def stage(self) -> MatchStage:
        """How far it has come."""
        if self.cancelled:
            return MatchStage.CANCELLED
        if self.begun is None:
            return MatchStage.WAITING
        if any(not player.game.secret_set for player in self.players):
            return MatchStage.SETTING
        over = all(player.game.revealed for player in self.players)
        return MatchStage.OVER if over else MatchStage.PLAYING

    @property
    def full(self) -> bool:
        """Whether all places are taken."""
        return len(self.players) == self.terms.places

    @property
    def together(self) -> bool:
        """Whether rows are answered together."""
        return self.terms.pace is Pace.TOGETHER

    @property
    def opener(self) -> int:
        """The number of whoever opened it."""
        return 1

    @property
    def due(self) -> int | None:
        """When the next clock runs out."""
        return min((clock.due for clock in self.clocks), default=None)

    def player(self, number: int) -> Player:
        """The player with this number."""
        for player in self.players:
            if player.number == number:
                return player
        raise AgainstTheRules(f"there is no player {number} in this match")

    def has(self, number: int | None) -> bool:
        """Whether there is a player with this number."""
        return any(player.number == number for player in self.players)

    def opponent(self, number: int) -> Player:
        """The other player of a duel."""
        return next(player for player in self.players if player.number != number)

    def filled(self, player: Player) -> bool:
        """Whether a player has played the row that everybody fills together."""
        return self.together and len(player.game.rows) >= self.row

    @property
    def liar(self) -> Player | None:
        """Who gave wrong information, if that was shown."""
        for player in self.players:
            if player.game.outcome == Outcome(Ending.WRONG_INFORMATION):
                return self.opponent(player.number)
        return None


def game_id(id_: str, number: int) -> str:
    """The id that is sealed with a code: that of a race, or of the duel's player who breaks it."""
    return f"match-{id_}-{number}" if number else f"match-{id_}"


def play(match: Match, event: MatchEvent, at: int) -> Match:
    """The match after an event that happened at this time. Raises an error if it could not."""
    after = _after(match, event, at)
    if after.together and after.begun is not None:
        after = _next_row(after)
    return replace(after, clocks=_clocks(after, at))


def _after(match: Match, event: MatchEvent, at: int) -> Match:
    match event:
        case Joined(number):
            return _join(match, number)
        case Left(number):
            return _leave(match, number)
        case Begun():
            return _begin(match, at)
        case InGame(number, inner, received):
            return _in_game(match, number, inner, received)
        case Stopped(number):
            return _stop(match, number)
        case AnswersAccepted(number):
            return _accept(match, number)
        case ClockCredited(number, task, milliseconds):
            return _credit(match, number, task, milliseconds, at)
        case Followed(next_):
            return _follow(match, next_)
        case _:
            assert_never(event)


def _join(match: Match, number: int) -> Match:
    _need(match, MatchStage.WAITING)
    if match.full:
        raise AgainstTheRules(f"all {match.terms.places} places in this match are taken")
    if number != match.joins + 1 or number > MOST_JOINS:
        raise AgainstTheRules("too many have come and gone here; open another match")
    game = match.blank or Game(game_id(match.id, number), match.terms.game)
    return replace(match, players=(*match.players, Player(number, game)), joins=number)


def _leave(match: Match, number: int) -> Match:
    _need(match, MatchStage.WAITING)
    match.player(number)
    if number == match.opener:
        return replace(match, cancelled=True)
    others = tuple(player for player in match.players if player.number != number)
    return replace(match, players=others)


def _begin(match: Match, at: int) -> Match:
    _need(match, MatchStage.WAITING)
    enough = match.terms.places if match.terms.kind is MatchKind.DUEL else LEAST_PLAYERS
    if len(match.players) < enough:
        raise AgainstTheRules(f"a match needs {enough} players; here there are fewer")
    if match.blank is not None and not match.blank.secret_set:
        raise AgainstTheRules("the code of a race is drawn before it begins")
    return replace(match, begun=at, row=1)


def _in_game(match: Match, number: int, event: GameEvent, received: int | None) -> Match:
    if number == 0:
        return _with_everybody(match, event)
    player = match.player(number)
    wanted = MatchStage.SETTING if isinstance(event, SecretSet) else MatchStage.PLAYING
    _need(match, wanted)
    if isinstance(event, Abandoned) or event == Resigned(Role.MAKER):
        raise AgainstTheRules("in a match only a breaker gives up")
    if isinstance(event, Guessed) and match.filled(player):
        raise AgainstTheRules(f"row {match.row} is filled; wait for the others")
    if isinstance(event, Challenged) and player.accepted:
        raise AgainstTheRules("the answers were accepted; they can no longer be challenged")
    after = _changed(match, replace(player, game=apply(player.game, event)))
    match event:
        case Guessed():
            return _awake(after, number, received)
        case RowExpired():
            return _idle(after, number)
        case Answered(expired=expired) if match.terms.by_hand:
            maker = match.opponent(number).number
            return _idle(after, maker) if expired else _awake(after, maker)
        case Challenged(upheld):
            objections = (*match.objections, Objection(number, upheld))
            return _awake(replace(after, objections=objections), number)
        case _:
            return after


def _with_everybody(match: Match, event: GameEvent) -> Match:
    """The code of a race is drawn before anybody has joined, and revealed to all together."""
    if match.blank is None:
        raise AgainstTheRules("each player of a duel breaks another code")
    if isinstance(event, SecretSet) and not match.players:
        return replace(match, blank=apply(match.blank, event))
    if not isinstance(event, Revealed):
        raise AgainstTheRules("this happens to one player, not to all")
    _need(match, MatchStage.PLAYING)
    opened = (replace(player, game=apply(player.game, event)) for player in match.players)
    return replace(match, players=tuple(opened))


def _stop(match: Match, number: int) -> Match:
    _need(match, MatchStage.PLAYING)
    player = match.player(number)
    if player.done:
        raise AgainstTheRules("this game is over already")
    game = replace(player.game, outcome=Outcome(Ending.UNBROKEN))
    return _changed(match, replace(player, game=game))


def _accept(match: Match, number: int) -> Match:
    _need(match, MatchStage.PLAYING)
    player = match.player(number)
    if not player.done or not player.doubtful:
        raise AgainstTheRules("there is no answer to accept")
    return _changed(match, replace(player, accepted=True))


def _credit(match: Match, number: int, task: Task, milliseconds: int, at: int) -> Match:
    if milliseconds <= 0:
        raise AgainstTheRules("a credit is at least a millisecond")
    mine = [clock for clock in match.clocks if clock.turn[:2] == (number, task)]
    if not mine:
        raise AgainstTheRules("no such clock is running")
    clocks = tuple(
        replace(clock, allowed=clock.allowed + milliseconds, known=max(clock.known, at))
        if clock in mine
        else clock
        for clock in match.clocks
    )
    after = replace(match, clocks=clocks)
    if task is not Task.ROW:
        return after
    player = match.player(number)
    return _changed(after, replace(player, credited=player.credited + milliseconds))


def _follow(match: Match, next_: str) -> Match:
    _need(match, MatchStage.OVER)
    if match.next is not None:
        raise AgainstTheRules("there is another match already")
    return replace(match, next=next_)


def _need(match: Match, stage: MatchStage) -> None:
    if match.stage is not stage:
        raise AgainstTheRules(f"the match is {match.stage.value}; this needs one {stage.value}")


def _changed(match: Match, player: Player) -> Match:
    players = (player if one.number == player.number else one for one in match.players)
    return replace(match, players=tuple(players))


def _awake(match: Match, number: int, received: int | None = None) -> Match:
    player = match.player(number)
    received = player.received if received is None else received
    return _changed(match, replace(player, idle=0, received=received))


def _idle(match: Match, number: int) -> Match:
    player = match.player(number)
    return _changed(match, replace(player, idle=player.idle + 1))


def _next_row(match: Match) -> Match:
    """Where all play together, the next row begins once the last is answered for everybody."""
    active = [player for player in match.players if not player.done]
    if active and all(player.complete >= match.row for player in active):
        return replace(match, row=match.row + 1)
    return match


def turns(match: Match) -> Iterator[Turn]:
    """What the match waits for."""
    stage = match.stage
    if stage is MatchStage.SETTING:
        for player in match.players:
            if not match.opponent(player.number).game.secret_set:
                yield Turn(player.number, Task.SECRET, 0)
    if stage is not MatchStage.PLAYING:
        return
    for player in match.players:
        rows = len(player.game.rows)
        if player.game.phase is Phase.GUESS and not match.filled(player):
            yield Turn(player.number, Task.ROW, rows + 1)
        if match.terms.by_hand and player.game.phase is Phase.ANSWER:
            yield Turn(match.opponent(player.number).number, Task.ANSWER, rows)
        if player.done and player.doubtful:
            yield Turn(player.number, Task.CLOSE, 0)


def _clocks(match: Match, at: int) -> tuple[MatchClock, ...]:
    """The clocks that run: those that did, as they are, and new ones from now on."""
    running = {clock.turn: clock for clock in match.clocks}
    allowed = 1000 * match.terms.row_seconds
    return tuple(running.get(turn) or MatchClock(turn, at, allowed, at) for turn in turns(match))
