"""The logs of all matches, in the same database as those of the tables.

As there, each entry has a MAC of itself and of the entry before it, an entry that another process
wrote first makes this one fail, and entries that wait are committed together.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from keypeg.rules.match.state import MatchStage
from keypeg.store import failpoints
from keypeg.store.batching import Batched
from keypeg.store.chain import START, Chain
from keypeg.store.codec import one_of
from keypeg.store.errors import Moved
from keypeg.store.faults import clear_frames
from keypeg.store.match_codec import decode, encode
from keypeg.store.schema import match_entries, matches

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Row

    from keypeg.store.match_events import LoggedMatchEvent
    from keypeg.store.sql import SqlLog

PURPOSE: Final = "match chain 1"
"""What the key of the MACs is derived for."""
SLICE: Final = 50
"""Entries that are processed at once before the event loop runs other tasks."""
MOST_AT_ONCE: Final = 1_000
"""The most matches in one query."""


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """All events that one command caused. Player 0 is the match itself."""

    seq: int
    at: int
    """The server's time, in milliseconds since the epoch (UTC)."""
    player: int
    command_id: str
    events: tuple[LoggedMatchEvent, ...]


@dataclass(frozen=True, slots=True)
class MatchCard:
    """What is stored about a match besides its log. `due` is when the next clock runs out."""

    stage: MatchStage
    due: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Queued:
    """The row of an entry that is to be written, and that of its match after it."""

    entry: dict[str, Any]
    match: dict[str, Any]


class MatchStore:
    """The matches in the database of a log."""

    def __init__(self, log: SqlLog) -> None:
        self._log = log
        self._chain = Chain(log.derive(PURPOSE), "match")
        self._writes = Batched(self._write)

    async def close(self) -> None:
        """Wait for what is being written."""
        await self._writes.close()

    async def append(self, match_id: str, entry: MatchEntry, card: MatchCard) -> None:
        """Write an entry. When this returns, it is on disk. Raises Moved if it is not the next."""
        payload = encode(entry.events, _context(match_id, entry.seq), self._log.vault)
        previous = await self._mac_of(match_id, entry.seq - 1)
        if previous is None:
            raise Moved(f"the match has no entry {entry.seq - 1} for entry {entry.seq} to follow")
        player, id_ = str(entry.player), entry.command_id
        mac = self._chain.link(previous, match_id, entry.seq, entry.at, player, id_, payload)
        row = {
            "match": match_id,
            "seq": entry.seq,
            "previous": entry.seq - 1 or None,
            "at": entry.at,
            "player": entry.player,
            "command_id": entry.command_id,
            "payload": payload,
            "mac": mac,
        }
        end = {
            "id": match_id,
            "stage": card.stage.value,
            "seq": entry.seq,
            "due": card.due,
            "changed": entry.at,
            "mac": self._chain.end(match_id, entry.seq, mac),
        }
        if not await self._writes.get(_Queued(row, end)):
            raise Moved("another process has written this entry first")
        self._chain.remember(match_id, entry.seq, mac)

    async def _write(self, jobs: Sequence[_Queued]) -> Mapping[_Queued, bool]:
        """Commit these entries together; gives for each whether it could be written."""
        # The same order in every process prevents deadlocks.
        ordered = sorted(jobs, key=lambda job: (job.match["id"], job.entry["seq"]))
        failpoints.reach(failpoints.BEFORE_BEGIN)
        written = await self._log.transact(partial(_append, ordered))
        failpoints.reach(failpoints.AFTER_COMMIT)
        return written

    async def read(self, match_id: str, after: int = 0) -> list[MatchEntry]:
        """The entries after the entry `after`. Empty for a match that does not exist."""
        mac = self._chain.known(match_id, after)
        rows = await self._rows(match_id, after - (mac is None))
        if mac is None:
            mac, rows = (rows[0].mac if rows else START), rows[1:]
        read: list[MatchEntry] = []
        for number, row in enumerate(rows, 1):
            if not number % SLICE:
                await asyncio.sleep(0)
            player, id_ = str(row.player), row.command_id
            mac = self._chain.check_link(
                mac, match_id, row.seq, row.at, player, id_, row.payload, row.mac
            )
            events = decode(row.payload, _context(match_id, row.seq), self._log.vault)
            read.append(MatchEntry(row.seq, row.at, row.player, row.command_id, events))
        if rows:
            self._chain.check_end(match_id, rows[-1].seq, mac, rows[-1].end)
        return read

    async def _rows(self, match_id: str, after: int) -> Sequence[Row[Any]]:
        one = match_entries.c
        wanted = (
            select(match_entries, matches.c.mac.label("end"))
            .join(matches)
            .where(one.match == match_id, one.seq > after)
            .order_by(one.seq)
        )
        return await self._log.fetch(wanted)

    async def _mac_of(self, match_id: str, seq: int) -> bytes | None:
        known = self._chain.known(match_id, seq)
        if known is not None:
            return known
        one = match_entries.c
        wanted = select(one.mac).where(one.match == match_id, one.seq == seq)
        rows = await self._log.fetch(wanted)
        return rows[0].mac if rows else None

    async def last(self, names: Sequence[str]) -> dict[str, int]:
        """The numbers of the last entries of these matches, as far as they exist."""
        found: dict[str, int] = {}
        for start in range(0, len(names), MOST_AT_ONCE):
            some = names[start : start + MOST_AT_ONCE]
            wanted = select(matches.c.id, matches.c.seq).where(matches.c.id.in_(some))
            found.update({row.id: row.seq for row in await self._log.fetch(wanted)})
        return found

    async def running(self) -> list[str]:
        """The matches in which a clock is running."""
        wanted = select(matches.c.id).where(matches.c.due.is_not(None))
        return [row.id for row in await self._log.fetch(wanted)]

    async def overdue(self, before: int, limit: int, but: Collection[str] = ()) -> list[str]:
        """Matches in which a clock ran out before then, and no process has noted it."""
        late = select(matches.c.id).where(matches.c.due < before, matches.c.id.not_in(but))
        rows = await self._log.fetch(late.order_by(matches.c.due).limit(limit))
        return [row.id for row in rows]

    async def cards(self, only: str | None = None) -> dict[str, tuple[MatchCard, int]]:
        """The cards of all matches, or of one, and the numbers of their last entries."""
        wanted = select(matches).order_by(matches.c.id)
        rows = await self._log.fetch(wanted if only is None else wanted.where(matches.c.id == only))
        return {
            row.id: (MatchCard(one_of(MatchStage, row.stage), row.due), row.seq) for row in rows
        }

    async def remove(self, match_id: str) -> None:
        """Delete a match, whatever has been written."""

        def delete_it(connection: Connection) -> None:
            connection.execute(delete(match_entries).where(match_entries.c.match == match_id))
            connection.execute(delete(matches).where(matches.c.id == match_id))

        await self._log.transact(delete_it)

    async def idle(self, before: int) -> int:
        """How many matches in which no clock is running were last changed before then."""
        return len(await self._log.fetch(select(matches.c.id).where(_idle(before))))

    async def remove_idle(self, before: int) -> int:
        """Delete those matches. Returns how many they were."""
        return await self._log.transact(partial(_remove_idle, before))


def _context(match_id: str, seq: int) -> str:
    return f"match {match_id}/{seq}"


def _append(jobs: Sequence[_Queued], connection: Connection) -> dict[_Queued, bool]:
    written = dict.fromkeys(jobs, True)
    if not _inserted(jobs, connection):
        # Each alone, so that one refused entry fails alone.
        written = {job: _inserted([job], connection) for job in jobs}
    failpoints.reach(failpoints.AFTER_INSERT)
    return written


def _inserted(jobs: Sequence[_Queued], connection: Connection) -> bool:
    """Write all of these, or none if one is refused."""
    try:
        with connection.begin_nested():
            for job in jobs:
                match = job.match
                if job.entry["seq"] == 1:
                    connection.execute(insert(matches), match)
                connection.execute(insert(match_entries), job.entry)
                if job.entry["seq"] > 1:
                    changed = {name: value for name, value in match.items() if name != "id"}
                    connection.execute(update(matches).where(matches.c.id == match["id"]), changed)
    except IntegrityError as error:
        clear_frames(error)
        return False
    return True


def _idle(before: int) -> ColumnElement[bool]:
    return and_(matches.c.changed < before, matches.c.due.is_(None))


def _remove_idle(before: int, connection: Connection) -> int:
    # Whoever joins one of these waits, and then finds no match.
    found = select(matches.c.id).where(_idle(before))
    connection.execute(found.with_for_update())
    connection.execute(delete(match_entries).where(match_entries.c.match.in_(found)))
    return connection.execute(delete(matches).where(_idle(before))).rowcount
