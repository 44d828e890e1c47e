"""Each day's code and its seal, drawn from a key and the date: the same for everybody.

Nothing is stored. Whoever has the key draws the same code again; without it, neither a code nor
the nonce of its seal can be distinguished from random bits.
"""

from __future__ import annotations

import hmac
from itertools import count
from typing import TYPE_CHECKING, Final

from keypeg.rules.board import PRESETS
from keypeg.rules.commitment import Opening, seal
from keypeg.rules.errors import CannotRead, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

BOARDS: Final = (PRESETS["classic"], PRESETS["advanced"])
PURPOSE: Final = "daily codes"
"""What the key is derived for."""


class Codes:
    """The codes of all days, on boards on which a colour may be repeated."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def opening(self, day: date, board: Board) -> Opening:
        """The secret of a day, with the nonce of its seal."""
        return Opening(self._code(day, board), self._bytes(f"nonce {board} {day}"))

    def seal(self, day: date, board: Board) -> str:
        """The seal of a day's code."""
        return seal(board, game_id(day), self.opening(day, board))

    def _code(self, day: date, board: Board) -> Code:
        """A code whose pegs are the digits of a number; every code is equally likely."""
        assert board.repeats  # noqa: S101 - or not every number would be a code
        number, symbols = self._number(f"code {board} {day}", board.codes), board.symbols
        pegs = []
        for _ in range(board.holes):
            number, digit = divmod(number, len(symbols))
            pegs.append(symbols[digit])
        return tuple(pegs)

    def _number(self, purpose: str, below: int) -> int:
        """A number below `below`. Numbers that would favour small results are drawn again."""
        fair = 2**64 // below * below
        return next(drawn for drawn in self._draws(purpose) if drawn < fair) % below

    def _draws(self, purpose: str) -> Iterator[int]:
        for attempt in count():
            yield int.from_bytes(self._bytes(f"{purpose} {attempt}")[:8])

    def _bytes(self, purpose: str) -> bytes:
        return hmac.digest(self._key, purpose.encode(), "sha256")

    def __repr__(self) -> str:
        return "Codes(hidden)"


def game_id(day: date) -> str:
    """The id of a day's game, which is sealed with its code."""
    return f"daily-{day}"


def daily_board(name: str) -> Board:
    """The board of this name that has daily codes."""
    for board in BOARDS:
        if str(board) == name:
            return board
    names = " or ".join(map(str, BOARDS))
    raise CannotRead(f"there is no daily code on {quoted(name)}; use {names}")
