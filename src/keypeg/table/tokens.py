"""Seat tokens: 256 random bits that only the holder has. A table stores their hash."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

TOKEN_BYTES: Final = 32


def new_token() -> str:
    """A token nobody can guess: 43 characters of base64url."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> str:
    """What is stored of a token. It is random, so a plain hash cannot be searched."""
    return hashlib.sha256(b"keypeg token 1" + token.encode()).hexdigest()
