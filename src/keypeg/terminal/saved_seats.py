"""Which seats were taken from here: the tokens that are the right to sit down there again."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.files import atomic_file
from keypeg.rules.series import Seat  # noqa: TC001 - read by msgspec

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "seats.json"


@dataclass(frozen=True, slots=True)
class SavedSeat:
    """The seats of one table, with a token each; `place` is the database or server it is at."""

    place: str
    table: str
    tokens: dict[Seat, str]


class SavedSeats:
    """A file of them, the latest last, that only its owner can read. No path: nothing is saved."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def all(self, place: str) -> tuple[SavedSeat, ...]:
        """Those at one place, the latest first."""
        return tuple(saved for saved in reversed(self._read()) if saved.place == place)

    def keep(self, saved: SavedSeat) -> None:
        """Save a seat, as the latest."""
        self._write([*self._others(saved), saved])

    def drop(self, saved: SavedSeat) -> None:
        """Forget the seat at a table that is over."""
        self._write(self._others(saved))

    def _others(self, saved: SavedSeat) -> list[SavedSeat]:
        return [kept for kept in self._read() if kept.table != saved.table]

    def _read(self) -> list[SavedSeat]:
        if self._path is None or not self._path.exists():
            return []
        with contextlib.suppress(msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=list[SavedSeat])
        return []

    def _write(self, seats: list[SavedSeat]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(self._path, replace=True) as temporary:
            temporary.write_bytes(msgspec.json.encode(seats))
