"""A file of finished work, line by line, from which a later run goes on after any end.

Each line ends in a checksum over itself and all before it, so that damage and edits are noticed.
It is no seal: whoever can work out a checksum can write a log.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from typing import TYPE_CHECKING, Any
from weakref import finalize

from keypeg.files import lock
from keypeg.rules.errors import CannotRead, KeypegError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    Entry = dict[str, Any]  # Any: what JSON holds


class InUse(KeypegError):
    """Another search writes this log."""


class Journal:
    """Lines of JSON under a header that says whose they are; `entries` holds those found.

    Lines are written whole and in order, so that a kill costs the last line at most: it is
    cut off when the file is opened again. Nobody else may write until this one is closed.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self._check = ""
        self._file = _opened(path)
        self.close = finalize(self, os.close, self._file)
        try:
            self._begin(header)
        except BaseException:
            self.close()
            raise

    def _begin(self, header: Mapping[str, object]) -> None:
        if not lock(self._file):
            raise InUse(
                f"{self.path} is the log of a search that is running: "
                "let it end, or name another file"
            )
        written = self.path.read_bytes()
        kept = written[: written.rfind(b"\n") + 1]
        if kept:
            self._read(kept.splitlines(), header)
            os.truncate(self._file, len(kept))
        elif self._line(header).startswith(written):
            os.truncate(self._file, 0)
            self.add([header])
        else:
            raise CannotRead(f"{self.path} is no log of a search")

    def _read(self, lines: list[bytes], header: Mapping[str, object]) -> None:
        for number, line in enumerate(lines, 1):
            entry = self._parsed(number, line)
            check = entry.pop("check", None)
            if number == 1 and entry != header:
                whose = json.dumps(entry)[:80]
                raise CannotRead(f"{self.path} is the log of {whose}, not of {json.dumps(header)}")
            if number == 1 and check is None:
                raise CannotRead(
                    f"{self.path} has no checksums, as logs once had none, so nothing can rest on "
                    f"it: remove it or name another file"
                )
            self._check = self._checked(entry)
            if check != self._check:
                raise CannotRead(
                    f"{self.path}, line {number}: damaged or edited, its checksum is wrong; "
                    f"remove this line and all after it, or the file"
                )
            self.entries.append(entry)
        del self.entries[0]

    def _parsed(self, number: int, line: bytes) -> Entry:
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise CannotRead(
                f"{self.path}, line {number}: no entry of a log; "
                f"remove this line and all after it, or the file"
            )
        return entry

    def _checked(self, entry: Mapping[str, object]) -> str:
        """The checksum of an entry after those before it."""
        text = self._check + json.dumps(entry)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def _line(self, entry: Mapping[str, object]) -> bytes:
        return (json.dumps({**entry, "check": self._checked(entry)}) + "\n").encode()

    def read_by(self, reader: Callable[[Entry], None]) -> None:
        """Have each entry read; one that makes no sense to the reader is refused."""
        for number, entry in enumerate(self.entries, 2):
            try:
                reader(entry)
            except (LookupError, TypeError, ValueError, zlib.error) as error:
                self.close()
                raise CannotRead(
                    f"{self.path}, line {number}: no entry of this log ({error!r})"
                ) from None

    def add(self, entries: Iterable[Mapping[str, object]]) -> None:
        """Write these down, on disk, before anything rests on them."""
        lines = b""
        for entry in entries:
            lines += self._line(entry)
            self._check = self._checked(entry)
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
            os.fsync(self._file)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None


def _opened(path: Path) -> int:
    """The file of a log, new or old, to be written at its end."""
    if not path.parent.is_dir():
        raise CannotRead(f"{path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise CannotRead(f"{path} is no file: a log is one that can be read again")
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
