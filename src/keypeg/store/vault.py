"""Secrets at rest: AES-256-GCM with a key that is never in the database."""

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

from keypeg.store.errors import WrongKey

if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class Vault:
    """Locks and unlocks small texts; each is bound to the place it was written for."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise WrongKey(f"a key is {KEY_BYTES} bytes, not {len(key)}")
        self._cipher = AESGCM(key)
        self._root = hmac.digest(key, b"keypeg derive 1", "sha256")

    def lock(self, clear: bytes, place: bytes) -> bytes:
        """`clear` encrypted under a fresh nonce."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, clear, place)

    def unlock(self, locked: bytes, place: bytes) -> bytes:
        """What was locked for this very place."""
        try:
            return self._cipher.decrypt(locked[:_NONCE_BYTES], locked[_NONCE_BYTES:], place)
        except (InvalidTag, ValueError):
            raise WrongKey(
                "a secret in the database cannot be decrypted: it was written with another key"
            ) from None

    def derive(self, purpose: str, secret: str = "") -> bytes:
        """32 bytes that follow from `secret`, but only for who has the key.

        Without a secret: another key, which all who have this one can make.
        """
        return hmac.digest(self._root, f"{purpose}\0{secret}".encode(), "sha256")

    def __repr__(self) -> str:
        return "Vault(hidden)"


def new_key() -> bytes:
    """A key nobody can guess."""
    return secrets.token_bytes(KEY_BYTES)


def parse_key(text: str) -> bytes:
    """A key written as 64 hexadecimal digits, as in KEYPEG_KEY."""
    try:
        key = binascii.unhexlify(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise WrongKey(f"a key is written as {2 * KEY_BYTES} hexadecimal digits")
    return key


def key_from(path: Path) -> bytes:
    """The key in a file that only its owner may read; made, if there is none."""
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
    """Written aside and linked into place: of two processes starting at once, one wins."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        if not path.exists():
            _link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _link(draft: Path, path: Path) -> None:
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
