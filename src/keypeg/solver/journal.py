"""A file of finished work, line by line, from which a later run goes on after any end."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from keypeg.rules.errors import CannotRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path


class Journal:
    """Lines of JSON under a header that says whose they are; `entries` holds those found.

    Lines are written whole and at once, so that a kill costs the last line at most: it is
    cut off when the file is opened again.
    """

    def __init__(self, path: Path, header: Mapping[str, object]) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        written = path.read_bytes() if path.exists() else b""
        kept = written[: written.rfind(b"\n") + 1]
        if not kept:
            if written and not (json.dumps(header) + "\n").encode().startswith(written):
                raise CannotRead(f"{path} is no log of a search")
            path.write_text(json.dumps(header) + "\n")
            return
        self._read(kept.splitlines(), header)
        if kept != written:
            with path.open("r+b") as file:
                file.truncate(len(kept))

    def _read(self, lines: list[bytes], header: Mapping[str, object]) -> None:
        whose, *entries = (self._line(number, line) for number, line in enumerate(lines, 1))
        if whose != header:
            raise CannotRead(
                f"{self.path} is the log of {json.dumps(whose)[:80]}, not of {json.dumps(header)}"
            )
        self.entries = entries

    def _line(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise CannotRead(f"{self.path}, line {number}: no entry of a log")
        return entry

    def read_by(self, reader: Callable[[dict[str, Any]], None]) -> None:
        """Have each entry read; one that makes no sense to the reader is refused."""
        for number, entry in enumerate(self.entries, 2):
            try:
                reader(entry)
            except (LookupError, TypeError, ValueError, zlib.error) as error:
                raise CannotRead(
                    f"{self.path}, line {number}: no entry of this log ({error!r})"
                ) from None

    def add(self, entries: Iterable[Mapping[str, object]]) -> None:
        """Write these down before anything rests on them."""
        with self.path.open("a") as file:
            file.write("".join(json.dumps(entry) + "\n" for entry in entries))
