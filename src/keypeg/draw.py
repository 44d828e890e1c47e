"""Random secrets, guesses, nonces and ids. The rules themselves use no randomness."""

from __future__ import annotations

import secrets
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from keypeg.rules.commitment import NONCE_BYTES, Opening
from keypeg.rules.keypegs import score

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs

MOST_SCORES: Final = 1_000
"""The most calls of `score` for one guess, which take about five milliseconds."""

_SYSTEM = secrets.SystemRandom()


def draw_code(board: Board, rng: random.Random = _SYSTEM) -> Code:
    """A random code of the board; all codes are equally likely."""
    if board.repeats:
        return tuple(rng.choice(board.symbols) for _ in range(board.holes))
    return tuple(rng.sample(board.symbols, board.holes))


def draw_guess(
    board: Board, rows: Sequence[tuple[Code, KeyPegs]], rng: random.Random = _SYSTEM
) -> Code:
    """A random code that fits the rows, if one is found within MOST_SCORES.

    Otherwise, the code found that fits the most rows, counted from the first. If about one code in
    a hundred fits, one is found. The time is limited on every board.
    """
    best, most, scores = draw_code(board, rng), -1, 0
    while most < len(rows) and scores < MOST_SCORES:
        code = draw_code(board, rng)
        fits = sum(1 for _ in takewhile(lambda row: score(code, row[0]) == row[1], rows))  # noqa: B023 - used up at once
        scores += fits + 1
        best, most = max((best, most), (code, fits), key=lambda found: found[1])
    return best


def conceal(code: Code) -> Opening:
    """A secret with a random nonce, ready to be sealed."""
    return Opening(code, secrets.token_bytes(NONCE_BYTES))


def new_id() -> str:
    """A random id for a series or a table, which cannot be guessed."""
    return secrets.token_urlsafe(16)
