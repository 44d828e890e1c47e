"""Encryption of stored secrets: AES-256-GCM, with a key that is not in the database."""

from __future__ import annotations

import binascii
import contextlib
import hmac
import os
import secrets
import stat
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from keypeg.files import AlreadyExists, atomic_file
from keypeg.store.errors import WrongKey

if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class Vault:
    """Encrypts and decrypts small values. Each is bound to the context it was written in."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise WrongKey(f"a key must be {KEY_BYTES} bytes, not {len(key)}")
        self._cipher = AESGCM(key)
        self._root = hmac.digest(key, b"keypeg derive 1", "sha256")

    def lock(self, clear: bytes, context: bytes) -> bytes:
        """Encrypt a value with a new nonce."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, clear, context)

    def unlock(self, locked: bytes, context: bytes) -> bytes:
        """Decrypt a value that was encrypted for the same context."""
        try:
            return self._cipher.decrypt(locked[:_NONCE_BYTES], locked[_NONCE_BYTES:], context)
        except (InvalidTag, ValueError):
            raise WrongKey(
                "a secret in the database cannot be decrypted: it was written with another key"
            ) from None

    def derive(self, purpose: str, secret: str = "") -> bytes:
        """32 bytes that are derived from the key, `purpose` and `secret`.

        Without `secret`, they are another key, which every process with this key can derive.
        """
        return hmac.digest(self._root, f"{purpose}\0{secret}".encode(), "sha256")

    def __repr__(self) -> str:
        return "Vault(hidden)"


def new_key() -> bytes:
    """A new random key."""
    return secrets.token_bytes(KEY_BYTES)


def parse_key(text: str) -> bytes:
    """Read a key of 64 hexadecimal digits, as in KEYPEG_KEY."""
    try:
        key = binascii.unhexlify(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise WrongKey(f"a key must be {2 * KEY_BYTES} hexadecimal digits")
    return key


def key_from(path: Path) -> bytes:
    """The key in a file, which is created with a new key if it does not exist.

    Raises an error if anybody but the owner can read the file.
    """
    try:
        return _read_key(path)
    except FileNotFoundError:
        _write_key(path, new_key())
        return _read_key(path)


def _read_key(path: Path) -> bytes:
    with path.open(encoding="ascii") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if os.name == "posix" and mode & 0o077:
            raise WrongKey(f"{path} can be read by others (mode {mode:o}); run: chmod 600 {path}")
        return parse_key(file.read())


def _write_key(path: Path, key: bytes) -> None:
    """Write a key file, unless another process has just done so."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(AlreadyExists), atomic_file(path) as temporary:
        temporary.write_text(key.hex() + "\n", encoding="ascii")
