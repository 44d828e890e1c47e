"""The files of a SQLite database: who may read them, and whether they are still the same ones.

SQLite goes on writing to a file that was deleted or replaced, and nothing of that can be found
after a restart. So the identity of the files is compared after each commit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keypeg.files import close_to_others
from keypeg.store.errors import Broken
from keypeg.store.faults import not_a_database

if TYPE_CHECKING:
    from sqlalchemy import URL

BESIDE: Final = ("-wal", "-shm")
"""What SQLite adds to the name of a database for the files that it keeps beside it."""
_HEADER: Final = b"SQLite format 3\0"
"""How a SQLite file begins, unless it is empty."""
_Identity = tuple[int, int]


class DatabaseFile:
    """The file of a database, and those that SQLite keeps beside it."""

    def __init__(self, path: Path) -> None:
        self._path = os.path.realpath(path)
        self._held: dict[str, _Identity] = {}

    def hold(self) -> None:
        """Remember which files these are. The files beside it can be others for each connection."""
        main = self._held.get(self._path)
        beside = {path: _identity(path) for path in map(self._path.__add__, BESIDE)}
        found = {self._path: main or _identity(self._path), **beside}
        self._held = {path: identity for path, identity in found.items() if identity is not None}

    def let_go(self) -> None:
        """Forget the files beside it: the connection that used them is closed."""
        self._held = {path: held for path, held in self._held.items() if path == self._path}

    def check(self) -> None:
        """Raise Broken if one of the files is not the one that was opened."""
        for path, identity in self._held.items():
            if _identity(path) != identity:
                raise Broken(
                    f"{path} was deleted or replaced while keypeg was using it; nothing more is "
                    "accepted until a restart"
                )


def _identity(path: str) -> _Identity | None:
    """The device and inode of a file, or None if there is no such file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def check_header(url: URL) -> None:
    """Raise Unreadable if a file is there that is not a SQLite database."""
    path = Path(os.path.realpath(str(url.database)))
    # To close a file that is in use would release SQLite's own locks.
    in_use = any(path.with_name(path.name + suffix).exists() for suffix in BESIDE)
    if in_use or not path.is_file():
        return
    with suppress(PermissionError), path.open("rb") as file:  # SQLite will say so
        if file.read(len(_HEADER)) not in (b"", _HEADER):
            raise not_a_database(url)


def keep_private(url: URL) -> None:
    """Create the file of a SQLite database, and let only its owner read it and those beside it.

    SQLite gives the files beside it the mode of the database.
    """
    if url.database == ":memory:" or "uri" in url.query:
        return
    path = Path(os.path.realpath(str(url.database)))  # unlike resolve, it leaves loops of links
    with suppress(OSError):  # it exists; or SQLite will say why it cannot be opened
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for each in (path, *(path.with_name(path.name + suffix) for suffix in BESIDE)):
        close_to_others(each)
