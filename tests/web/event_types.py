"""The page's types of events, made from what is sent; `make event-types` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

import keypeg
from keypeg.messages import sent_as
from keypeg.store.forms import KINDS

FILE = Path(keypeg.__file__).parent / "web" / "events.d.ts"
_PLAIN = {int: "number", str: "string", bool: "boolean", NoneType: "null"}


def typescript() -> str:
    """The whole file."""
    kinds = [sent_as(kind) for kind in KINDS]
    named = sorted({name for kind in kinds for name in _enumerations(kind)})
    return (
        "/** The events of a table, as they are sent. Generated from the event classes by"
        " `make event-types`. */\n\n"
        f'import type {{ {", ".join(named)} }} from "./wire.js";\n\n'
        "export type TableEvent =" + "".join(f"\n  | {_object(kind)}" for kind in kinds) + ";\n"
    )


def _object(kind: type[msgspec.Struct]) -> str:
    fields = (
        f"{field.encode_name}{'' if field.required else '?'}: {_type(field.type)}"
        for field in msgspec.structs.fields(kind)
    )
    return "{ " + "; ".join((f'type: "{kind.__struct_config__.tag}"', *fields)) + " }"


def _type(hint: Any) -> str:
    return " | ".join(map(_member, _members(hint)))


def _member(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return f"{_type(get_args(hint)[0])}[]"
    return _PLAIN.get(hint) or str(hint.__name__)


def _members(hint: Any) -> Iterator[Any]:
    """What a value may be, where it is there at all."""
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return (member for member in alternatives if member is not msgspec.UnsetType)


def _enumerations(kind: type[msgspec.Struct]) -> Iterator[str]:
    for field in msgspec.structs.fields(kind):
        for member in _members(field.type):
            if isinstance(member, type) and issubclass(member, Enum):
                yield member.__name__


if __name__ == "__main__":
    FILE.write_text(typescript(), encoding="utf-8")
