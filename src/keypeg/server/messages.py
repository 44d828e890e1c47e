"""What travels on the wire: what a client may say, and everything it can be told.

Every message is a JSON object with a `type`. Unknown fields, wrong types, repeated keys and
numbers out of range are refused, never guessed at. Nothing here knows a secret: what a seat
may see is decided before it becomes a message.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from keypeg.rules.board import LIMITS
from keypeg.rules.errors import CannotRead
from keypeg.rules.events import Role
from keypeg.rules.game import Ending, Phase
from keypeg.rules.series import Seat
from keypeg.rules.terms import LONGEST_TURN, MOST_GAMES, KeyPegMode, Scoring
from keypeg.store.events import Grade
from keypeg.store.log import Stage
from keypeg.table.names import LONGEST_NAME
from keypeg.table.options import TableOption

MOST_SEQ: Final = 2**53 - 1

Peg = Annotated[int, Meta(ge=0, le=LIMITS["colours"][1])]
Pegs = Annotated[
    tuple[Peg, ...],
    Meta(
        min_length=1,
        max_length=LIMITS["holes"][1],
        description="A peg for each hole: 1 is the board's first colour, 0 a blank.",
    ),
]
Keys = Annotated[int, Meta(ge=0, le=LIMITS["holes"][1])]
CommandId = Annotated[
    str,
    Meta(
        # Python's $ would let a line break follow.
        pattern=r"^[A-Za-z0-9_-]{1,64}(?!\n)$",
        description="Made by the client, new for every command, the same when it is repeated.",
    ),
]
Retry = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{43}(?!\n)$",
        description="256 random bits of the client's own in base64url, new for every seat, and as "
        "secret as its token. The same request with the same bits gets the same seat again.",
    ),
]
Seq = Annotated[int, Meta(ge=0, le=MOST_SEQ)]
Ticket = Annotated[str, Meta(min_length=1, max_length=64)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
BoardName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="A preset (classic, classic-blanks, advanced, advanced-blanks) or holes x "
        "colours: 4x6, 5x8b with blanks, 4x10n without repeats, 4x6/8 with 8 rows.",
        examples=["classic", "5x8b"],
    ),
]
Options = Annotated[
    tuple[TableOption, ...],
    Meta(description="What the reader's seat may do now, in the order to be shown."),
]
Level = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,19}(?!\n)$", examples=["perfect"])]


class _Said(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"
):
    """Something that a client says."""


class Hello(_Said, frozen=True, kw_only=True, tag="hello"):
    """The first message on a socket: the ticket, and the last seq already seen, if any was."""

    ticket: Ticket
    seq: Seq | UnsetType = UNSET


class Ping(_Said, frozen=True, kw_only=True, tag="ping"):
    """Ask for the server's time."""


class _Command(_Said, frozen=True, kw_only=True):
    """Something to be done at the table. With `seq`, only if the table is still there."""

    id: CommandId
    seq: Seq | UnsetType = UNSET


class SetSecret(_Command, frozen=True, kw_only=True, tag="set-secret"):
    """The maker sets the secret behind the shield."""

    code: Pegs


class Guess(_Command, frozen=True, kw_only=True, tag="guess"):
    """The breaker plays a row."""

    code: Pegs


class Answer(_Command, frozen=True, kw_only=True, tag="answer"):
    """The maker places key pegs beside the row."""

    black: Keys
    white: Keys


class Challenge(_Command, frozen=True, kw_only=True, tag="challenge"):
    """The breaker says that wrong information was given."""


class NextGame(_Command, frozen=True, kw_only=True, tag="next-game"):
    """The finished game is done with: on to the next, or to the result."""


class Resign(_Command, frozen=True, kw_only=True, tag="resign"):
    """Give up the game that is on."""


class Claim(_Command, frozen=True, kw_only=True, tag="claim"):
    """Claim the series from an opponent who has been away too long."""


class OfferTime(_Command, frozen=True, kw_only=True, tag="offer-time"):
    """Give the opponent, who is on turn, more time."""

    seconds: Annotated[int, Meta(ge=1, le=LONGEST_TURN)]


class Rematch(_Command, frozen=True, kw_only=True, tag="rematch"):
    """Offer another series, or take up the offer."""


CommandIn = SetSecret | Guess | Answer | Challenge | NextGame | Resign | Claim | OfferTime | Rematch
ClientIn = CommandIn | Hello | Ping


class NewTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table to be opened."""

    board: BoardName = "classic"
    games: Annotated[int, Meta(ge=2, le=MOST_GAMES, multiple_of=2)] = 2
    key_pegs: KeyPegMode = KeyPegMode.REFEREE
    scoring: Scoring = Scoring.ROWS
    turn_seconds: Annotated[int, Meta(ge=1, le=LONGEST_TURN)] | None = None
    opponent: Level | None = None
    """The level of the computer in the other seat; null leaves it to a person."""
    seat: Seat | None = Seat.ONE
    """The seat to take at once; null takes none."""
    name: Name = "Player"
    first_maker: Seat = Seat.ONE
    public: bool = False
    hints: bool | None = None
    """Whether hints may be asked for; null allows them against the computer only."""
    retry: Retry | None = None


class TakeSeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who sits down."""

    seat: Seat
    name: Name = "Player"
    retry: Retry | None = None


class AskHint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A breaker who wants a hint; that it was given is written to the log, with its grade.

    Only `best`, which null stands for, is given all there is; any other grade the number of codes.
    """

    id: CommandId
    grade: Grade | None = None


class AskTicket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom a socket is for: a seat one holds; null is the one held, or else a spectator."""

    seat: Seat | None = None


class AnsweredRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a real board, with its key pegs."""

    code: Pegs
    black: Keys
    white: Keys


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A board and the rows played on it, to be thought about."""

    board: BoardName = "classic"
    rows: Annotated[tuple[AnsweredRow, ...], Meta(max_length=LIMITS["rows"][1])] = ()


class _Told(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something that a client is told."""


class Opened(_Told, frozen=True, tag="opened"):
    """The table was set."""


class Sat(_Told, frozen=True, tag="sat"):
    """Somebody sat down."""

    seat: Seat
    name: str


class SecretSet(_Told, frozen=True, tag="secret-set"):
    """The secret stands behind the shield; `code` and `nonce` are for its maker's eyes."""

    seal: str | None
    expired: bool
    code: tuple[int, ...] | UnsetType = UNSET
    nonce: str | UnsetType = UNSET


class Guessed(_Told, frozen=True, tag="guessed"):
    """A row was played."""

    code: tuple[int, ...]


class Answered(_Told, frozen=True, tag="answered"):
    """A row was answered."""

    black: int
    white: int
    expired: bool


class RowExpired(_Told, frozen=True, tag="row-expired"):
    """The breaker's time ran out: an empty row."""


class Challenged(_Told, frozen=True, tag="challenged"):
    """The breaker challenged the answers."""

    upheld: bool


class Resigned(_Told, frozen=True, tag="resigned"):
    """A player gave the game up."""

    role: Role


class Abandoned(_Told, frozen=True, tag="abandoned"):
    """A player left for good."""

    role: Role


class Revealed(_Told, frozen=True, tag="revealed"):
    """The shield was opened."""

    code: tuple[int, ...]
    nonce: str | None


class Closed(_Told, frozen=True, tag="closed"):
    """The finished game was closed."""


class HintUsed(_Told, frozen=True, tag="hint-used"):
    """The breaker was given a hint before playing a row; no grade in logs of before there were."""

    row: int
    grade: Grade | None = None


class TimeOffered(_Told, frozen=True, tag="time-offered"):
    """The player on turn was given more time."""

    seconds: int


class TimeCredited(_Told, frozen=True, tag="time-credited"):
    """The server was down; the player on turn got that time back."""

    milliseconds: int


class RematchOffered(_Told, frozen=True, tag="rematch-offered"):
    """A player would play another series."""

    seat: Seat


class Rematched(_Told, frozen=True, tag="rematched"):
    """Another series begins."""


EventOut = (
    Opened
    | Sat
    | SecretSet
    | Guessed
    | Answered
    | RowExpired
    | Challenged
    | Resigned
    | Abandoned
    | Revealed
    | Closed
    | HintUsed
    | TimeOffered
    | TimeCredited
    | RematchOffered
    | Rematched
)


class EntryOut(msgspec.Struct, frozen=True, kw_only=True):
    """All that one command brought about, as its reader may see it."""

    seq: int
    at: int
    """Server time, in milliseconds of UTC."""
    by: Seat | None
    """Whose command it was; null is the table's own clock."""
    events: tuple[EventOut, ...]


class PointsOut(msgspec.Struct, frozen=True):
    """What each seat has."""

    one: int
    two: int


class ResultOut(msgspec.Struct, frozen=True):
    """How a series ended; no winner is a tie."""

    winner: Seat | None
    points: PointsOut


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where the table is: what everybody there may know at a glance."""

    seq: int
    stage: Stage
    number: int
    """Which game of the series is on, counted from 1."""
    maker: Seat
    phase: Phase | None
    turn: Seat | None
    waits_for: Seat | None
    points: PointsOut
    score_line: PointsOut
    totals: PointsOut
    """The points of all series played at this table."""
    challengeable: bool
    result: ResultOut | None
    rematch: Seat | None
    """Who offers another series."""
    due: int | None
    """When the running turn, or the pause after a game, ends, in milliseconds of UTC; or null."""


class RowOut(msgspec.Struct, frozen=True):
    """A row: its pegs, or null where time ran out, and its key pegs once it is answered."""

    code: tuple[int, ...] | None
    black: int | None
    white: int | None


class GameOut(msgspec.Struct, frozen=True, kw_only=True):
    """One game, as much of it as its reader may see."""

    id: str
    maker: Seat
    rows: tuple[RowOut, ...]
    seal: str | None
    secret: tuple[int, ...] | None
    """Null until the shield is opened, except to its maker."""
    nonce: str | None
    revealed: bool
    ending: Ending | None
    void: bool


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A seat: who has it, if anybody has."""

    taken: bool
    name: str | None
    level: str | None
    """At which level the computer plays here; null for people."""


class BoardOut(msgspec.Struct, frozen=True, kw_only=True):
    """A board in numbers."""

    name: str
    holes: int
    colours: int
    rows: int
    blanks: bool
    repeats: bool


class TableOut(msgspec.Struct, frozen=True, kw_only=True):
    """A whole table as its reader may see it."""

    id: str
    seat: Seat | None
    """Whose view this is; null is a spectator's."""
    now: int
    board: BoardOut
    games_agreed: int
    key_pegs: KeyPegMode
    scoring: Scoring
    turn_seconds: int | None
    public: bool
    hints_allowed: bool
    hints_used: int
    one: Place
    two: Place
    status: Status
    options: Options
    games: tuple[GameOut, ...]


class Presence(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a player's socket is open, and if not, since when."""

    here: bool
    away_since: int | None
    claimable_at: int | None
    """When the opponent may claim the series, in milliseconds of UTC."""


class Welcome(_Told, frozen=True, tag="welcome"):
    """The socket is open. With no seq in the hello, `table` holds everything so far."""

    seat: Seat | None
    seq: int
    now: int
    status: Status
    options: Options
    table: TableOut | None = None


class Missed(_Told, frozen=True, tag="missed"):
    """Entries that followed the seq in the hello, in order, and where the table is now.

    More may follow, until the last entry is the one that the status is of.
    """

    entries: tuple[EntryOut, ...]
    status: Status
    options: Options


class Update(_Told, frozen=True, tag="update"):
    """Something happened; where the table was after it, and what the reader might do then."""

    now: int
    entry: EntryOut
    status: Status
    options: Options


class Snapshot(_Told, frozen=True, tag="snapshot"):
    """Everything so far, for a spectator who could not keep up."""

    table: TableOut


class Present(_Told, frozen=True, tag="presence"):
    """Who is here."""

    now: int
    one: Presence
    two: Presence


class Ack(_Told, frozen=True, tag="ack"):
    """A command is done, and on disk, as entry `seq`. A repeated one gets the same answer."""

    id: str
    seq: int


class Refused(_Told, frozen=True, tag="refused"):
    """A command was not done. A stale or reused one gets the table as it is now."""

    id: str
    code: str
    message: str
    table: TableOut | None = None


class Time(_Told, frozen=True, tag="time"):
    """The server's time, in milliseconds of UTC."""

    now: int


class Error(_Told, frozen=True, tag="error"):
    """A message that could not be read, or not now."""

    code: str
    message: str


ClientOut = Welcome | Missed | Update | Snapshot | Present | Ack | Refused | Time | Error


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """A seat taken. Its token is told this once: here to programs, to pages as a cookie."""

    table: str
    seat: Seat | None
    token: str | None


class TicketOut(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket for one socket."""

    ticket: str
    seconds: int


class ListedTable(msgspec.Struct, frozen=True, kw_only=True):
    """A public table."""

    id: str
    stage: Stage
    changed: int


class RepairOut(msgspec.Struct, frozen=True):
    """Were the row answered so, this many codes would fit."""

    row: int
    black: int
    white: int
    codes_left: int


class HintOut(msgspec.Struct, frozen=True, kw_only=True):
    """How many codes fit, a guess worth playing and why; or which rows contradict each other."""

    grade: Grade
    """What the log says was given: below `best`, nothing but the number of codes is told."""
    codes_left: int
    exact: bool
    guess: tuple[int, ...] | None = None
    why: str = ""
    possible: bool = False
    """Whether the guess may be the code."""
    contradicts: tuple[int, ...] = ()
    """The rows, from 1, that the guess does not fit."""
    groups: int = 0
    largest: int = 0
    expected_guesses: float | None = None
    certainty: str | None = None
    """How sure that number is: proven, upper bound or estimate."""
    contradiction: tuple[int, ...] = ()
    """Where no code fits: the fewest rows that contradict each other."""
    repairs: tuple[RepairOut, ...] = ()


class ReviewedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one row was worth: codes before and after, and loss and luck in guesses."""

    row: int
    before: int
    after: int
    exact: bool
    bits: float | None
    possible: bool
    contradicts: tuple[int, ...]
    loss: float
    luck: float | None
    best: tuple[int, ...]
    certainty: str


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """What each row was worth, and what the game comes to."""

    rows: tuple[ReviewedRow, ...]
    loss: float
    luck: float
    start: float
    """What a game on this board takes with the best play known."""
    certainty: str
    start_certainty: str
    complete: bool
    """False where there was no time for the last rows; then loss and luck are of those told."""


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """What a new table may be set to."""

    boards: tuple[BoardOut, ...]
    levels: tuple[str, ...]


class Health(msgspec.Struct, frozen=True):
    """Whether the server is well."""

    status: str
    version: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why something was not done: a word for programs, a sentence for people."""

    code: str
    message: str
    table: TableOut | UnsetType = UNSET
    """The table as it is now, if the command did not fit it any more."""


def check_json(data: bytes | str) -> None:
    """Refuse what readers of JSON disagree about: repeated keys, NaN, lone surrogates.

    msgspec takes the last of two equal keys without a word, and so another reader of the same
    message may see another message.
    """
    try:
        msgspec.json.decode(data)
        json.loads(data, object_pairs_hook=_unique)
    except CannotRead:
        raise
    except (ValueError, RecursionError):
        raise CannotRead("this is not well-formed JSON") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise CannotRead("a key is given twice")
    return found


Read = TypeVar("Read")


@lru_cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def read_body(body: bytes, kind: type[Read]) -> Read:
    """What a request says; that it is well-formed was checked at the door."""
    decoder: msgspec.json.Decoder[Read] = _decoder(cast("Any", kind))
    try:
        return decoder.decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise CannotRead(_plain(str(error))) from None


_client_in = msgspec.json.Decoder(ClientIn)


def read_message(text: str) -> ClientIn:
    """What a client said on its socket."""
    try:
        message: ClientIn = _client_in.decode(text)
    except msgspec.ValidationError as error:
        raise CannotRead(_plain(str(error))) from None
    except (ValueError, RecursionError):
        raise CannotRead("this is not well-formed JSON") from None
    check_json(text)
    return message


def _plain(reason: str) -> str:
    """A reason that may quote the sender's own words back, on one line and short."""
    return "".join(c if c.isprintable() else "?" for c in reason)[:200]
