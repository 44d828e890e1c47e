"""Tickets that any process can read: signed, not kept. A database remembers which are used up.

The key that signs them is made from the key that all processes share. A ticket is 48 bytes:
table and seat, or match and player, when it ends, a nonce, and 128 bits of HMAC-SHA-256 over all
that.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

from keypeg.rules.series import Seat
from keypeg.server.security import TICKET_SECONDS, MatchPass, NotAllowed, Pass

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.store.processes import Processes

PURPOSE: Final = "socket tickets"
_SEATS: Final = (None, Seat.ONE, Seat.TWO)
_FIRST_PLAYER: Final = 16
"""From here on the number in place of a seat is that of a match's player, 0 a spectator."""
_TABLE, _ENDS, _NONCE, _MAC = 16, 6, 9, 16


class SignedTickets:
    """One-time passes to the socket of any process on the same database."""

    def __init__(self, key: bytes, processes: Processes, utc: Callable[[], int]) -> None:
        self._key, self._processes, self._utc = key, processes, utc

    def issue(self, table: str, seat: Seat | None, address: str = "") -> str:  # noqa: ARG002
        """A new ticket for this table and seat. None is kept, so no address has too many."""
        return self._issue(table, _SEATS.index(seat))

    def issue_for_match(self, match: str, player: int | None, address: str = "") -> str:  # noqa: ARG002
        """A new ticket for this match and player."""
        return self._issue(match, _FIRST_PLAYER + (player or 0))

    def _issue(self, name: str, place: int) -> str:
        ends = self._utc() + round(1000 * TICKET_SECONDS)
        body = (
            base64.urlsafe_b64decode(name + "==")
            + bytes([place])
            + ends.to_bytes(_ENDS, "big")
            + secrets.token_bytes(_NONCE)
        )
        return base64.urlsafe_b64encode(body + self._mac(body)).decode()

    async def redeem(self, ticket: str) -> Pass | MatchPass:
        """What the ticket stands for; it is used up, in every process."""
        body = self._verified(ticket)
        name = base64.urlsafe_b64encode(body[:_TABLE]).decode().rstrip("=")
        place = body[_TABLE]
        ends = int.from_bytes(body[_TABLE + 1 : _TABLE + 1 + _ENDS], "big")
        used = hashlib.sha256(body).hexdigest()
        if ends < self._utc() or not await self._processes.spend(used, ends):
            raise NotAllowed(_REFUSED)
        if place >= _FIRST_PLAYER:
            return MatchPass(name, place - _FIRST_PLAYER or None)
        return Pass(name, _SEATS[place])

    def _verified(self, ticket: str) -> bytes:
        try:
            data = base64.b64decode(ticket, b"-_", validate=True)
        except (binascii.Error, ValueError):
            data = b""
        body, mac = data[:-_MAC], data[-_MAC:]
        whole = len(data) == _TABLE + 1 + _ENDS + _NONCE + _MAC
        if not whole or not hmac.compare_digest(mac, self._mac(body)):
            raise NotAllowed(_REFUSED)
        return body

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")[:_MAC]


_REFUSED: Final = "this ticket is unknown, used or too old; ask for a new one"
