"""A file of finished work, one line for each piece, from which a later run continues.

Each line ends in a checksum over itself and all lines before it, so that damage and edits are
noticed. It is not a signature: anyone who can compute a checksum can write a log.
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
    """Another search is writing this log."""


class Journal:
    """Lines of JSON under a header that names the search; `entries` holds those found.

    Lines are written whole and in order, so a kill costs at most the last line, which is cut off
    when the file is opened again. The file is locked until it is closed.
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
                f"{self.path} is the log of a running search: "
                "wait until it ends, or name another file"
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
            raise CannotRead(f"{self.path} is not the log of a search")

    def _read(self, lines: list[bytes], header: Mapping[str, object]) -> None:
        for number, line in enumerate(lines, 1):
            entry = self._parsed(number, line)
            check = entry.pop("check", None)
            if number == 1 and entry != header:
                whose = json.dumps(entry)[:80]
                raise CannotRead(
                    f"{self.path} is the log of {whose}, not of {json.dumps(header)}: "
                    "remove it or name another file"
                )
            if number == 1 and check is None:
                raise CannotRead(
                    f"{self.path} is a log of an old version, which has no checksums and cannot be "
                    f"trusted: remove it or name another file"
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
                f"{self.path}, line {number}: not an entry of a log; "
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
        """Pass each entry to `reader`; an entry that it cannot read is refused."""
        for number, entry in enumerate(self.entries, 2):
            try:
                reader(entry)
            except (LookupError, TypeError, ValueError, zlib.error) as error:
                self.close()
                raise CannotRead(
                    f"{self.path}, line {number}: not an entry of this log ({error!r})"
                ) from None

    def add(self, entries: Iterable[Mapping[str, object]]) -> None:
        """Write these entries, and return once they are on disk."""
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
    """Open the file of a log, new or old, for appending."""
    if not path.parent.is_dir():
        raise CannotRead(f"{path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise CannotRead(f"{path} is not a regular file, which a log must be")
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
