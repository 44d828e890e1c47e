"""The streak: on how many days somebody has played, without missing two in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

FORGIVEN: Final = 1
"""How many days in a row may be missed."""


def streak(done: Collection[int], today: int) -> int:
    """How many days were played up to today, by their numbers; missed days do not count.

    Today is not missed until it is over.
    """
    played = {number for number in done if number <= today}
    number, length, missed = today, 0, 0
    if today not in played:
        number -= 1
    while missed <= FORGIVEN:
        if number in played:
            length, missed = length + 1, 0
        else:
            missed += 1
        number -= 1
    return length
