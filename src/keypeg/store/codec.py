"""Entries as bytes and back: JSON, tagged, versioned, strict.

The one place where an opening becomes data. While its game runs it is encrypted, bound to
its table and entry; a reveal writes it in clear, since by then everybody may see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, assert_never

import msgspec

from keypeg.rules import events as rules
from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.store import events as happenings
from keypeg.store.errors import Unreadable

if TYPE_CHECKING:
    from enum import Enum

    from keypeg.store.events import Holder, LogEvent
    from keypeg.store.vault import Vault

VERSION: Final = 1
_E = TypeVar("_E", bound="Enum")


class _Data(
    msgspec.Struct,
    tag_field="is",
    tag=str.lower,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    pass


class Secret(_Data):
    """SecretSet, its opening encrypted."""

    locked: bytes | None = None
    seal: str | None = None
    expired: bool = False


class Guess(_Data):
    """Guessed."""

    code: tuple[int, ...]


class Answer(_Data):
    """Answered."""

    black: int
    white: int
    expired: bool = False


class RowExpired(_Data):
    """RowExpired."""


class Challenge(_Data):
    """Challenged."""

    upheld: bool


class Resign(_Data):
    """Resigned."""

    role: rules.Role


class Abandon(_Data):
    """Abandoned."""

    role: rules.Role


class Reveal(_Data):
    """Revealed, the opening in clear."""

    code: tuple[int, ...]
    nonce: bytes | None = None


class Close(_Data):
    """Closed."""


class Open(_Data):
    """Opened, its settings flat."""

    board: str
    games: int
    key_pegs: KeyPegMode
    scoring: Scoring
    first_maker: Seat
    turn_seconds: int | None = None
    one: str | None = None
    two: str | None = None
    public: bool = False
    hints: bool | None = None


class Sit(_Data):
    """SeatTaken."""

    seat: Seat
    name: str
    token_hash: str | None = None


class Hint(_Data):
    """HintUsed."""

    row: int
    grade: happenings.Grade | None = None


class Offer(_Data):
    """TimeOffered."""

    seconds: int


class Credit(_Data):
    """TimeCredited."""

    milliseconds: int


class Again(_Data):
    """RematchOffered."""

    seat: Seat


class Rematch(_Data):
    """Rematched."""


_Event = (
    Secret
    | Guess
    | Answer
    | RowExpired
    | Challenge
    | Resign
    | Abandon
    | Reveal
    | Close
    | Open
    | Sit
    | Hint
    | Offer
    | Credit
    | Again
    | Rematch
)


class _Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    v: int
    events: tuple[_Event, ...]


class _Clear(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An opening before it is encrypted: as long for one code of a board as for any other."""

    code: bytes
    nonce: bytes | None


_encoder = msgspec.json.Encoder()
_payloads = msgspec.json.Decoder(_Payload)
_clears = msgspec.json.Decoder(_Clear)


def encode(events: tuple[LogEvent, ...], place: bytes, vault: Vault) -> bytes:
    """The payload of an entry; `place` names its table and seq."""
    data = tuple(_data(event, place, vault) for event in events)
    return _encoder.encode(_Payload(VERSION, data))


def one_of(kind: type[_E], value: object) -> _E:
    """The member of an enumeration that a column of the database names."""
    try:
        return kind(value)
    except ValueError:
        name = kind.__name__.lower()
        raise Unreadable(f"{str(value)[:40]!r} in the database is no {name}") from None


def decode(payload: bytes, place: bytes, vault: Vault) -> tuple[LogEvent, ...]:
    """The events that `encode` was given; anything else is refused."""
    try:
        read = _payloads.decode(payload)
        if read.v != VERSION:
            raise Unreadable(f"an entry of version {read.v}; this keypeg reads {VERSION}")
        return tuple(_event(data, place, vault) for data in read.events)
    except msgspec.MsgspecError:
        # The message might quote the payload, so it is not passed on.
        raise Unreadable("an entry of the log is not what this keypeg writes") from None


def _data(event: LogEvent, place: bytes, vault: Vault) -> _Event:
    match event:
        case rules.SecretSet(opening, seal, expired):
            locked = None if opening is None else _lock(opening, place, vault)
            return Secret(locked, seal, expired)
        case rules.Guessed(code):
            return Guess(code)
        case rules.Answered(keys, expired):
            return Answer(keys.black, keys.white, expired)
        case rules.RowExpired():
            return RowExpired()
        case rules.Challenged(upheld):
            return Challenge(upheld)
        case rules.Resigned(role):
            return Resign(role)
        case rules.Abandoned(role):
            return Abandon(role)
        case rules.Revealed(opening):
            return Reveal(opening.code, opening.nonce)
        case rules.Closed():
            return Close()
        case _:
            return _table_data(event)


def _table_data(event: happenings.TableEvent) -> _Event:
    match event:
        case happenings.Opened(settings):
            return _open(settings)
        case happenings.SeatTaken(seat, name, token_hash):
            return Sit(seat, name, token_hash)
        case happenings.HintUsed(row, grade):
            return Hint(row, grade)
        case happenings.TimeOffered(seconds):
            return Offer(seconds)
        case happenings.TimeCredited(milliseconds):
            return Credit(milliseconds)
        case happenings.RematchOffered(seat):
            return Again(seat)
        case happenings.Rematched():
            return Rematch()
        case _:
            assert_never(event)


def _event(data: _Event, place: bytes, vault: Vault) -> LogEvent:
    match data:
        case Secret(locked, seal, expired):
            opening = None if locked is None else _unlock(locked, place, vault)
            return rules.SecretSet(opening, seal, expired)
        case Guess(code):
            return rules.Guessed(code)
        case Answer(black, white, expired):
            return rules.Answered(KeyPegs(black, white), expired)
        case RowExpired():
            return rules.RowExpired()
        case Challenge(upheld):
            return rules.Challenged(upheld)
        case Resign(role):
            return rules.Resigned(role)
        case Abandon(role):
            return rules.Abandoned(role)
        case Reveal(code, nonce):
            return rules.Revealed(Opening(code, nonce))
        case Close():
            return rules.Closed()
        case _:
            return _table_event(data)


def _table_event(
    data: Open | Sit | Hint | Offer | Credit | Again | Rematch,
) -> happenings.TableEvent:
    match data:
        case Open():
            return happenings.Opened(_settings(data))
        case Sit(seat, name, token_hash):
            return happenings.SeatTaken(seat, name, token_hash)
        case Hint(row, grade):
            return happenings.HintUsed(row, grade)
        case Offer(seconds):
            return happenings.TimeOffered(seconds)
        case Credit(milliseconds):
            return happenings.TimeCredited(milliseconds)
        case Again(seat):
            return happenings.RematchOffered(seat)
        case Rematch():
            return happenings.Rematched()
        case _:
            assert_never(data)


def _lock(opening: Opening, place: bytes, vault: Vault) -> bytes:
    return vault.lock(_encoder.encode(_Clear(bytes(opening.code), opening.nonce)), place)


def _unlock(locked: bytes, place: bytes, vault: Vault) -> Opening:
    clear = _clears.decode(vault.unlock(locked, place))
    return Opening(tuple(clear.code), clear.nonce)


def _open(settings: happenings.Settings) -> Open:
    terms = settings.terms
    return Open(
        board=str(terms.board),
        games=terms.games,
        key_pegs=terms.key_pegs,
        scoring=terms.scoring,
        first_maker=settings.first_maker,
        turn_seconds=terms.turn_seconds,
        one=settings.level(Seat.ONE),
        two=settings.level(Seat.TWO),
        public=settings.public,
        hints=settings.hints,
    )


def _settings(data: Open) -> happenings.Settings:
    try:
        board = Board.parse(data.board)
        terms = Terms(board, data.games, data.key_pegs, data.scoring, data.turn_seconds)
        one, two = _holder(data.one), _holder(data.two)
    except KeypegError as error:
        raise Unreadable(f"a table was opened on terms this keypeg refuses: {error}") from None
    return happenings.Settings(terms, one, two, data.first_maker, data.public, data.hints)


def _holder(level: str | None) -> Holder:
    return happenings.Person() if level is None else happenings.Computer(level)
