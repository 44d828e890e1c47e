"""A match as somebody sees it, with what is not a matter of the rules: names, and who is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from keypeg.rules.match.view import MatchView


@dataclass(frozen=True, slots=True)
class Person:
    """Who has a place: the hash of their token, and a name, if it is a person; else a level."""

    holder: str | None
    name: str | None
    level: str | None
    renames: int = 0
    """How often the name was changed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A match as its reader may see it; times in milliseconds since the epoch."""

    view: MatchView
    seq: int
    """How often what the reader sees has changed."""
    now: int
    created: int
    people: Mapping[int, Person]
    here: frozenset[int]
    """The players who are connected."""
