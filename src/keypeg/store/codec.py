"""Entries as bytes and back: JSON, tagged, versioned, strict.

The one place where an opening becomes stored. While its game runs it is encrypted, bound to
its table and entry; a reveal writes it in clear, since by then everybody may see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Guessed,
    Resigned,
    Revealed,
    RowExpired,
    SecretSet,
)
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.store.errors import Unreadable
from keypeg.store.events import (
    Computer,
    HintUsed,
    LogEvent,
    Opened,
    Person,
    Rematched,
    RematchOffered,
    SeatTaken,
    Settings,
    TimeCredited,
    TimeOffered,
)
from keypeg.store.forms import KINDS, FieldForms

if TYPE_CHECKING:
    from enum import Enum

    from keypeg.store.events import Holder
    from keypeg.store.vault import Vault

VERSION: Final = 1
_E = TypeVar("_E", bound="Enum")


class _Stored(
    msgspec.Struct, tag_field="is", forbid_unknown_fields=True, omit_defaults=True, frozen=True
):
    """An event as it is stored."""


class _SecretStored(_Stored, frozen=True, tag="secret"):
    locked: bytes | None = None
    """The opening, encrypted."""
    seal: str | None = None
    expired: bool = False


class _RevealedStored(_Stored, frozen=True, tag="reveal"):
    code: Code
    nonce: bytes | None = None


class _OpenedStored(_Stored, frozen=True, tag="open"):
    board: str
    games: int
    key_pegs: KeyPegMode
    scoring: Scoring
    first_maker: Seat
    turn_seconds: int | None = None
    one: str | None = None
    """The level of the computer in this seat; nothing where a person sits."""
    two: str | None = None
    public: bool = False
    hints: bool | None = None


_OTHERWISE: Final = {SecretSet: _SecretStored, Revealed: _RevealedStored, Opened: _OpenedStored}
"""Kinds that are not stored field by field."""
_OLD_TAGS: Final[dict[type[LogEvent], str]] = {
    Guessed: "guess",
    Answered: "answer",
    RowExpired: "rowexpired",
    Challenged: "challenge",
    Resigned: "resign",
    Abandoned: "abandon",
    Closed: "close",
    SeatTaken: "sit",
    HintUsed: "hint",
    TimeOffered: "offer",
    TimeCredited: "credit",
    RematchOffered: "again",
    Rematched: "rematch",
}
"""What the first kinds are called in the database; every later one is called by its `kind`."""
_tags = {kind: _OLD_TAGS.get(kind, kind.kind) for kind in KINDS if kind not in _OTHERWISE}
_forms = FieldForms(_Stored, _tags, "Stored")
if TYPE_CHECKING:
    _AnyStored = _Stored
else:
    _AnyStored = _forms.union(*_OTHERWISE.values())


class _Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    v: int
    events: tuple[_AnyStored, ...]


class _Clear(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An opening before it is encrypted: as long for one code of a board as for any other."""

    code: bytes
    nonce: bytes | None


_encoder = msgspec.json.Encoder()
_payloads = msgspec.json.Decoder(_Payload)
_clears = msgspec.json.Decoder(_Clear)


def encode(events: tuple[LogEvent, ...], place: bytes, vault: Vault) -> bytes:
    """The payload of an entry; `place` names its table and seq."""
    stored = tuple(_stored(event, place, vault) for event in events)
    return _encoder.encode(_Payload(VERSION, stored))


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
        return tuple(_event(stored, place, vault) for stored in read.events)
    except (msgspec.MsgspecError, CannotRead):
        # The message might quote the payload, so it is not passed on.
        raise Unreadable("an entry of the log is not what this keypeg writes") from None


def _stored(event: LogEvent, place: bytes, vault: Vault) -> _Stored:
    match event:
        case SecretSet(opening, seal, expired):
            locked = None if opening is None else _lock(opening, place, vault)
            return _SecretStored(locked, seal, expired)
        case Revealed(opening):
            return _RevealedStored(opening.code, opening.nonce)
        case Opened(settings):
            return _opened(settings)
        case _:
            return _forms.write(event)


def _event(stored: _Stored, place: bytes, vault: Vault) -> LogEvent:
    match stored:
        case _SecretStored(locked, seal, expired):
            opening = None if locked is None else _unlock(locked, place, vault)
            return SecretSet(opening, seal, expired)
        case _RevealedStored(code, nonce):
            return Revealed(Opening(code, nonce))
        case _OpenedStored():
            return Opened(_settings(stored))
        case _:
            return _forms.read(stored)


def _lock(opening: Opening, place: bytes, vault: Vault) -> bytes:
    return vault.lock(_encoder.encode(_Clear(bytes(opening.code), opening.nonce)), place)


def _unlock(locked: bytes, place: bytes, vault: Vault) -> Opening:
    clear = _clears.decode(vault.unlock(locked, place))
    return Opening(tuple(clear.code), clear.nonce)


def _opened(settings: Settings) -> _OpenedStored:
    terms = settings.terms
    return _OpenedStored(
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


def _settings(stored: _OpenedStored) -> Settings:
    try:
        board = Board.parse(stored.board)
        terms = Terms(board, stored.games, stored.key_pegs, stored.scoring, stored.turn_seconds)
        one, two = _holder(stored.one), _holder(stored.two)
    except KeypegError as error:
        raise Unreadable(f"a table was opened on terms this keypeg refuses: {error}") from None
    return Settings(terms, one, two, stored.first_maker, stored.public, stored.hints)


def _holder(level: str | None) -> Holder:
    return Person() if level is None else Computer(level)
