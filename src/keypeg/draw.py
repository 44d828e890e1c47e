"""Drawing secrets, nonces and ids: the randomness that the rules must not have."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from keypeg.rules.commitment import NONCE_BYTES, Opening

if TYPE_CHECKING:
    import random

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

_SYSTEM = secrets.SystemRandom()


def draw_code(board: Board, rng: random.Random = _SYSTEM) -> Code:
    """Any code of the board, each as likely as any other."""
    if board.repeats:
        return tuple(rng.choice(board.symbols) for _ in range(board.holes))
    return tuple(rng.sample(board.symbols, board.holes))


def conceal(code: Code) -> Opening:
    """A secret ready to be sealed, with a nonce nobody can guess."""
    return Opening(code, secrets.token_bytes(NONCE_BYTES))


def new_id() -> str:
    """A name that nobody can guess, for a series or a table."""
    return secrets.token_urlsafe(16)
