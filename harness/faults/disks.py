"""A disk that is full, that fails to sync, or that loses what was not synced."""

from __future__ import annotations

import contextlib
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from harness.checker import Violation
from harness.clients.guests import guests
from harness.faults.library import Impossible, compiled
from harness.faults.rounds import LIMIT, Size, Tally, busy_guests, checked, until_done, within
from harness.history import History
from harness.programs import run
from harness.servers.restartable import restartable_server
from keypeg.client import Client

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from harness.servers.restartable import RestartableServer

GOES_ON: Final = 20
"""A server that acknowledges this many more moves has not noticed."""


async def full_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """A disk fills up and is emptied: refusals, no loss, and the server goes on by itself."""
    with small_disk(folder / "disk") as disk:
        database, history = f"sqlite:///{disk}/keypeg.db", History()
        with restartable_server(database, folder, **more) as servers:
            async with guests([servers.port], min(size.tables, 4), history, rng):
                for _ in range(size.faults):
                    await until_done(servers, history, 10)
                    fill(disk / "ballast")
                    await _until_refused(history)
                    await _look_on(servers, history)
                    (disk / "ballast").unlink()
                    before = history.acknowledged
                    await until_done(servers, history, 5, LIMIT)
                    if history.acknowledged == before:
                        raise Violation("F4: no move was acknowledged after there was room again")
                if not servers.alive:
                    raise Violation("F4: the server ended because the disk was full")
            await servers.end()
        return Tally(0, size.faults, **await checked(database, history))


@contextmanager
def small_disk(path: Path, megabytes: int = 6) -> Iterator[Path]:
    """A disk of its own that is soon full."""
    path.mkdir()
    if os.geteuid() != 0:
        raise Impossible("only root can mount a small disk")
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs"]
    mounted = run(["mount", *options, path])
    if mounted.returncode:
        raise Impossible(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield path
    finally:
        run(["umount", "-l", path], check=True)


def fill(path: Path) -> None:
    """Write until the disk is full."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as ballast:
        for size in (65536, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(b"x" * size)


FULL: Final = "the database cannot be used now: the disk is full"


async def _until_refused(history: History) -> None:
    """Wait until a refusal gives the reason."""
    before, acknowledged = history.troubles[FULL], history.acknowledged
    # What was being written may still have found room.
    goes_on = acknowledged + GOES_ON
    await within(LIMIT, lambda: history.troubles[FULL] > before or history.acknowledged > goes_on)
    if history.troubles[FULL] == before:
        raise Violation("F4: no refusal says that the disk is full")


async def _look_on(servers: RestartableServer, history: History) -> None:
    """Check that games can be watched, though not played."""
    async with Client(servers.url) as client:
        for table in {op.table for op in history.ops}:
            history.tables.append(await client.watch(table).look())


async def failing_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """A sync fails: the server acknowledges nothing more and ends with an error."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    mark = folder / "fails"
    settings = {"LD_PRELOAD": compiled(), "KEYPEG_TEST_SYNC_FAILS_ONCE": str(mark)}
    with restartable_server(database, folder, **settings, **more) as servers:
        async with guests([servers.port], min(size.tables, 4), history, rng):
            for _ in range(size.faults):
                await until_done(servers, history, rng.randint(1, size.moves))
                mark.touch()
                # The library removes it when it fails a sync.
                if not await within(LIMIT, lambda: not mark.exists()):
                    raise Violation("F5: the server has not synced anything")
                await until_done(servers, history, GOES_ON, LIMIT)
                if servers.alive:
                    raise Violation("F5: the server goes on after a failed fsync")
                if servers.status == 0:
                    raise Violation("F5: the server says all is well after a failed fsync")
                servers.start()
            await until_done(servers, history, 5)
        await servers.end()
    return Tally(size.faults, size.faults, **await checked(database, history))


async def power_cuts(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The server is killed, and its disk loses whatever was not synced.

    Debian has no file system for that: LazyFS is not packaged, libfiu lets calls fail but loses
    nothing, and dm-flakey and dm-log-writes need kernel modules that a container lacks. So a
    library below SQLite keeps the files as they were synced.
    """
    disk, shadow, history = folder / "disk", folder / "shadow", History()
    disk.mkdir()
    shadow.mkdir()
    database = f"sqlite:///{disk}/keypeg.db"
    settings = {
        "LD_PRELOAD": compiled(),
        "KEYPEG_TEST_DISK": str(disk),
        "KEYPEG_TEST_SHADOW": str(shadow),
    }
    with restartable_server(database, folder, **settings, **more) as servers:
        async with busy_guests(servers, size, history, rng):
            for _ in range(size.faults):
                moves = rng.randint(1, 2 * size.between)
                await until_done(servers, history, moves, 3 + moves / 20)
                await servers.end()
                _forget(disk, shadow)
                servers.start()
            await until_done(servers, history, 5, 3)  # none is acknowledged if the tables are lost
        await servers.end()
    return Tally(size.faults, size.faults, **await checked(database, history))


def _forget(disk: Path, shadow: Path) -> None:
    """Put the files back as they were last synced."""
    for file in disk.iterdir():
        file.unlink()
    for file in shadow.iterdir():
        if not file.name.endswith("-draft"):
            shutil.copyfile(file, disk / file.name)
