"""Drawing secrets, nonces and ids: the randomness that the rules must not have."""

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
"""What drawing a guess may cost; some five milliseconds."""

_SYSTEM = secrets.SystemRandom()


def draw_code(board: Board, rng: random.Random = _SYSTEM) -> Code:
    """Any code of the board, each as likely as any other."""
    if board.repeats:
        return tuple(rng.choice(board.symbols) for _ in range(board.holes))
    return tuple(rng.sample(board.symbols, board.holes))


def draw_guess(
    board: Board, rows: Sequence[tuple[Code, KeyPegs]], rng: random.Random = _SYSTEM
) -> Code:
    """A code that fits the rows, if one is drawn soon; or else the one that fits the most first.

    Where a code in some hundred fits one is, and on any board it takes no longer.
    """
    best, most, scores = draw_code(board, rng), -1, 0
    while most < len(rows) and scores < MOST_SCORES:
        code = draw_code(board, rng)
        fits = sum(1 for _ in takewhile(lambda row: score(code, row[0]) == row[1], rows))  # noqa: B023 - used up at once
        scores += fits + 1
        best, most = max((best, most), (code, fits), key=lambda found: found[1])
    return best


def conceal(code: Code) -> Opening:
    """A secret ready to be sealed, with a nonce nobody can guess."""
    return Opening(code, secrets.token_bytes(NONCE_BYTES))


def new_id() -> str:
    """A name that nobody can guess, for a series or a table."""
    return secrets.token_urlsafe(16)
