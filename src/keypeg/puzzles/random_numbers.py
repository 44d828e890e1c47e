"""Numbers from a seed: the same in Python and JavaScript, now and in every later version."""

from __future__ import annotations

from typing import Final

_BITS: Final = 0xFFFFFFFF


class Numbers:
    """Mulberry32 (Tommy Ettinger), begun with the FNV-1a hash of a text."""

    def __init__(self, text: str) -> None:
        state = 0x811C9DC5
        for byte in text.encode("ascii"):
            state = (state ^ byte) * 0x01000193 & _BITS
        self._state = state

    def below(self, limit: int) -> int:
        """The next number from 0 to `limit - 1`."""
        self._state = self._state + 0x6D2B79F5 & _BITS
        mixed = self._state
        mixed = (mixed ^ mixed >> 15) * (mixed | 1) & _BITS
        mixed ^= mixed + ((mixed ^ mixed >> 7) * (mixed | 61) & _BITS) & _BITS
        return (mixed ^ mixed >> 14) * limit >> 32
