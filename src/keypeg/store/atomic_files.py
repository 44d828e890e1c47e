"""Atomic files: a file exists completely and durably, or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from keypeg.store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class NotEmpty(StoreError):
    """Something already exists where something new was to be written."""


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary file to write to, which becomes `path` at the end of the block.

    Only its owner can read it. Raises NotEmpty if `path` already exists. After the block, the file
    survives a power failure.
    """
    refusal = f"{path} already exists, and keypeg does not overwrite files"
    if path.exists():
        raise NotEmpty(refusal)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield draft
        sync(draft)
        try:
            os.link(draft, path)
        except FileExistsError:
            raise NotEmpty(refusal) from None
        sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Create a folder and its parents, so that they survive a power failure."""
    if not path.exists():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
