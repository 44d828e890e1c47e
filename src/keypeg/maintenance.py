"""Maintaining a database: backups, restoring them, and removing old tables."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.contests.soundness import check_contests
from keypeg.daily.soundness import check_attempts
from keypeg.files import AlreadyExists, atomic_file, make_folder, sync
from keypeg.matches.soundness import check_matches, what_is_wrong
from keypeg.rules.errors import KeypegError
from keypeg.rules.notation import format_record
from keypeg.store.backup import check_backup, finish, put_back, require_database, write_backup
from keypeg.store.contests import ContestStore
from keypeg.store.daily_attempts import DailyAttempts
from keypeg.store.engines import parse_address
from keypeg.store.errors import Broken, Unavailable, Unreadable, WrongKey
from keypeg.store.log import Stage
from keypeg.store.matches import MatchStore
from keypeg.store.paths import KEY, KEY_VARIABLE, known_key, naming_key
from keypeg.store.retention import Retention
from keypeg.store.sql import SqlLog
from keypeg.table.records import public_records
from keypeg.table.soundness import Unsound, check_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from keypeg.store.log import Card, Entry
    from keypeg.store.retention import Idle

    Progress = Callable[[str, int, int], None]

_DAY: Final = 24 * 60 * 60 * 1000
_ROOM: Final = 1 << 20
"""Bytes that must be free for SQLite to work; with fewer, a failure is one of room."""


class NoRoom(KeypegError):
    """The disk is full."""


class Verified(NamedTuple):
    """How much was backed up or restored, and verified."""

    tables: int
    entries: int
    attempts: int
    """At daily codes."""
    contests: int
    matches: int


class Pruned(NamedTuple):
    """How many tables were removed from a database, or would be."""

    finished: int
    abandoned: int
    exported: int
    not_exported: tuple[str, ...]
    """Why finished tables were kept, a sentence each."""
    attempts: int
    """Attempts at daily codes."""
    contests: int
    matches: int
    refused: tuple[str, ...]
    """What is wrong with the tables that were removed because their log is refused."""


async def backup(address: str, path: Path, progress: Progress) -> Verified:
    """Write a verified backup of a database, which may be in use, into a new file."""
    require_database(address)
    key = _key_of(address)
    with atomic_file(path) as temporary, _room_for(path), _alone(temporary):
        await write_backup(address, temporary, lambda done, of: progress("copying", done, of))
        with naming_key(parse_address(address)):
            verified = await _verify_copy(temporary, key, progress)
        finish(temporary)
        return verified


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Say that the disk is full, if that is why a backup fails: SQLite has many names for it."""
    try:
        yield
    except (Broken, Unavailable, sqlite3.Error, OSError) as error:
        if shutil.disk_usage(path.parent).free >= _ROOM:
            raise
        raise NoRoom(f"{path}: the disk is full; nothing was written") from error


@contextmanager
def _alone(draft: Path) -> Iterator[None]:
    """Remove the files that SQLite keeps beside a database, which a failure leaves behind."""
    try:
        yield
    finally:
        for suffix in ("-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


async def restore(path: Path, address: str, progress: Progress) -> Verified:
    """Restore a backup into an empty database that no server has open, and verify the result."""
    check_backup(path)
    key = _key_of(address)
    with tempfile.TemporaryDirectory(prefix="keypeg-restore-") as folder:
        # A copy, because an older backup is migrated first.
        copy = Path(folder) / "backup.db"
        shutil.copyfile(path, copy)
        with naming_key(parse_address(address), "this backup"):
            await _verify_copy(copy, key, progress)
        # Locked until everything is there. Queries over the whole database may take long.
        log = await SqlLog.open(address, key, alone=True, patience=None)
        try:
            await put_back(copy, address, lambda done, of: progress("restoring", done, of))
            return await _verify(log, progress)
        finally:
            await log.close()


async def prune(
    address: str,
    older_than: int | None,
    abandoned: int,
    folder: Path | None,
    progress: Progress,
    *,
    daily: int,
    contests: int,
    matches: int = 90,
    refused: bool = False,
    only_look: bool = False,
) -> Pruned:
    """Remove tables unfinished for `abandoned` days, and those finished `older_than` days ago.

    Attempts at daily codes are removed when nobody has continued them for `daily` days,
    contests when nobody has played in them for `contests` days, and races and duels without a
    running clock when nothing has happened in them for `matches` days.
    With `refused`, also those whose log was changed or damaged. They are not exported.
    """
    require_database(address)
    with naming_key(parse_address(address)):
        log = await SqlLog.open(address, _key_of(address))
    now = time.time_ns() // 1_000_000
    retention = Retention(address)
    try:
        wrong = await _take_out_refused(log, retention, progress, only_look) if refused else ()
        old = await retention.abandoned(now - abandoned * _DAY)
        if older_than is not None:
            old += await retention.finished(now - older_than * _DAY)
        if folder is not None and not only_look:
            make_folder(folder)
        counts, kept = {True: 0, False: 0}, []
        for number, idle in enumerate(old):
            try:
                if only_look or await _take_out(idle, log, retention, folder):
                    counts[idle.stage is Stage.OVER] += 1
            except (AlreadyExists, OSError, Unreadable) as error:
                reason = getattr(error, "strerror", None) or error
                kept.append(f"table {idle.table_id} is kept, not exported: {reason}")
            progress("pruning", number + 1, len(old))
        exported = 0 if only_look or folder is None else counts[True]
        attempts, before = DailyAttempts(log), now - daily * _DAY
        gone = await (attempts.old(before) if only_look else attempts.remove_old(before))
        stored, before = ContestStore(log), now - contests * _DAY
        closed = await (stored.idle(before) if only_look else stored.remove_idle(before))
        played, before = MatchStore(log), now - matches * _DAY
        ended = await (played.idle(before) if only_look else played.remove_idle(before))
        return Pruned(
            counts[True], counts[False], exported, tuple(kept), gone, closed, ended, wrong
        )
    finally:
        await retention.close()
        await log.close()


def _key_of(address: str) -> bytes:
    """The key that encrypts a database's secrets; it is not made here."""
    key = known_key(parse_address(address))
    if key is None:
        raise WrongKey(
            f"the key of the database is missing: set {KEY_VARIABLE}, or put {KEY} beside the "
            "SQLite file, or into the data folder for PostgreSQL; no backup contains it"
        )
    return key


async def _verify_copy(path: Path, key: bytes, progress: Progress) -> Verified:
    log = await SqlLog.open(f"sqlite:///{path}", key)
    try:
        return await _verify(log, progress)
    finally:
        await log.close()


async def _verify(log: SqlLog, progress: Progress) -> Verified:
    """Check the log of every table; the last heartbeat, if any, must be readable."""
    await log.last_heartbeat()
    cards, count = await log.cards(), 0
    for number, (table_id, card) in enumerate(cards.items()):
        entries = await log.read(table_id)
        check_log(table_id, entries, card)
        count += len(entries)
        progress("verifying", number + 1, len(cards))
    attempts, contests = await check_attempts(log), await check_contests(log)
    return Verified(len(cards), count, attempts, contests, await check_matches(log))


async def _take_out_refused(
    log: SqlLog, retention: Retention, progress: Progress, only_look: bool
) -> tuple[str, ...]:
    """Remove the tables whose log is refused; what is wrong with each."""
    found = []
    cards = await log.cards()
    for number, table_id in enumerate(cards):
        wrong = await _what_is_wrong(log, table_id, cards)
        if wrong is not None:
            if not only_look:
                await retention.remove_whole(table_id)
            found.append(wrong)
        progress("checking", number + 1, len(cards))
    return tuple(found) + await _take_out_refused_matches(log, only_look)


async def _take_out_refused_matches(log: SqlLog, only_look: bool) -> tuple[str, ...]:
    """The same for races and duels."""
    store, found = MatchStore(log), []
    for match_id in await store.cards():
        wrong = await what_is_wrong(store, match_id)
        if wrong is not None:
            if not only_look:
                await store.remove(match_id)
            found.append(wrong)
    return tuple(found)


async def _what_is_wrong(log: SqlLog, table_id: str, cards: dict[str, Card]) -> str | None:
    """Why a table is refused, or None. Its card may have changed since all cards were read."""
    card: Card | None = cards[table_id]
    while card is not None:
        try:
            check_log(table_id, await log.read(table_id), card)
        except (Unreadable, Unsound) as error:
            before, card = card, (await log.cards()).get(table_id)
            if before == card:
                return str(error)
        else:
            return None
    return None


async def _take_out(idle: Idle, log: SqlLog, retention: Retention, folder: Path | None) -> bool:
    """Export a finished table and remove it; False if it was played on, or is gone."""
    path = None
    if folder is not None and idle.stage is Stage.OVER:
        entries = await log.read(idle.table_id)
        if not entries:
            return False
        path = _export(folder, idle.table_id, entries)
    if await retention.remove(idle):
        return True
    # If another prune has removed the table, this export is the only copy.
    if path is not None and not await log.removed([idle.table_id]):
        path.unlink(missing_ok=True)
        sync(path.parent)
    return False


def _export(folder: Path, table_id: str, entries: Sequence[Entry]) -> Path:
    """Write a table's series as records; they are on disk when this returns."""
    path = folder / f"{table_id}.txt"
    text = "\n".join(map(format_record, public_records(table_id, entries))).encode()
    if path.is_file():
        found = _beginning(path, len(text) + 1)
        if found == text:
            sync(path)
            sync(folder)
            return path
        if not text.startswith(found):
            raise AlreadyExists(f"{path} exists and has other contents")
        # An earlier export, cut short, or made before another series was played.
        path.unlink()
    with atomic_file(path) as temporary:
        temporary.write_bytes(text)
    return path


def _beginning(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
