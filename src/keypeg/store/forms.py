"""Events as tagged data and back, made from the event classes themselves.

Two forms of an event leave the program: the stored one (`store.codec`) and the sent one
(`keypeg.messages.events`). In both, most kinds are written field by field: each field under its
own name, key pegs as `black` and `white`. `FieldForms` makes a msgspec struct for each of those
kinds, so a new class in `LogEvent` is stored, sent and read without another line. The few kinds
that are written in another way, such as those with a secret in them, are spelled out where the
form is.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from operator import attrgetter
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_type_hints,
)

import msgspec

from keypeg.rules.code import Code
from keypeg.rules.keypegs import KeyPegs
from keypeg.store.events import LogEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field

KINDS: Final[tuple[type[LogEvent], ...]] = get_args(LogEvent)
"""Every kind of event that a log can hold."""
_TYPES: Final = {"Code": Code, "KeyPegs": KeyPegs}
"""What event classes import for type checkers alone; an opening is never written field by field."""
_Base = TypeVar("_Base", bound=msgspec.Struct)


class _FieldForm(NamedTuple):
    """A kind of event as a struct: what fills its fields, and what makes an event of them."""

    struct: type[Any]
    getters: tuple[Callable[[Any], Any], ...]
    make: Callable[..., LogEvent]


class FieldForms(Generic[_Base]):
    """The form of those kinds of event that are written field by field.

    Every struct is a subclass of `base`, which says what it is tagged with. A field that has a
    default may be missing only where `base` omits defaults.
    """

    def __init__(self, base: type[_Base], tags: Mapping[type[LogEvent], str]) -> None:
        self._by_kind = {kind: _form(kind, tag, base) for kind, tag in tags.items()}
        self._by_struct = {form.struct: form for form in self._by_kind.values()}

    def struct(self, kind: type[LogEvent]) -> type[_Base]:
        """What an event of this kind is written as."""
        return self._by_kind[kind].struct

    def union(self, *others: type[_Base]) -> Any:
        """A type for msgspec: any of these structs, or of `others`."""
        return Union[(*self._by_struct, *others)]

    def write(self, event: LogEvent) -> _Base:
        """The struct of an event."""
        form = self._by_kind[type(event)]
        written: _Base = form.struct(*[get(event) for get in form.getters])
        return written

    def read(self, written: _Base) -> LogEvent:
        """The event of a struct."""
        return self._by_struct[type(written)].make(*msgspec.structs.astuple(written))


def _form(kind: type[LogEvent], tag: str, base: type[_Base]) -> _FieldForm:
    hints = get_type_hints(kind, localns=_TYPES)
    name = "".join(word.capitalize() for word in kind.kind.split("-"))
    parts: list[Any] = []
    paths: list[str] = []
    make: Callable[..., LogEvent] = kind
    for field in fields(kind):
        if hints[field.name] is KeyPegs:
            make = _with_key_pegs(kind, len(parts))
            paths += (f"{field.name}.{pegs}" for pegs in KeyPegs._fields)
            parts += ((pegs, int) for pegs in KeyPegs._fields)
        else:
            paths.append(field.name)
            parts.append((field.name, hints[field.name], *_default(field, base)))
    struct = msgspec.defstruct(
        name, parts, bases=(base,), tag=tag, module=__name__, namespace={"__doc__": kind.__doc__}
    )
    return _FieldForm(struct, tuple(map(attrgetter, paths)), make)


def _default(field: Field[Any], base: type[msgspec.Struct]) -> tuple[Any, ...]:
    omits = base.__struct_config__.omit_defaults
    return (field.default,) if omits and field.default is not MISSING else ()


def _with_key_pegs(kind: Callable[..., LogEvent], at: int) -> Callable[..., LogEvent]:
    """Makes an event of values among which two, from `at` on, are its key pegs."""
    return lambda *values: kind(*values[:at], KeyPegs(*values[at : at + 2]), *values[at + 2 :])
