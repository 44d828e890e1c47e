"""Files that are there whole and on disk, or not at all."""

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
    """There is something already where something else was to be put."""


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A file beside `path` to be written first; in the end it becomes `path`, if that is free.

    Only its owner may read it. Once it is `path`, it stays so even if the machine stops.
    """
    refusal = f"{path} exists; keypeg overwrites nothing"
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
    """A folder, with those above it, that stays even if the machine stops."""
    if not path.exists():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)


def sync(path: Path) -> None:
    """Have the disk keep what was written to a file, or which names a folder holds."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
