"""The faults: each a coroutine that plays through one of them and checks what is left.

A scenario gets an empty folder, a random generator, and how many faults and moves to make. It
raises a Violation when a promise is broken, and Impossible where this machine cannot do it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import time
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.databases import postgresql_address, postgresql_server
from tests.programs import run
from tests.server.guests import done, failpoint, party, read_back, until_done
from tests.server.history import (
    SLACK,
    History,
    Violation,
    check,
    check_log_of_server,
    count,
)
from tests.server.restartable import KEY, restartable_server
from tests.server.running import ServerProcess, greeted, seated

from bench.faults.crowd import KINDS, crowd
from bench.faults.library import Impossible, compiled
from bench.faults.proxy import proxy
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.events import RowExpired

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from pathlib import Path

    from tests.server.restartable import RestartableServer
    from tests.server.running import Raw

    from keypeg.client import Player

TABLES: Final = 12
LIMIT: Final = 60.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""
GOES_ON: Final = 20
"""A server that acknowledges this many more moves has not noticed."""


class Tally(NamedTuple):
    """What one round did.

    Processes killed, some of them at named points; faults of other kinds, or events whose order
    was looked at; acknowledged moves that were all held against the log, and what was amiss.
    """

    kills: int
    faults: int
    moves: int
    lost: int = 0
    doubled: int = 0
    named: int = 0
    kinds: dict[str, int] = {}  # noqa: RUF012 - never changed


if TYPE_CHECKING:
    Scenario = Callable[[Path, random.Random, "Size"], Coroutine[Any, Any, Tally]]


class Size(NamedTuple):
    """How large a round is to be."""

    faults: int
    moves: int
    tables: int = TABLES

    @property
    def between(self) -> int:
        """Moves between two faults."""
        return max(1, self.moves // self.faults)


async def checked(
    database: str, history: History, slack: int = SLACK, **options: Any
) -> dict[str, Any]:
    """What was counted, for a tally, if all invariants hold."""
    logs, cards = await read_back(database, history)
    found = count(history, logs)
    try:
        check(history, logs, cards, slack, **options)
    except Violation as violation:
        violation.count = found
        raise
    return {"moves": found.acknowledged, "lost": found.lost, "doubled": found.doubled}


async def _kills(database: str, folder: Path, rng: random.Random, size: Size) -> Tally:
    history, named = History(), 0
    with restartable_server(database, folder) as servers:
        # A computer's seat would start a process of its own after each kill.
        async with crowd([servers.port], size.tables, history, rng, kinds=KINDS[:3]):
            for left in range(size.faults, 0, -1):
                moves = rng.randint(1, max(1, 2 * (size.moves - done(history)) // left))
                await until_done(servers, history, moves, 3 + moves / 20)
                named += died_where_told(servers)
                await servers.end()
                servers.start(**failpoint(rng))
            await until_done(servers, history, size.moves - done(history), 5 + size.moves / 100)
        await servers.end()
    check_log_of_server(servers.log)
    return Tally(size.faults, 0, **await checked(database, history), named=named)


def died_where_told(server: RestartableServer) -> bool:
    """Whether a server was killed at a named point; none may die for another reason."""
    if not server.alive and not server.died_where_told:
        raise Violation(f"a server died of itself: {server.log.read_text()[-500:]}")
    return server.died_where_told


async def kills_on_sqlite(folder: Path, rng: random.Random, size: Size) -> Tally:
    """One server on SQLite, killed -9 at random moments and at named points."""
    return await _kills(f"sqlite:///{folder}/keypeg.db", folder, rng, size)


async def kills_on_postgresql(folder: Path, rng: random.Random, size: Size) -> Tally:
    """The same on PostgreSQL."""
    with postgresql_server() as server:
        database = await asyncio.to_thread(postgresql_address, server)
        return await _kills(database, folder, rng, size)


async def full_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """A disk that fills up and is emptied: refusals, no loss, and it goes on by itself."""
    with small_disk(folder / "disk") as disk:
        database, history = f"sqlite:///{disk}/keypeg.db", History()
        with restartable_server(database, folder, **more) as servers:
            async with party([servers.url], min(size.tables, 4), history, rng):
                for _ in range(size.faults):
                    await until_done(servers, history, 10)
                    fill(disk / "ballast")
                    await _until_refused(history)
                    await _look_on(servers, history)
                    (disk / "ballast").unlink()
                    before = done(history)
                    await until_done(servers, history, 5, LIMIT)
                    if done(history) == before:
                        raise Violation("F4: no move was acknowledged after there was room again")
                if not servers.alive:
                    raise Violation("F4: the server ended because the disk was full")
            await servers.end()
        return Tally(0, size.faults, **await checked(database, history))


@contextmanager
def small_disk(path: Path, megabytes: int = 6) -> Iterator[Path]:
    """A disk of its own, soon full."""
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
    """Write until nothing more goes in."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as ballast:
        for size in (65536, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(b"x" * size)


FULL: Final = "the database cannot be used now: the disk is full"


async def _until_refused(history: History) -> None:
    """Wait until somebody is told why nothing is acknowledged."""
    before, acknowledged = history.troubles[FULL], done(history)
    # What was on its way may have found room.
    goes_on = acknowledged + GOES_ON
    await within(LIMIT, lambda: history.troubles[FULL] > before or done(history) > goes_on)
    if history.troubles[FULL] == before:
        raise Violation("F4: nobody is told that the disk is full")


async def _look_on(servers: RestartableServer, history: History) -> None:
    """Games can be seen, though not played."""
    async with Client(servers.url) as client:
        for table in {op.table for op in history.ops}:
            history.tables.append(await client.watch(table).look())


async def failing_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """A sync fails: the server acknowledges nothing more and ends with an error."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    mark = folder / "fails"
    told = {"LD_PRELOAD": compiled(), "KEYPEG_TEST_SYNC_FAILS_ONCE": str(mark)}
    with restartable_server(database, folder, **told, **more) as servers:
        async with party([servers.url], min(size.tables, 4), history, rng):
            for _ in range(size.faults):
                await until_done(servers, history, rng.randint(1, size.moves))
                mark.touch()
                # Whoever is failed removes it.
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


async def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    return true()


async def bad_weather(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """Commands doubled, held back and swapped on their way."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    with restartable_server(database, folder, **more) as servers:
        async with (
            proxy(servers.port, rng) as (url, weather),
            party([url], size.tables, history, rng, certain=False),
        ):
            deadline = time.monotonic() + 5 + size.moves / 20
            while done(history) < size.moves and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        await servers.end()
    check_log_of_server(servers.log)
    faults = weather.doubled + weather.swapped + weather.held
    return Tally(0, faults, **await checked(database, history))


TURN: Final = 2
LATE: Final = 30.0
"""Seconds by which news of a turn's end may be late on a busy machine; jumps are longer."""
JUMPS: Final = (3600, -3600, 60, -60, 0)


async def turned_clock(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The wall clock jumps an hour to and fro; turns end when they should."""
    offset = folder / "offset"
    offset.write_text("0")
    database = f"sqlite:///{folder}/keypeg.db"
    environment = {
        "LD_PRELOAD": compiled(),
        "KEYPEG_TEST_OFFSET_FILE": str(offset),
        "KEYPEG_KEY": KEY,
        **more,
    }
    with ServerProcess(database, folder, **environment) as server:
        async with Client(server.url) as client:
            begun, ends = time.monotonic(), list[TurnEnd]()
            one, _ = await seated(client, turn_seconds=TURN, board="2x3/99")
            async with greeted(server.port, client.watch(one.table)) as socket:
                await socket.hear_a(wire.Present)
                for turns in range(1, size.faults + 1):
                    jump = rng.choice(JUMPS)
                    offset.write_text(str(jump))
                    ends.append(TurnEnd(await _end_of_turn(socket), jump))
                    if time.monotonic() - begun < turns * TURN:
                        raise Violation(f"F10: {turns} turns of {TURN} s were shorter")
        server.stop()
    check_turns(ends)
    return Tally(0, size.faults, 0)


class TurnEnd(NamedTuple):
    """When a turn ended, in the server's milliseconds, and by how many seconds they were off."""

    at: int
    offset: int


def check_turns(ends: Sequence[TurnEnd]) -> None:
    """Every turn took its time by the server's clock, the jumps taken out."""
    for before, after in pairwise(ends):
        took = (after.at - before.at) / 1000 - (after.offset - before.offset)
        if not TURN <= took <= TURN + LATE:
            raise Violation(f"F10: a turn of {TURN} s took {took:.1f} s")


async def _end_of_turn(socket: Raw) -> int:
    """When the next turn ended, as the server wrote it down."""
    try:
        async with asyncio.timeout(TURN + LATE):
            entry: wire.EntryOut = (await socket.hear_a(wire.Update)).entry
    except TimeoutError:
        raise Violation(f"F10: a turn of {TURN} s does not end") from None
    if not any(_expired(event) for event in entry.events):
        raise Violation("F10: something else than the clock moved")
    return entry.at


def _expired(event: Any) -> bool:
    return isinstance(event, wire.sent_as(RowExpired)) or bool(getattr(event, "expired", False))


async def synced_before_told(
    folder: Path,
    _rng: random.Random,
    size: Size,
    **more: str,
) -> Tally:
    """By strace: no acknowledgement leaves before a sync that began after its move was written.

    Several play at once, so that one sync is for many moves, and others are written meanwhile.
    """
    tracer = shutil.which("strace")
    if tracer is None:
        raise Impossible("strace is missing; on Debian: apt-get install strace")
    trace = folder / "trace"
    database = f"sqlite:///{folder}/keypeg.db"
    server = ServerProcess(database, folder, KEYPEG_KEY=KEY, **more)
    calls = "trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg"
    server.prefix = (tracer, "-f", "-D", "-s", "5000", "-e", calls, "-o", str(trace))
    each = size.moves // size.tables
    with server:
        async with Client(server.url) as client:
            players = [await seated(client, board="4x6/99") for _ in range(size.tables)]
            await asyncio.gather(
                *(
                    _guess_on(server.port, number, *pair, each)
                    for number, pair in enumerate(players)
                )
            )
        server.stop()
    told = _follow(trace.read_text(errors="replace"))
    if told < each * size.tables:
        raise AssertionError(f"strace saw {told} of {each * size.tables} acknowledgements")
    return Tally(0, told, 0)


async def _guess_on(port: int, number: int, one: Player, two: Player, moves: int) -> None:
    async with one.connect() as maker:
        await maker.set_secret((1, 2, 3, 4))
    async with greeted(port, two) as breaker:
        await breaker.hear_a(wire.Present)
        for move in range(moves):
            await breaker.say(wire.Guess(id=f"move-{number:03}-{move:05}", code=(5, 5, 6, 6)))
            await breaker.hear_a(wire.Ack)


_MOVE = re.compile(r"move-\d{3}-\d{5}")
_WRITE = re.compile(r"^\d+ +pwrite64\(")
_SYNC = re.compile(r"^(\d+) +(<\.\.\. )?(?:fdatasync|fsync)\b(.*)$")
_ACK = re.compile(r"^\d+ +(?:write|writev|sendto|sendmsg)\(.*type\\?\":\\?\"ack")


def _follow(trace: str) -> int:
    """The acknowledgements in a trace, each after a sync that began after its move was written."""
    written: dict[str, int] = {}
    begun: dict[str, int] = {}
    told, synced = 0, -1
    for number, line in enumerate(trace.splitlines()):
        if _WRITE.match(line):
            for move in _MOVE.findall(line):
                # A page is written again with each row that is added to it.
                written.setdefault(move, number)
        elif found := _SYNC.match(line):
            if not found[2]:
                begun[found[1]] = number
            if found[3].rstrip().endswith("= 0"):
                synced = max(synced, begun[found[1]])
        elif _ACK.match(line):
            for move in _MOVE.findall(line):
                told += 1
                if written.get(move, number) > synced:
                    raise Violation(f"F2: {move} was acknowledged without a sync")
    return told


async def power_cuts(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The server is killed, and its disk forgets whatever it was not asked to sync.

    No file system of Debian's does that: there is no package of LazyFS or its like, libfiu lets
    calls fail but forgets nothing, and dm-flakey and dm-log-writes need modules of the kernel
    that a container has not. So a library below SQLite keeps the files as they were synced.
    """
    disk, shadow, history = folder / "disk", folder / "shadow", History()
    disk.mkdir()
    shadow.mkdir()
    database = f"sqlite:///{disk}/keypeg.db"
    told = {
        "LD_PRELOAD": compiled(),
        "KEYPEG_TEST_DISK": str(disk),
        "KEYPEG_TEST_SHADOW": str(shadow),
    }
    with restartable_server(database, folder, **told, **more) as servers:
        async with crowd([servers.port], size.tables, history, rng, kinds=KINDS[:3]):
            for _ in range(size.faults):
                moves = rng.randint(1, 2 * size.between)
                await until_done(servers, history, moves, 3 + moves / 20)
                await servers.end()
                _forget(disk, shadow)
                servers.start()
            await until_done(servers, history, 5, 3)  # where the tables are lost, none is done
        await servers.end()
    return Tally(size.faults, size.faults, **await checked(database, history))


def _forget(disk: Path, shadow: Path) -> None:
    """Put the files back as they were last synced."""
    for file in disk.iterdir():
        file.unlink()
    for file in shadow.iterdir():
        if not file.name.endswith("-draft"):
            shutil.copyfile(file, disk / file.name)


SCENARIOS: Final[dict[str, Scenario]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        kills_on_sqlite,
        kills_on_postgresql,
        full_disk,
        failing_disk,
        bad_weather,
        turned_clock,
        synced_before_told,
        power_cuts,
    )
}
"""Every fault by its name."""
