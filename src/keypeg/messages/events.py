"""Events as they are sent, and the way back.

Most are sent field by field, as they are stored (`store.forms`). Four kinds are written by hand:
two contain a secret, which was redacted before, one omits the hash of a token, and the opening of a
table omits the settings, which are part of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET, UnsetType

from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import CannotRead
from keypeg.rules.events import Revealed, SecretSet
from keypeg.rules.series import Seat
from keypeg.store.events import LogEvent, Opened, SeatTaken
from keypeg.store.forms import KINDS, FieldForms

if TYPE_CHECKING:
    from keypeg.store.events import Settings


class EventOut(msgspec.Struct, frozen=True, tag_field="type"):
    """An event, as it is sent."""


class OpenedOut(EventOut, frozen=True, tag=Opened.kind):
    """The table was set."""


class SeatTakenOut(EventOut, frozen=True, tag=SeatTaken.kind):
    """Somebody sat down."""

    seat: Seat
    name: str


class SecretSetOut(EventOut, frozen=True, tag=SecretSet.kind):
    """The secret stands behind the shield; `code` and `nonce` are for its maker's eyes."""

    seal: str | None
    expired: bool
    code: Code | UnsetType = UNSET
    nonce: str | UnsetType = UNSET


class RevealedOut(EventOut, frozen=True, tag=Revealed.kind):
    """The shield was opened."""

    code: Code
    nonce: str | None


_OTHERWISE: Final[dict[type[LogEvent], type[EventOut]]] = {
    Opened: OpenedOut,
    SeatTaken: SeatTakenOut,
    SecretSet: SecretSetOut,
    Revealed: RevealedOut,
}
"""Kinds that are not sent field by field."""
_tags = {kind: kind.kind for kind in KINDS if kind not in _OTHERWISE}
_forms = FieldForms(EventOut, _tags, "Out")
if TYPE_CHECKING:
    AnyEventOut = EventOut
else:
    AnyEventOut = _forms.union(*_OTHERWISE.values())


class EntryOut(msgspec.Struct, frozen=True, kw_only=True):
    """All that one command brought about, as its reader may see it."""

    seq: int
    at: int
    """Server time, in milliseconds of UTC."""
    by: Seat | None
    """Whose command it was; null is the table's own clock."""
    events: tuple[AnyEventOut, ...]


def sent_as(kind: type[LogEvent]) -> type[EventOut]:
    """The class of what is sent for events of this kind."""
    return _OTHERWISE.get(kind) or _forms.struct(kind)


def event_out(event: LogEvent) -> EventOut:
    """What is sent for an event to somebody who may see it like this."""
    match event:
        case SecretSet(None, seal, expired):
            return SecretSetOut(seal, expired)
        case SecretSet(Opening(code=code) as opening, seal, expired):
            return SecretSetOut(seal, expired, code, nonce_out(opening) or "")
        case Revealed(opening):
            return RevealedOut(opening.code, nonce_out(opening))
        case SeatTaken(seat, name):
            return SeatTakenOut(seat, name)
        case Opened():
            return OpenedOut()
        case _:
            return _forms.write(event)


def event_in(sent: EventOut, settings: Settings | None = None) -> LogEvent:
    """The event of what was sent; for the opening of a table, its settings must be given."""
    match sent:
        case SecretSetOut(seal, expired, tuple() as code, str() as nonce):
            return SecretSet(_opening(code, nonce), seal, expired)
        case SecretSetOut(seal, expired):
            return SecretSet(None, seal, expired)
        case RevealedOut(code, nonce):
            return Revealed(_opening(code, nonce))
        case SeatTakenOut(seat, name):
            return SeatTaken(seat, name)
        case OpenedOut():
            if settings is None:
                raise CannotRead("this event does not contain the settings; they must be given")
            return Opened(settings)
        case _:
            return _forms.read(sent)


def nonce_out(opening: Opening) -> str | None:
    """The nonce of a seal in hexadecimal."""
    return None if opening.nonce is None else opening.nonce.hex()


def _opening(code: Code, nonce: str | None) -> Opening:
    return Opening(code, bytes.fromhex(nonce) if nonce else None)
