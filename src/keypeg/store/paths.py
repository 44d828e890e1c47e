"""The default paths of keypeg's files."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from platformdirs import user_data_path
from sqlalchemy import URL

from keypeg.files import lock
from keypeg.store.errors import Served, WrongKey
from keypeg.store.vault import key_from, parse_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DATABASE: Final = "keypeg.db"
KEY: Final = "keypeg.key"
KEY_VARIABLE: Final = "KEYPEG_KEY"


def data_folder() -> Path:
    """The user's data folder: ~/.local/share/keypeg on Linux, or under $XDG_DATA_HOME."""
    return user_data_path("keypeg", appauthor=False)


def default_database() -> str:
    """The address of the SQLite database in the data folder."""
    path = data_folder() / DATABASE
    return URL.create("sqlite", database=str(path)).render_as_string()


def find_key(database: URL, environment: Mapping[str, str] = os.environ) -> bytes:
    """The key of a database: from KEYPEG_KEY, or from a file, which is created if necessary.

    The file is in the folder of a SQLite database, and otherwise in the data folder.
    """
    written = environment.get(KEY_VARIABLE)
    if written:
        return parse_key(written)
    return key_from(_key_file(database))


@contextmanager
def naming_key(
    database: URL, whose: str = "this database", environment: Mapping[str, str] = os.environ
) -> Iterator[None]:
    """Have the error of a wrong key say where the key of a database was taken from."""
    try:
        yield
    except WrongKey:
        place = KEY_VARIABLE if environment.get(KEY_VARIABLE) else _key_file(database)
        raise WrongKey(f"{place} is not the key of {whose}; put that there") from None


def known_key(database: URL, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The key of a database, or None if it has no key yet."""
    if environment.get(KEY_VARIABLE) or _key_file(database).exists():
        return find_key(database, environment)
    return None


def _key_file(database: URL) -> Path:
    beside = database.get_backend_name() == "sqlite" and database.database
    folder = Path(str(database.database)).parent if beside else data_folder()
    return folder / KEY


def hold_alone(database: URL) -> int | None:
    """Lock a SQLite file against other servers. Returns the descriptor that holds the lock.

    The lock ends when the descriptor is closed or the process ends.
    """
    if database.get_backend_name() != "sqlite":
        return None
    # A separate file: closing any descriptor of the database file would release SQLite's own locks.
    path = Path(str(database.database)).resolve()
    held = os.open(f"{path}-serving", os.O_RDWR | os.O_CREAT, 0o600)
    if not lock(held):
        os.close(held)
        raise Served(f"{path} is in use by a running server; stop that first")
    return held
