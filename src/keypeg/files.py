"""Files that are complete and on disk or not there at all; their locks and modes."""

from __future__ import annotations

import logging
import os
import secrets
import stat
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OTHERS: Final = 0o077
_log = logging.getLogger(__name__)


class AlreadyExists(KeypegError):
    """A new file was to be written, and there is one of that name."""


@contextmanager
def atomic_file(path: Path, *, replace: bool = False, mode: int = 0o600) -> Iterator[Path]:
    """A temporary file beside `path` to write to; when the block ends it becomes `path`.

    Readers find the old file or the new one, never half of it, even after a power failure. An
    existing file is refused by default: of two processes that create one, the first succeeds.
    """
    if path.exists() and not replace:
        raise _exists(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    _create(temporary, mode, path)
    try:
        yield temporary
        sync(temporary)
        if replace:
            temporary.replace(path)
        else:
            _link(temporary, path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _create(temporary: Path, mode: int, path: Path) -> None:
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    except OSError as error:
        error.filename = str(path)  # the temporary name would mean nothing to the reader
        raise


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _exists(path) from None


def _exists(path: Path) -> AlreadyExists:
    return AlreadyExists(f"{path} exists; keypeg does not overwrite it")


def close_to_others(path: Path) -> None:
    """Let only its owner read a file, or log that this is not possible. Windows has no modes."""
    try:
        found = path.stat().st_mode
    except OSError:  # it is not there, or cannot be reached: whoever opens it will say so
        return
    mode = stat.S_IMODE(found)
    if os.name != "posix" or not stat.S_ISREG(found) or not mode & _OTHERS:
        return
    try:
        path.chmod(mode & ~_OTHERS)
    except OSError as error:
        _log.warning(
            "%s can be read by others (mode %o), and this cannot be changed: %s",
            path,
            mode,
            error.strerror,
        )


def make_folder(path: Path) -> None:
    """Make a folder and those above it, on disk."""
    if not path.exists():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, to disk."""
    if sys.platform == "win32":
        if path.is_dir():
            return  # cannot be opened there
        opened = os.open(path, os.O_RDWR)
    else:
        opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another process holds the lock.

    Windows has no such lock: there it is always True.
    """
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
