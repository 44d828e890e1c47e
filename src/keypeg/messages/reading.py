"""Reading what clients send: strict, and each message parsed once.

msgspec refuses unknown fields, wrong types and numbers out of range, but takes the last of two
equal keys without a word, so that another reader of the same message may see another message.
Every key needs a colon: where a message has as many colons as keys were found, none was repeated.
Only where it has more, as with a colon in a name, is it parsed again to compare all keys.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET

from keypeg.messages.commands import ClientIn
from keypeg.rules.errors import CannotRead

Read = TypeVar("Read")


def check_json(data: bytes) -> None:
    """Refuse what readers of JSON disagree about: repeated keys, NaN, lone surrogates."""
    try:
        keys = _keys(msgspec.json.decode(data))
    except (ValueError, RecursionError):
        raise CannotRead("this is not well-formed JSON") from None
    if data.count(b":") != keys:
        _compare_keys(data)


def read_body(body: bytes, kind: type[Read]) -> Read:
    """What a request says; `guard` has already checked that it is well-formed."""
    decoder: msgspec.json.Decoder[Read] = _decoder(cast("Any", kind))
    try:
        return decoder.decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise CannotRead(_plain(str(error))) from None


def read_message(text: str) -> ClientIn:
    """What a client said on its socket."""
    try:
        message: ClientIn = _client_in.decode(text)
    except msgspec.ValidationError as error:
        raise CannotRead(_plain(str(error))) from None
    except (ValueError, RecursionError):
        raise CannotRead("this is not well-formed JSON") from None
    given = [value for value in msgspec.structs.astuple(message) if value is not UNSET]
    if text.count(":") != len(given) + 1:  # the type is a key too
        _compare_keys(text)
    return message


_client_in = msgspec.json.Decoder(ClientIn)


@lru_cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _keys(found: object) -> int:
    """How many keys the objects in here have together."""
    if isinstance(found, dict):
        return len(found) + sum(map(_keys, found.values()))
    return sum(map(_keys, found)) if isinstance(found, list) else 0


def _compare_keys(data: bytes | str) -> None:
    try:
        json.loads(data, object_pairs_hook=_unique)
    except CannotRead:
        raise
    except (ValueError, RecursionError):
        raise CannotRead("this is not well-formed JSON") from None


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) != len(pairs):
        raise CannotRead("a key is given twice")


def _plain(reason: str) -> str:
    """A reason that may quote the sender's own words back, on one line and short."""
    return "".join(c if c.isprintable() else "?" for c in reason)[:200]
