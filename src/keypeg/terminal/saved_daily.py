"""What this machine keeps of daily codes: a token for each source of them, and the days done."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.files import atomic_file
from keypeg.table.tokens import new_token

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "daily.json"


class SavedSource(msgspec.Struct):
    """The token for a server or a database, and the rows needed there, by board and number."""

    token: str
    done: dict[str, dict[int, int]] = {}


class SavedDaily:
    """A file of tokens and results, readable only by its owner."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def token(self, source: str) -> str:
        """The token for a source; a new one is saved before it is used."""
        saved = self._read()
        if source not in saved:
            saved[source] = SavedSource(new_token())
            self._write(saved)
        return saved[source].token

    def done(self, source: str, board: str) -> dict[int, int]:
        """The rows needed for each number that counts; 0 stands for a code that was not broken."""
        saved = self._read().get(source)
        return {} if saved is None else saved.done.get(board, {})

    def keep(self, source: str, board: str, number: int, needed: int) -> None:
        """Save the result of a day that counts."""
        saved = self._read()
        saved.setdefault(source, SavedSource(new_token())).done.setdefault(board, {})[number] = (
            needed
        )
        self._write(saved)

    def _read(self) -> dict[str, SavedSource]:
        with contextlib.suppress(FileNotFoundError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, SavedSource])
        return {}

    def _write(self, saved: dict[str, SavedSource]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_file(self._path, replace=True) as temporary:
            temporary.write_bytes(msgspec.json.encode(saved))
