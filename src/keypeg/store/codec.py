"""The stored form of entries: JSON with a version, in which each event has a tag.

This is the only module that stores secrets. A secret is encrypted, and bound to its table and
entry. The event that reveals it stores it unencrypted, since everybody may see it then.
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


class Stored(
    msgspec.Struct, tag_field="is", forbid_unknown_fields=True, omit_defaults=True, frozen=True
):
    """An event as it is stored."""


class _SecretStored(Stored, frozen=True, tag="secret"):
    locked: bytes | None = None
    """The opening, encrypted."""
    seal: str | None = None
    expired: bool = False


class _RevealedStored(Stored, frozen=True, tag="reveal"):
    code: Code
    nonce: bytes | None = None


class _OpenedStored(Stored, frozen=True, tag="open"):
    board: str
    games: int
    key_pegs: KeyPegMode
    scoring: Scoring
    first_maker: Seat
    turn_seconds: int | None = None
    one: str | None = None
    """The level of the computer in this seat, or None for a person."""
    two: str | None = None
    public: bool = False
    hints: bool | None = None


_SPECIAL: Final = {SecretSet: _SecretStored, Revealed: _RevealedStored, Opened: _OpenedStored}
"""The kinds of events that are not stored field by field."""
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
"""The tags of the first kinds of events. The tag of every later kind is its `kind`."""
_tags = {kind: _OLD_TAGS.get(kind, kind.kind) for kind in KINDS if kind not in _SPECIAL}
_forms: FieldForms[Stored, LogEvent] = FieldForms(Stored, _tags, "Stored")
if TYPE_CHECKING:
    AnyStored = Stored
else:
    AnyStored = _forms.union(*_SPECIAL.values())


class _Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    v: int
    events: tuple[AnyStored, ...]


class _Clear(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A secret before encryption. Its length is the same for all codes of a board."""

    code: bytes
    nonce: bytes | None


_encoder = msgspec.json.Encoder()
_payloads = msgspec.json.Decoder(_Payload)
_clears = msgspec.json.Decoder(_Clear)


def encode(events: tuple[LogEvent, ...], context: bytes, vault: Vault) -> bytes:
    """The payload of an entry. Its secrets are bound to `context`, its table and seq."""
    stored = tuple(stored_form(event, context, vault) for event in events)
    return _encoder.encode(_Payload(VERSION, stored))


def one_of(kind: type[_E], value: object) -> _E:
    """The member of an enumeration with this value, which was read from the database."""
    try:
        return kind(value)
    except ValueError:
        name = kind.__name__.lower()
        raise Unreadable(f"{str(value)[:40]!r} in the database is not a valid {name}") from None


def decode(payload: bytes, context: bytes, vault: Vault) -> tuple[LogEvent, ...]:
    """The events of a payload that `encode` made. Raises Unreadable for anything else."""
    try:
        read = _payloads.decode(payload)
        if read.v != VERSION:
            raise Unreadable(f"an entry has version {read.v}; this keypeg reads version {VERSION}")
        return tuple(event_of(stored, context, vault) for stored in read.events)
    except (msgspec.MsgspecError, CannotRead):
        # The original message might quote the payload, and so a secret.
        raise Unreadable("an entry of the log is damaged or in an unknown format") from None


def stored_form(event: LogEvent, context: bytes, vault: Vault) -> Stored:
    """The stored form of an event."""
    match event:
        case SecretSet(opening, seal, expired):
            locked = None if opening is None else lock_opening(opening, context, vault)
            return _SecretStored(locked, seal, expired)
        case Revealed(opening):
            return _RevealedStored(opening.code, opening.nonce)
        case Opened(settings):
            return _opened(settings)
        case _:
            return _forms.write(event)


def event_of(stored: Stored, context: bytes, vault: Vault) -> LogEvent:
    """The event of a stored form."""
    match stored:
        case _SecretStored(locked, seal, expired):
            opening = None if locked is None else unlock_opening(locked, context, vault)
            return SecretSet(opening, seal, expired)
        case _RevealedStored(code, nonce):
            return Revealed(Opening(code, nonce))
        case _OpenedStored():
            return Opened(_settings(stored))
        case _:
            return _forms.read(stored)


def lock_opening(opening: Opening, context: bytes, vault: Vault) -> bytes:
    """A secret with its nonce, encrypted for this context."""
    return vault.lock(_encoder.encode(_Clear(bytes(opening.code), opening.nonce)), context)


def unlock_opening(locked: bytes, context: bytes, vault: Vault) -> Opening:
    """The secret that was encrypted for this context."""
    clear = _clears.decode(vault.unlock(locked, context))
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
        raise Unreadable(f"a table in the log has settings that are not valid: {error}") from None
    return Settings(terms, one, two, stored.first_maker, stored.public, stored.hints)


def _holder(level: str | None) -> Holder:
    return Person() if level is None else Computer(level)
