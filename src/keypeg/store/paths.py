"""The default paths of keypeg's files."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
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
    written = _written(environment)
    if written:
        return parse_key(written)
    return key_from(_key_file(database))


def withdraw_key() -> None:
    """Take KEYPEG_KEY out of the environment, so that no process started from here inherits it.

    This process keeps the key in memory, and so do those that are forked from it.
    """
    written = os.environ.pop(KEY_VARIABLE, "")
    if written:
        _withdrawn[KEY_VARIABLE] = written
        _erase(KEY_VARIABLE)


_withdrawn: Final[dict[str, str]] = {}


def _erase(name: str) -> None:
    """Overwrite a variable where the system shows what a process was started with.

    On Linux, this is /proc/PID/environ, which is the memory above the stack; a variable that is
    unset remains there. Forked processes have a copy of it.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # noqa: PLC0415 - slow to import, and needed only here

    with suppress(OSError, ValueError):
        start, end = _environment_block()
        block = ctypes.string_at(start, end - start)
        at = (b"\0" + block).find(b"\0" + name.encode() + b"=")
        if at >= 0:
            ctypes.memset(start + at, 0, block.index(b"\0", at) - at)


def _environment_block() -> tuple[int, int]:
    """Where the variables are that this process was started with: fields 50 and 51 of its stat."""
    fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[47]), int(fields[48])


def _written(environment: Mapping[str, str]) -> str | None:
    """KEYPEG_KEY, also where it was withdrawn from the environment of this process."""
    written = environment.get(KEY_VARIABLE)
    return written or (_withdrawn.get(KEY_VARIABLE) if environment is os.environ else None)


@contextmanager
def naming_key(
    database: URL, whose: str = "this database", environment: Mapping[str, str] = os.environ
) -> Iterator[None]:
    """Have the error of a wrong key say where the key of a database was taken from."""
    try:
        yield
    except WrongKey:
        place = KEY_VARIABLE if _written(environment) else _key_file(database)
        raise WrongKey(f"{place} is not the key of {whose}; put that there") from None


def known_key(database: URL, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The key of a database, or None if it has no key yet."""
    if _written(environment) or _key_file(database).exists():
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
    path = os.path.realpath(str(database.database))
    held = os.open(f"{path}-serving", os.O_RDWR | os.O_CREAT, 0o600)
    if not lock(held):
        os.close(held)
        raise Served(f"{path} is in use by a running server; stop that first")
    return held
