"""The races and duels that were joined from here, so that they can be found again."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.files import atomic_file

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "matches.json"
MOST: Final = 200


class SavedMatch(msgspec.Struct, frozen=True):
    """A match and the server, or the database, that has it."""

    address: str
    match: str
    kind: str
    """`race` or `duel`."""


class SavedMatches:
    """A file of matches, the latest last. The right to a place is the token in `daily.json`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self, address: str) -> tuple[SavedMatch, ...]:
        """Those at one address, the latest first."""
        return tuple(one for one in reversed(self._read()) if one.address == address)

    def at_servers(self) -> tuple[SavedMatch, ...]:
        """Those at servers, the latest first."""
        return tuple(one for one in reversed(self._read()) if one.address.startswith("http"))

    def keep(self, saved: SavedMatch) -> None:
        """Save a match, as the latest."""
        self._write([*self._others(saved), saved][-MOST:])

    def drop(self, saved: SavedMatch) -> None:
        """Remove a match."""
        self._write(self._others(saved))

    def _others(self, saved: SavedMatch) -> list[SavedMatch]:
        return [kept for kept in self._read() if kept != saved]

    def _read(self) -> list[SavedMatch]:
        with contextlib.suppress(FileNotFoundError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=list[SavedMatch])
        return []

    def _write(self, matches: list[SavedMatch]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_file(self._path, replace=True) as temporary:
            temporary.write_bytes(msgspec.json.encode(matches))
