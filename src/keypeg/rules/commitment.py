"""Seals: a cryptographic commitment to a secret, so that nobody can change it later.

A seal is the SHA-256 hash of a domain tag, the board, the game's id, the code and a 256-bit nonce.
Each part is preceded by its length, so that no two openings give the same bytes. Because of the
nonce, the seal reveals nothing about the code: without it, one could try all 1,296 codes.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final, NoReturn

from keypeg.rules.code import check_code
from keypeg.rules.errors import CannotRead

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

DOMAIN: Final = b"keypeg seal 1"
NONCE_BYTES: Final = 32


class Opening:
    """A secret code, with the nonce of its seal if it was sealed.

    It is opaque on purpose: it prints as hidden and cannot be serialised, so a secret cannot leak
    through a log line or a message by accident.
    """

    __slots__ = ("code", "nonce")

    code: Code
    nonce: bytes | None

    def __init__(self, code: Code, nonce: bytes | None = None) -> None:
        if nonce is not None and (type(nonce) is not bytes or len(nonce) != NONCE_BYTES):
            raise CannotRead(f"a nonce is {NONCE_BYTES} bytes")
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "nonce", nonce)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an Opening is immutable")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret cannot be serialised")

    def __copy__(self) -> Opening:
        return self

    def __deepcopy__(self, memo: object) -> Opening:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opening):
            return NotImplemented
        return (self.code, self.nonce) == (other.code, other.nonce)

    def __hash__(self) -> int:
        return hash((self.code, self.nonce))

    def __repr__(self) -> str:
        return "Opening(hidden)"


def is_seal(text: object) -> bool:
    """Whether `text` has the form of a seal: 64 hexadecimal digits."""
    return isinstance(text, str) and _SEAL.fullmatch(text) is not None


_SEAL = re.compile(r"[0-9a-f]{64}")


def seal(board: Board, game_id: str, opening: Opening) -> str:
    """The seal of a secret, in hexadecimal. It is published before the first guess."""
    check_code(opening.code, board)
    if opening.nonce is None:
        raise CannotRead(f"a secret is sealed with a nonce of {NONCE_BYTES} random bytes")
    return _digest(board, game_id, opening.code, opening.nonce)


def opens(sealed: str, board: Board, game_id: str, opening: Opening) -> bool:
    """Whether `opening` has the code and nonce that were sealed for this game."""
    if opening.nonce is None:
        return False
    digest = _digest(board, game_id, opening.code, opening.nonce)
    return hmac.compare_digest(digest.encode(), sealed.lower().encode())


def _digest(board: Board, game_id: str, code: Code, nonce: bytes) -> str:
    digest = hashlib.sha256()
    for part in (DOMAIN, str(board).encode(), game_id.encode(), bytes(code), nonce):
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()
