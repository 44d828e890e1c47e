"""The chain of MACs through the log of each table.

Each entry has a MAC (a keyed hash) of everything stored in it and of the MAC before it. The table
has one of its last entry, so that entries missing from the end are noticed too. A change by
somebody without the key is noticed when the table is read: a changed, swapped, removed or
copied entry has the wrong MAC.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from sqlalchemy import Integer, Text, bindparam, select, tuple_, update

from keypeg.store.errors import Altered
from keypeg.store.schema import entries, tables

if TYPE_CHECKING:
    from sqlalchemy import Connection

PURPOSE: Final = "log chain 1"
"""What the key of the chain is derived for."""
MAC_BYTES: Final = 16
START: Final = bytes(MAC_BYTES)
"""What stands before the first entry of a table."""
MOST_KNOWN: Final = 16_384
"""The most tables whose last MAC is kept in memory."""


class Chain:
    """Makes and checks the MACs of one database."""

    def __init__(self, key: bytes, noun: str = "table") -> None:
        def keyed(person: bytes) -> hashlib.blake2b:
            return hashlib.blake2b(key=key, digest_size=MAC_BYTES, person=person)

        self._link, self._end = keyed(b"keypeg entry 1"), keyed(b"keypeg end 1")
        self._known: dict[str, tuple[int, bytes]] = {}
        self._noun = noun
        """What has the logs, for messages."""

    def link(
        self,
        previous: bytes,
        table_id: str,
        seq: int,
        at: int,
        seat: str,
        command_id: str,
        payload: bytes,
    ) -> bytes:
        """The MAC of an entry that follows the entry with the MAC `previous`."""
        # The lengths come first, so that different entries never give the same text.
        told = f"{len(table_id)} {len(command_id)} {seq} {at} {seat} {table_id}{command_id}"
        mac = self._link.copy()
        mac.update(previous)
        mac.update(told.encode(errors="surrogatepass"))
        mac.update(payload)
        return mac.digest()

    def end(self, table_id: str, seq: int, last: bytes) -> bytes:
        """The MAC of a table, whose last entry is `seq` with the MAC `last`."""
        mac = self._end.copy()
        mac.update(last)
        mac.update(f"{seq} {table_id}".encode(errors="surrogatepass"))
        return mac.digest()

    def check_link(
        self,
        previous: bytes,
        table_id: str,
        seq: int,
        at: int,
        seat: str,
        command_id: str,
        payload: bytes,
        mac: bytes,
    ) -> bytes:
        """The MAC of a stored entry. Raises Altered if it is not the right one."""
        right = self.link(previous, table_id, seq, at, seat, command_id, payload)
        if not hmac.compare_digest(mac, right):
            raise Altered(
                f"{self._noun} {table_id}: entry {seq} was changed, or was not written by keypeg "
                "with this key; its MAC is wrong"
            )
        return right

    def check_end(self, table_id: str, seq: int, last: bytes, mac: bytes) -> None:
        """Raise Altered if the log of a table should end elsewhere than at entry `seq`."""
        if not hmac.compare_digest(mac, self.end(table_id, seq, last)):
            raise Altered(
                f"{self._noun} {table_id}: entry {seq} is not the last that was written; entries "
                f"are missing from the end, or the MAC of the {self._noun} was changed"
            )
        self.remember(table_id, seq, last)

    def remember(self, table_id: str, seq: int, mac: bytes) -> None:
        """Keep the MAC of a table's last entry, for the next."""
        known = self._known
        known.pop(table_id, None)
        if len(known) >= MOST_KNOWN:
            del known[next(iter(known))]
        known[table_id] = seq, mac

    def known(self, table_id: str, seq: int) -> bytes | None:
        """The MAC of entry `seq`, if it was the last that was remembered of this table."""
        if seq == 0:
            return START
        at, mac = self._known.get(table_id, (0, START))
        return mac if at == seq else None

    def __repr__(self) -> str:
        return "Chain(hidden)"


def add_macs(connection: Connection, chain: Chain) -> int:
    """Give MACs to the entries that were written before there were any; how many there were."""
    table_id, seq, mac, count = "", 0, START, 0
    while rows := connection.execute(_FOLLOWING, {"named": table_id, "number": seq}).all():
        links, ends = [], []
        for row in rows:
            if row.table_id != table_id:
                ends.append(_end(chain, table_id, seq, mac))
                table_id, mac = row.table_id, START
            seq, mac = row.seq, chain.link(mac, *row)
            links.append({"named": table_id, "number": seq, "mac": mac})
        connection.execute(_SET_LINK, links)
        connection.execute(SET_END, [*ends, _end(chain, table_id, seq, mac)])
        count += len(rows)
    return count


def _end(chain: Chain, table_id: str, seq: int, mac: bytes) -> dict[str, object]:
    return {"named": table_id, "mac": chain.end(table_id, seq, mac)}


_LINKED: Final = (
    entries.c.table_id,
    entries.c.seq,
    entries.c.at,
    entries.c.seat,
    entries.c.command_id,
    entries.c.payload,
)
"""What `Chain.link` needs of an entry, in this order."""
_AFTER: Final = tuple_(bindparam("named", type_=Text), bindparam("number", type_=Integer))
_FOLLOWING: Final = (
    select(*_LINKED)
    .where(tuple_(entries.c.table_id, entries.c.seq) > _AFTER)
    .order_by(entries.c.table_id, entries.c.seq)
    .limit(1_000)
)
_SET_LINK: Final = update(entries).where(
    entries.c.table_id == bindparam("named"), entries.c.seq == bindparam("number")
)
SET_END: Final = update(tables).where(tables.c.id == bindparam("named"))
