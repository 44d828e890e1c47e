"""What a player may be called: the one rule, for every way to sit down."""

from __future__ import annotations

import unicodedata
from typing import Final

from keypeg.rules.errors import CannotRead, quoted

LONGEST_NAME: Final = 32
"""Less than a record may hold (`rules.notation.LONGEST_RECORDED_NAME`), so every name fits one."""
_JOINER: Final = "\u200d"
_NON_JOINER: Final = "\u200c"
_VIRAMA: Final = 9
"""The combining class of the marks that a joiner may follow, as it does in Sinhala names."""
_ON_AN_EMOJI: Final = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
"""What may stand between an emoji and a joiner: the sign for colour, and the tones of skin."""
_UNSEEN: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and symbols of which nothing is seen; what else is unseen is a mark or not printable."""


def tidy(name: str) -> str:
    """A name as it is kept: composed characters, nothing around it."""
    return unicodedata.normalize("NFC", name).strip()


def read_name(text: str) -> str:
    """A name fit to be shown: one short line, tidied, of which something can be seen."""
    name = tidy(text)
    if len(name) > LONGEST_NAME or not _is_plain(name) or not any(map(_seen, name)):
        raise CannotRead(
            f"{quoted(text)} is not a valid name; use 1 to {LONGEST_NAME} visible characters"
        )
    return name


def _is_plain(name: str) -> bool:
    """Whether nothing in a name is invisible but the joiners that its characters need."""
    joiners = {_JOINER, _NON_JOINER}
    return all(
        _joins(name, at) if character in joiners else character.isprintable()
        for at, character in enumerate(name)
    )


def _joins(name: str, at: int) -> bool:
    """Whether the joiner at `at` joins something: a syllable to the next, or two emoji."""
    before, after = name[:at], name[at + 1 :]
    if not before or not after:
        return False
    if unicodedata.combining(before[-1]) == _VIRAMA:
        return True
    joined = before.rstrip(_ON_AN_EMOJI)[-1:] + after[0]
    return name[at] == _JOINER and len(joined) == len("ab") and all(map(_is_emoji, joined))


def _is_emoji(character: str) -> bool:
    """Whether a character is a picture or a sign, as the parts of joined emoji are."""
    return unicodedata.category(character) in ("So", "Sm")


def _seen(character: str) -> bool:
    """Whether a character shows by itself: a mark needs another, a space is nothing."""
    return unicodedata.category(character)[0] not in "CMZ" and character not in _UNSEEN
