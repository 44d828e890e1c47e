"""Messages of races and duels: opening and joining matches, playing them, and what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, assert_never

import msgspec
from msgspec import Meta

from keypeg.matches import commands as asked
from keypeg.messages.events import nonce_out
from keypeg.messages.fields import BoardName, CommandId, Keys, Level, Name, Pegs
from keypeg.messages.tables import BoardOut, board_out
from keypeg.rules.board import LIMITS, Board
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.state import MatchStage
from keypeg.rules.match.terms import (
    LEAST_PLAYERS,
    MOST_PLAYERS,
    ROW_SECONDS,
    Goal,
    MatchKind,
    MatchTerms,
    Pace,
)
from keypeg.rules.terms import LONGEST_TURN, KeyPegMode

if TYPE_CHECKING:
    from keypeg.matches.seen import Seen
    from keypeg.rules.match.view import CodeView, PlayerView, RowView

Row = Annotated[int, Meta(ge=1, le=LIMITS["rows"][1])]


class NewMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A race or a duel to be opened. The same id with the same contents opens it once."""

    id: CommandId
    kind: MatchKind
    board: BoardName = "classic"
    name: Name | None = None
    """What you want to be called. You are player 1."""
    pace: Pace = Pace.OWN
    """Whether rows are answered at once, or together once everybody has filled them."""
    goal: Goal = Goal.ROWS
    """What decides a race: rows, or, at one's own pace, time."""
    keys_shown: bool = True
    """Whether the key pegs of others are shown before the end."""
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    """`by-hand`, in a duel at one's own pace: the players place each other's key pegs."""
    row_seconds: Annotated[int, Meta(ge=1, le=LONGEST_TURN)] = ROW_SECONDS
    """The time for each row; also for setting a code, for an answer, and for closing."""
    places: Annotated[int, Meta(ge=LEAST_PLAYERS, le=MOST_PLAYERS)] = LEAST_PLAYERS
    """How many may play, with you and the computer; 2 in a duel."""
    computers: Annotated[tuple[Level, ...], Meta(max_length=MOST_PLAYERS - 1)] = ()
    """The levels of the players that are the computer."""


class JoinMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who joins a match, or wants to be called something else before it begins."""

    name: Name | None = None


class AskMatchTicket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whoever wants to open a socket: the player whose token it is, or a spectator."""


class _MatchCommand(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"
):
    """Something that a player asks of a match. The same id is carried out once."""

    id: CommandId


class StartMatch(_MatchCommand, frozen=True, kw_only=True, tag="start"):
    """Begin a race with those who have joined; player 1 does."""


class LeaveMatch(_MatchCommand, frozen=True, kw_only=True, tag="leave"):
    """Leave before it begins; player 1 cancels the match by that."""


class MatchSecret(_MatchCommand, frozen=True, kw_only=True, tag="secret"):
    """Set the code that the other player of a duel breaks."""

    code: Pegs


class MatchGuess(_MatchCommand, frozen=True, kw_only=True, tag="guess"):
    """Fill a row, which must be your next one."""

    row: Row
    code: Pegs


class MatchAnswerByHand(_MatchCommand, frozen=True, kw_only=True, tag="answer"):
    """Place key pegs beside a row of the other player of a duel."""

    row: Row
    black: Keys
    white: Keys


class MatchChallenge(_MatchCommand, frozen=True, kw_only=True, tag="challenge"):
    """Say that an answer placed by hand was wrong."""


class CloseMatch(_MatchCommand, frozen=True, kw_only=True, tag="close"):
    """Accept the answers placed by hand, once your game is over."""


class GiveUpMatch(_MatchCommand, frozen=True, kw_only=True, tag="give-up"):
    """Play no more rows. The others go on."""


class AnotherMatch(_MatchCommand, frozen=True, kw_only=True, tag="another"):
    """Open another match under the same terms, once this one is over."""


MatchCommand = (
    StartMatch
    | LeaveMatch
    | MatchSecret
    | MatchGuess
    | MatchAnswerByHand
    | MatchChallenge
    | CloseMatch
    | GiveUpMatch
    | AnotherMatch
)


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row: its pegs and key pegs, null where they are hidden or not there yet."""

    code: tuple[int, ...] | None
    black: int | None
    white: int | None
    expired: bool
    """Whether the row stayed empty because time ran out."""


class MatchToAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A row that waits for your key pegs, and until when."""

    row: int
    code: tuple[int, ...]
    due: int | None


class MatchPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A player of a match as you see them; times are in milliseconds since the epoch."""

    number: int
    name: str | None
    level: str | None
    """The level of the computer; null for a person."""
    you: bool
    here: bool
    """Whether a socket of theirs is open; true for the computer, and at one of several servers."""
    done: bool
    filled: bool
    """Whether they have filled the row that all fill together."""
    gave_up: bool
    due: int | None
    """When their time for the row, for setting the code or for closing ends."""
    game: str | None
    """The id sealed with the code that this player breaks, in a duel."""
    seal: str | None
    rows: tuple[MatchRow, ...] | None
    """Null where others' key pegs are hidden until the end."""
    ending: str | None
    """`broken`, `unbroken`, `gave-up`, or `wrong-information` for whoever lost by that."""
    place: int | None
    """Places, rows and times are there once the match is over; equal players share a place."""
    needed: int | None
    milliseconds: int | None
    """From the start to the guess that broke the code, in a race at one's own pace."""
    to_answer: MatchToAnswer | None


class MatchCode(msgspec.Struct, frozen=True, kw_only=True):
    """A code that was revealed, and the player who had to break it; null is everybody."""

    player: int | None
    code: tuple[int, ...]
    nonce: str


class MatchChallenged(msgspec.Struct, frozen=True, kw_only=True):
    """A challenge, and whether an answer was wrong."""

    player: int
    upheld: bool


class MatchOut(msgspec.Struct, frozen=True, kw_only=True):
    """A match as you see it; times are in milliseconds since the epoch."""

    id: str
    seq: int
    """How often what you see has changed. Of two answers, the greater is the newer."""
    now: int
    created: int
    kind: MatchKind
    board: BoardOut
    pace: Pace
    goal: Goal
    keys_shown: bool
    key_pegs: KeyPegMode
    row_seconds: int
    places: int
    stage: MatchStage
    begun: int | None
    row: int | None
    """The row that everybody fills now, if they play together."""
    you: int | None
    """Your number; null for a spectator."""
    options: tuple[MatchOption, ...]
    """What you may do now, in the order to be shown."""
    game: str | None
    """The id sealed with the code of a race; null in a duel."""
    seal: str | None
    players: tuple[MatchPlayer, ...]
    secret: tuple[int, ...] | None
    """The code that you set in a duel."""
    codes: tuple[MatchCode, ...] | None
    """All codes, once the match is over."""
    challenges: tuple[MatchChallenged, ...]
    next: str | None
    """The id of the match that follows, once somebody has asked for another."""


class MatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A command is done, and on disk. A repeated one gets the same seq."""

    seq: int
    match: MatchOut


def match_out(seen: Seen) -> MatchOut:
    """A match as it is sent. Hides nothing: `rules.match.view` has decided what is seen."""
    view, terms = seen.view, seen.view.terms
    return MatchOut(
        id=view.id,
        seq=seen.seq,
        now=seen.now,
        created=seen.created,
        kind=terms.kind,
        board=board_out(terms.board),
        pace=terms.pace,
        goal=terms.goal,
        keys_shown=terms.keys_shown,
        key_pegs=terms.key_pegs,
        row_seconds=terms.row_seconds,
        places=terms.places,
        stage=view.stage,
        begun=view.begun,
        row=view.row,
        you=view.you,
        options=tuple(option for option in MatchOption if option in view.options),
        game=view.game,
        seal=view.seal,
        players=tuple(_player(seen, player) for player in view.players),
        secret=view.secret,
        codes=None if view.codes is None else tuple(map(_code, view.codes)),
        challenges=tuple(
            MatchChallenged(player=one.player, upheld=one.upheld) for one in view.objections
        ),
        next=view.next,
    )


def _player(seen: Seen, player: PlayerView) -> MatchPlayer:
    person, place, answer = seen.people[player.number], player.place, player.to_answer
    return MatchPlayer(
        number=player.number,
        name=person.name,
        level=person.level,
        you=player.number == seen.view.you,
        here=person.level is not None or player.number in seen.here,
        done=player.done,
        filled=player.filled,
        gave_up=player.gave_up,
        due=player.due,
        game=player.game,
        seal=player.seal,
        rows=None if player.rows is None else tuple(map(_row, player.rows)),
        ending=player.ending,
        place=None if place is None else place.place,
        needed=None if place is None else place.needed,
        milliseconds=None if place is None else place.milliseconds,
        to_answer=None
        if answer is None
        else MatchToAnswer(row=answer.row, code=answer.code, due=answer.due),
    )


def _row(row: RowView) -> MatchRow:
    black, white = (None, None) if row.keys is None else row.keys
    return MatchRow(code=row.code, black=black, white=white, expired=row.expired)


def _code(code: CodeView) -> MatchCode:
    opening = code.opening
    return MatchCode(player=code.player or None, code=opening.code, nonce=nonce_out(opening) or "")


def match_terms(wanted: NewMatch) -> MatchTerms:
    """What a new match is played under; raises if it cannot be."""
    return MatchTerms(
        wanted.kind,
        Board.parse(wanted.board),
        wanted.pace,
        wanted.goal,
        wanted.keys_shown,
        wanted.key_pegs,
        wanted.row_seconds,
        wanted.places,
    )


def match_command_in(message: MatchCommand) -> asked.Command:
    """What a message asks of the match."""
    match message:
        case StartMatch():
            return asked.Start()
        case LeaveMatch():
            return asked.Leave()
        case MatchSecret():
            return asked.SetSecret(message.code)
        case MatchGuess():
            return asked.Guess(message.row, message.code)
        case MatchAnswerByHand():
            return asked.Answer(message.row, KeyPegs(message.black, message.white))
        case MatchChallenge():
            return asked.Challenge()
        case CloseMatch():
            return asked.Accept()
        case GiveUpMatch():
            return asked.GiveUp()
        case AnotherMatch():
            return asked.Another(message.id)
        case _:
            assert_never(message)
