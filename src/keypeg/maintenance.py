"""Looking after a database: backups, restoring them, and what is kept for how long."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.files import AlreadyExists, atomic_file, make_folder, sync
from keypeg.rules.notation import format_record
from keypeg.store.backup import check_backup, finish, put_back, require_database, write_backup
from keypeg.store.engines import parse_address
from keypeg.store.errors import WrongKey
from keypeg.store.log import Stage
from keypeg.store.paths import KEY, KEY_VARIABLE, known_key
from keypeg.store.retention import Retention
from keypeg.store.sql import SqlLog
from keypeg.table.records import public_records
from keypeg.table.soundness import check_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.store.log import Entry
    from keypeg.store.retention import Idle

    Progress = Callable[[str, int, int], None]

_DAY: Final = 24 * 60 * 60 * 1000


class Kept(NamedTuple):
    """What was backed up or restored, and verified."""

    tables: int
    entries: int


class Pruned(NamedTuple):
    """What was taken out of a database, or would be."""

    finished: int
    abandoned: int
    exported: int
    not_exported: tuple[str, ...]
    """Why finished tables were kept, a sentence each."""


async def backup(address: str, path: Path, told: Progress) -> Kept:
    """Write a verified backup of a database, which may be serving, into a new file."""
    require_database(address)
    key = _key_of(address)
    with atomic_file(path) as temporary:
        await write_backup(address, temporary, lambda done, of: told("copying", done, of))
        kept = await _verify_copy(temporary, key, told)
        finish(temporary)
        return kept


async def restore(path: Path, address: str, told: Progress) -> Kept:
    """Put a backup into an empty database that nobody serves, and verify what is there then."""
    check_backup(path)
    key = _key_of(address)
    with tempfile.TemporaryDirectory(prefix="keypeg-restore-") as folder:
        # A copy, because an older backup is brought up to date first.
        copy = Path(folder) / "backup.db"
        shutil.copyfile(path, copy)
        await _verify_copy(copy, key, told)
        # Alone until all is there. What is asked of the whole database may take its time.
        log = await SqlLog.open(address, key, alone=True, patience=None)
        try:
            await put_back(copy, address, lambda done, of: told("restoring", done, of))
            return await _verify(log, told)
        finally:
            await log.close()


async def prune(
    address: str,
    older_than: int | None,
    abandoned: int,
    folder: Path | None,
    told: Progress,
    *,
    only_look: bool = False,
) -> Pruned:
    """Remove tables that were left unfinished so many days ago, and finished ones if told so."""
    require_database(address)
    log, now = await SqlLog.open(address, _key_of(address)), time.time_ns() // 1_000_000
    retention = Retention(address)
    try:
        old = await retention.abandoned(now - abandoned * _DAY)
        if older_than is not None:
            old += await retention.finished(now - older_than * _DAY)
        if folder is not None and not only_look:
            make_folder(folder)
        counts, refused = {True: 0, False: 0}, []
        for number, idle in enumerate(old):
            try:
                if only_look or await _take_out(idle, log, retention, folder):
                    counts[idle.stage is Stage.OVER] += 1
            except (AlreadyExists, OSError) as error:
                reason = getattr(error, "strerror", None) or error
                refused.append(f"table {idle.table_id} is kept, not exported: {reason}")
            told("pruning", number + 1, len(old))
        exported = 0 if only_look or folder is None else counts[True]
        return Pruned(counts[True], counts[False], exported, tuple(refused))
    finally:
        await retention.close()
        await log.close()


def _key_of(address: str) -> bytes:
    """The key that a database's secrets are encrypted with; none is made here."""
    key = known_key(parse_address(address))
    if key is None:
        raise WrongKey(
            f"the key is needed and is not in a backup: set {KEY_VARIABLE}, or put {KEY} where "
            "this database's key belongs (beside a SQLite file, else in the data folder)"
        )
    return key


async def _verify_copy(path: Path, key: bytes, told: Progress) -> Kept:
    log = await SqlLog.open(f"sqlite:///{path}", key)
    try:
        return await _verify(log, told)
    finally:
        await log.close()


async def _verify(log: SqlLog, told: Progress) -> Kept:
    """Fold every table and check its invariants; a heartbeat, if any, must be readable."""
    await log.last_heartbeat()
    cards, count = await log.cards(), 0
    for number, (table_id, card) in enumerate(cards.items()):
        entries = await log.read(table_id)
        check_log(table_id, entries, card)
        count += len(entries)
        told("verifying", number + 1, len(cards))
    return Kept(len(cards), count)


async def _take_out(idle: Idle, log: SqlLog, retention: Retention, folder: Path | None) -> bool:
    """Remove a table, its series written down first; False if it has gone on, or is gone."""
    path = None
    if folder is not None and idle.stage is Stage.OVER:
        entries = await log.read(idle.table_id)
        if not entries:
            return False
        path = _export(folder, idle.table_id, entries)
    if await retention.remove(idle):
        return True
    # Where another prune was first, the export is all that is left.
    if path is not None and not await log.removed([idle.table_id]):
        path.unlink(missing_ok=True)
        sync(path.parent)
    return False


def _export(folder: Path, table_id: str, entries: Sequence[Entry]) -> Path:
    """Write a table's series as records; what this returns stays even if the machine stops."""
    path = folder / f"{table_id}.txt"
    text = "\n".join(map(format_record, public_records(table_id, entries))).encode()
    if path.is_file():
        found = _beginning(path, len(text) + 1)
        if found == text:
            sync(path)
            sync(folder)
            return path
        if not text.startswith(found):
            raise AlreadyExists(f"{path} exists and says something else")
        # One of ours, cut short, or from before another series was played.
        path.unlink()
    with atomic_file(path) as temporary:
        temporary.write_bytes(text)
    return path


def _beginning(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
