"""Reading what clients send, strictly."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeVar, cast

import msgspec

from keypeg.messages.commands import ClientIn
from keypeg.rules.errors import CannotRead


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
