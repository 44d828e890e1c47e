"""The stored form of a match's entries. Secrets are encrypted, and bound to match and entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import msgspec

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.rules.match.events import (
    AnswersAccepted,
    Begun,
    ClockCredited,
    Followed,
    InGame,
    Joined,
    Left,
    Stopped,
)
from keypeg.rules.match.terms import Goal, MatchKind, MatchTerms, Pace
from keypeg.rules.terms import KeyPegMode
from keypeg.store.codec import AnyStored, event_of, stored_form
from keypeg.store.errors import Unreadable
from keypeg.store.forms import FieldForms
from keypeg.store.match_events import LoggedMatchEvent, MatchOpened, Renamed, Seated

if TYPE_CHECKING:
    from keypeg.rules.events import GameEvent
    from keypeg.store.vault import Vault

VERSION: Final = 1


class StoredMatchEvent(
    msgspec.Struct, tag_field="is", forbid_unknown_fields=True, omit_defaults=True, frozen=True
):
    """An event as it is stored."""


class _InGameStored(StoredMatchEvent, frozen=True, tag=InGame.kind):
    player: int
    event: AnyStored
    received: int | None = None


class _OpenedStored(StoredMatchEvent, frozen=True, tag=MatchOpened.kind):
    match: MatchKind
    board: str
    pace: Pace
    goal: Goal
    keys_shown: bool
    key_pegs: KeyPegMode
    row_seconds: int
    places: int


_BY_FIELD: Final = (
    Seated,
    Renamed,
    Joined,
    Left,
    Begun,
    Stopped,
    AnswersAccepted,
    ClockCredited,
    Followed,
)
_forms: FieldForms[StoredMatchEvent, LoggedMatchEvent] = FieldForms(
    StoredMatchEvent, {kind: kind.kind for kind in _BY_FIELD}, "Stored"
)
if TYPE_CHECKING:
    _AnyStored = StoredMatchEvent
else:
    _AnyStored = _forms.union(_InGameStored, _OpenedStored)


class _Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    v: int
    events: tuple[_AnyStored, ...]


_encoder = msgspec.json.Encoder()
_payloads = msgspec.json.Decoder(_Payload)


def encode(events: tuple[LoggedMatchEvent, ...], context: str, vault: Vault) -> bytes:
    """The payload of an entry; `context` is its match and seq."""
    stored = tuple(
        _stored(event, f"{context}/{number}".encode(), vault) for number, event in enumerate(events)
    )
    return _encoder.encode(_Payload(VERSION, stored))


def decode(payload: bytes, context: str, vault: Vault) -> tuple[LoggedMatchEvent, ...]:
    """The events of a payload that `encode` made. Raises Unreadable for anything else."""
    try:
        read = _payloads.decode(payload)
        if read.v != VERSION:
            raise Unreadable(f"an entry has version {read.v}; this keypeg reads version {VERSION}")
        return tuple(
            _event(stored, f"{context}/{number}".encode(), vault)
            for number, stored in enumerate(read.events)
        )
    except (msgspec.MsgspecError, CannotRead):
        # The original message might quote the payload, and so a secret.
        raise Unreadable("an entry of a match is damaged or in an unknown format") from None


def _stored(event: LoggedMatchEvent, context: bytes, vault: Vault) -> StoredMatchEvent:
    match event:
        case InGame(player, inner, received):
            return _InGameStored(player, stored_form(inner, context, vault), received)
        case MatchOpened(terms):
            return _OpenedStored(
                terms.kind,
                str(terms.board),
                terms.pace,
                terms.goal,
                terms.keys_shown,
                terms.key_pegs,
                terms.row_seconds,
                terms.places,
            )
        case _:
            return _forms.write(event)


def _event(stored: StoredMatchEvent, context: bytes, vault: Vault) -> LoggedMatchEvent:
    match stored:
        case _InGameStored(player, inner, received):
            return InGame(player, cast("GameEvent", event_of(inner, context, vault)), received)
        case _OpenedStored():
            return MatchOpened(_terms(stored))
        case _:
            return _forms.read(stored)


def _terms(stored: _OpenedStored) -> MatchTerms:
    try:
        return MatchTerms(
            stored.match,
            Board.parse(stored.board),
            stored.pace,
            stored.goal,
            stored.keys_shown,
            stored.key_pegs,
            stored.row_seconds,
            stored.places,
        )
    except KeypegError as error:
        raise Unreadable(f"a match in the database has terms that are not valid: {error}") from None
