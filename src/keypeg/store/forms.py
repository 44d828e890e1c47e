"""Serialised forms of events, derived from the event classes.

An event is stored (`store.codec`) and sent (`keypeg.messages.events`). In both forms, most kinds of
events are written field by field: each field under its own name, key pegs as `black` and `white`.
`FieldForms` makes a msgspec struct for each of these kinds, so that a new class in `LogEvent` is
stored, sent and read without further code. The few kinds that are written in another way, such as
those with a secret, are defined in the modules of the two forms.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from inspect import getdoc
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
from keypeg.rules.commitment import Opening
from keypeg.rules.keypegs import KeyPegs
from keypeg.store.events import LogEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field

KINDS: Final[tuple[type[LogEvent], ...]] = get_args(LogEvent)
"""All classes of events that a log can contain."""
_TYPES: Final = {"Code": Code, "KeyPegs": KeyPegs, "Opening": Opening}
"""Names that the event classes import only for type checking."""
_Base = TypeVar("_Base", bound=msgspec.Struct)
_Event = TypeVar("_Event")


class _FieldForm(NamedTuple):
    """The struct of a kind of event, a function to get its fields, and one to make an event."""

    struct: type[Any]
    parts: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]


class FieldForms(Generic[_Base, _Event]):
    """The structs of the kinds of events that are written field by field.

    Each struct is a subclass of `base`, which defines the name of the tag field. A field with a
    default may be missing only if `base` omits defaults. A struct has the name of its kind, with a
    suffix.
    """

    def __init__(self, base: type[_Base], tags: Mapping[type[_Event], str], suffix: str) -> None:
        self._by_kind = {
            kind: _form(kind, base, f"{kind.__name__}{suffix}", tag) for kind, tag in tags.items()
        }
        self._by_struct = {form.struct: form for form in self._by_kind.values()}

    def struct(self, kind: type[_Event]) -> type[_Base]:
        """The struct of this kind of event."""
        return self._by_kind[kind].struct

    def union(self, *others: type[_Base]) -> Any:
        """The union of these structs and `others`, as a type for msgspec."""
        return Union[(*self._by_struct, *others)]

    def write(self, event: _Event) -> _Base:
        """The struct of an event."""
        form = self._by_kind[type(event)]
        written: _Base = form.struct(*form.parts(event))
        return written

    def read(self, written: _Base) -> _Event:
        """The event of a struct."""
        event: _Event = self._by_struct[type(written)].make(*msgspec.structs.astuple(written))
        return event


def _form(kind: type[Any], base: type[_Base], name: str, tag: str) -> _FieldForm:
    hints = get_type_hints(kind, localns=_TYPES)
    parts: list[Any] = []
    paths: list[str] = []
    make: Callable[..., Any] = kind
    for field in fields(kind):
        if Opening in (hints[field.name], *get_args(hints[field.name])):
            raise TypeError(f"{kind.__name__} contains a secret; write it out by hand")
        if hints[field.name] is KeyPegs:
            make = _with_key_pegs(kind, len(parts))
            paths += (f"{field.name}.{pegs}" for pegs in KeyPegs._fields)
            parts += ((pegs, int) for pegs in KeyPegs._fields)
        else:
            paths.append(field.name)
            parts.append((field.name, hints[field.name], *_default(field, base)))
    struct = msgspec.defstruct(
        name, parts, bases=(base,), tag=tag, namespace={"__doc__": getdoc(kind)}
    )
    return _FieldForm(struct, _getter(paths), make)


def _getter(paths: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that gets these attributes of an event as a tuple."""
    if not paths:
        return lambda _: ()
    get = attrgetter(*paths)
    return get if len(paths) > 1 else lambda event: (get(event),)


def _default(field: Field[Any], base: type[msgspec.Struct]) -> tuple[Any, ...]:
    omits = base.__struct_config__.omit_defaults
    return (field.default,) if omits and field.default is not MISSING else ()


def _with_key_pegs(kind: Callable[..., Any], at: int) -> Callable[..., Any]:
    """A function that makes an event from values, of which two, at `at`, are its key pegs."""
    return lambda *values: kind(*values[:at], KeyPegs(*values[at : at + 2]), *values[at + 2 :])
