"""Forms of events: what follows from a class, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
import pytest

from keypeg.rules.commitment import Opening
from keypeg.rules.events import Revealed, SecretSet
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Seat
from keypeg.store.forms import FieldForms


class Sparse(msgspec.Struct, tag_field="is", omit_defaults=True, forbid_unknown_fields=True):
    pass


class Whole(msgspec.Struct, tag_field="type"):
    pass


@dataclass(frozen=True, slots=True)
class Applauded:
    """A player liked an answer."""

    kind: ClassVar[str] = "applauded"
    seat: Seat
    keys: KeyPegs
    claps: int = 1


APPLAUSE: Any = Applauded(Seat.TWO, KeyPegs(2, 1))


@pytest.mark.parametrize(
    ("base", "text"),
    [
        (Sparse, b'{"is":"clap","seat":"two","black":2,"white":1}'),
        (Whole, b'{"type":"clap","seat":"two","black":2,"white":1,"claps":1}'),
    ],
)
def test_a_class_is_all_that_an_event_needs(base: type[msgspec.Struct], text: bytes) -> None:
    kind: Any = Applauded
    forms = FieldForms(base, {kind: "clap"}, "Out")
    assert msgspec.json.encode(forms.write(APPLAUSE)) == text
    assert forms.read(msgspec.json.decode(text, type=forms.struct(kind))) == APPLAUSE
    assert forms.struct(kind).__name__ == "ApplaudedOut"
    assert forms.struct(kind).__doc__ == "A player liked an answer."


@pytest.mark.parametrize("kind", [SecretSet, Revealed])
def test_a_secret_is_not_written_field_by_field(kind: type[SecretSet | Revealed]) -> None:
    with pytest.raises(TypeError, match=f"{kind.__name__} contains a secret"):
        FieldForms(Whole, {kind: kind.kind}, "")


def test_a_secret_in_a_new_class_is_refused_too() -> None:
    @dataclass(frozen=True, slots=True)
    class Leaked:
        kind: ClassVar[str] = "leaked"
        opening: Opening | None

    leaked: Any = Leaked
    with pytest.raises(TypeError, match="Leaked contains a secret"):
        FieldForms(Whole, {leaked: "leaked"}, "")
