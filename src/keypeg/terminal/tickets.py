"""Which seats were taken from here: the tokens that are the right to sit down there again."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from keypeg.rules.series import Seat  # noqa: TC001 - read by msgspec

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "seats.json"


@dataclass(frozen=True, slots=True)
class Ticket:
    """The seats of one table, with a token each; `place` is the database or server it is at."""

    place: str
    table: str
    tokens: dict[Seat, str]


class Tickets:
    """Tickets in a file that only its owner can read, the latest last. No file: nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def all(self, place: str) -> tuple[Ticket, ...]:
        """The tickets for one place, the latest first."""
        return tuple(ticket for ticket in reversed(self._read()) if ticket.place == place)

    def keep(self, ticket: Ticket) -> None:
        """Remember a ticket, as the latest."""
        self._write([*self._others(ticket), ticket])

    def drop(self, ticket: Ticket) -> None:
        """Forget the ticket of a table that is over."""
        self._write(self._others(ticket))

    def _others(self, ticket: Ticket) -> list[Ticket]:
        return [kept for kept in self._read() if kept.table != ticket.table]

    def _read(self) -> list[Ticket]:
        if self._path is None or not self._path.exists():
            return []
        with contextlib.suppress(msgspec.MsgspecError):
            return msgspec.json.decode(self._path.read_bytes(), type=list[Ticket])
        return []

    def _write(self, tickets: list[Ticket]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and moved: whoever reads meanwhile reads the old file or the new one.
        fresh = self._path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(msgspec.json.encode(tickets))
        fresh.replace(self._path)
