"""Where keypeg keeps its files, unless told otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from platformdirs import user_data_path
from sqlalchemy import URL

from keypeg.store.errors import Served
from keypeg.store.vault import key_from, parse_key

if TYPE_CHECKING:
    from collections.abc import Mapping

DATABASE: Final = "keypeg.db"
KEY: Final = "keypeg.key"
KEY_VARIABLE: Final = "KEYPEG_KEY"


def data_folder() -> Path:
    """The user's folder for such things: ~/.local/share/keypeg on Linux, or as XDG says."""
    return user_data_path("keypeg", appauthor=False)


def default_database() -> str:
    """The address of the database in the data folder."""
    path = data_folder() / DATABASE
    return URL.create("sqlite", database=str(path)).render_as_string()


def find_key(database: URL, environment: Mapping[str, str] = os.environ) -> bytes:
    """The key of a database: from KEYPEG_KEY, else from a file beside it or in the data folder."""
    written = environment.get(KEY_VARIABLE)
    if written:
        return parse_key(written)
    return key_from(_key_file(database))


def known_key(database: URL, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The same, but none is made where there is none."""
    if environment.get(KEY_VARIABLE) or _key_file(database).exists():
        return find_key(database, environment)
    return None


def _key_file(database: URL) -> Path:
    beside = database.get_backend_name() == "sqlite" and database.database
    folder = Path(str(database.database)).parent if beside else data_folder()
    return folder / KEY


def hold_alone(database: URL) -> int | None:
    """Keep other servers from a SQLite file until what this opens is closed, or we die."""
    if database.get_backend_name() != "sqlite" or sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - POSIX only

    # A file of its own: SQLite's locks on the database end when anybody here closes that.
    path = Path(str(database.database)).resolve()
    held = os.open(f"{path}-serving", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        raise Served(
            f"a server has {path} open, which one process alone may; stop it first"
        ) from None
    return held
