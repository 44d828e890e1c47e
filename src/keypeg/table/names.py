"""What a player may be called: the one rule, for every way to sit down."""

from __future__ import annotations

import unicodedata
from typing import Final

from keypeg.rules.errors import CannotRead, quoted

LONGEST_NAME: Final = 32
"""Less than a record may hold (`rules.notation.LONGEST_RECORDED_NAME`), so every name fits one."""
_UNSEEN: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and symbols of which nothing is seen; what else is unseen is a mark or not printable."""


def tidy(name: str) -> str:
    """A name as it is kept: composed characters, nothing around it."""
    return unicodedata.normalize("NFC", name).strip()


def read_name(text: str) -> str:
    """A name fit to be shown: one short line, tidied, of which something can be seen."""
    name = tidy(text)
    if not name.isprintable() or len(name) > LONGEST_NAME or not any(map(_seen, name)):
        raise CannotRead(
            f"{quoted(text)} is not a valid name; use 1 to {LONGEST_NAME} visible characters"
        )
    return name


def _seen(character: str) -> bool:
    """Whether a character shows by itself: a mark needs another to stand on, a space is nothing."""
    return unicodedata.category(character)[0] not in "MZ" and character not in _UNSEEN
