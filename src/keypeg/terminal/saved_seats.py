"""The seats taken from here: their tokens are the right to return to them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.files import atomic_file, close_to_others
from keypeg.rules.series import Seat

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "seats.json"


class SavedSeat(msgspec.Struct, frozen=True, rename={"address": "place"}):
    """The seats of one table, with a token each; `address` is that of its database or server."""

    address: str
    table: str
    tokens: dict[Seat, str]


class SavedSeats:
    """A file of saved seats, the latest last, readable only by its owner; without a path, none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def all(self, address: str) -> tuple[SavedSeat, ...]:
        """Those at one address, the latest first."""
        return tuple(saved for saved in reversed(self._read()) if saved.address == address)

    def at_servers(self) -> tuple[SavedSeat, ...]:
        """Those at tables of servers, the latest first."""
        return tuple(one for one in reversed(self._read()) if one.address.startswith("http"))

    def keep(self, saved: SavedSeat) -> None:
        """Save a seat, as the latest."""
        self._write([*self._others(saved), saved])

    def drop(self, saved: SavedSeat) -> None:
        """Remove a seat."""
        self._write(self._others(saved))

    def _others(self, saved: SavedSeat) -> list[SavedSeat]:
        return [kept for kept in self._read() if kept.table != saved.table]

    def _read(self) -> list[SavedSeat]:
        if self._path is None or not self._path.exists():
            return []
        close_to_others(self._path)
        with contextlib.suppress(msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=list[SavedSeat])
        return []

    def _write(self, seats: list[SavedSeat]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(self._path, replace=True) as temporary:
            temporary.write_bytes(msgspec.json.encode(seats))
