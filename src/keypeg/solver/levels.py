"""How strongly the computer plays: the levels, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from keypeg.rules.errors import CannotRead, quoted


class Way(Enum):
    """How a guess is chosen."""

    FITTING = "any code that fits the rows remembered"
    SPLITTING = "the guess that splits the codes left best, judged one guess ahead"
    BEST = "the guess with the fewest guesses to come: from a book, or by exact search"


@dataclass(frozen=True, slots=True)
class Level:
    """A strength; `slip` is the chance that a row is forgotten when a guess is chosen."""

    name: str
    description: str
    way: Way
    slip: float = 0.0


LEVELS: Final = (
    Level("beginner", "plays what might be the code, and forgets a row in six", Way.FITTING, 1 / 6),
    Level("casual", "plays what might be the code, and forgets a row in twenty", Way.FITTING, 0.05),
    Level("careful", "plays what might be the code, and forgets nothing", Way.FITTING),
    Level("strong", "plays the guess that tells most, looking one guess ahead", Way.SPLITTING),
    Level("perfect", "plays the best guess known, proven best where that is known", Way.BEST),
)
"""From the weakest to the strongest."""

RULES: Final = ("minimax", "expected-size", "entropy", "parts", "learned")
"""The names of the one-step rules. They are here because `strategies` is slow to import."""


def level_named(name: str) -> Level:
    """The level of that name."""
    for level in LEVELS:
        if level.name == name.strip().lower():
            return level
    raise CannotRead(f"no level {quoted(name)}; there are {', '.join(x.name for x in LEVELS)}")
