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
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.databases import postgresql_address, postgresql_server, redis_server, restart
from tests.server.guests import done, failpoint, party, read_back, until_done
from tests.server.history import History, Violation, check
from tests.server.nursery import KEY, nurseries, nursery
from tests.server.running import ServerProcess, greeted, seated

from bench.faults.proxy import proxy
from keypeg.client import Client
from keypeg.server import messages as wire

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

    from tests.server.nursery import Nursery

FROZEN: Final = 2.0
TABLES: Final = 12


class Impossible(Exception):
    """This machine cannot do this, and why."""


class Tally(NamedTuple):
    """What one round did.

    Processes killed; faults of other kinds, or events whose order was looked at; acknowledged
    moves that were all held against the log.
    """

    kills: int
    faults: int
    moves: int


class Size(NamedTuple):
    """How large a round is to be."""

    faults: int
    moves: int
    tables: int = TABLES

    @property
    def between(self) -> int:
        """Moves between two faults."""
        return max(1, self.moves // self.faults)


async def _checked(database: str, history: History, slack: float = 0.25, **options: Any) -> int:
    """The number of acknowledged moves, if all invariants hold."""
    logs, stages = await read_back(database, history)
    check(history, logs, stages, round(1000 * slack), **options)
    return done(history)


async def _kills(database: str, folder: Path, rng: random.Random, size: Size) -> Tally:
    history = History()
    with nursery(database, folder) as servers:
        async with party([servers.url], size.tables, history, rng):
            for _ in range(size.faults):
                moves = rng.randint(1, 2 * size.between)
                await until_done(servers, history, moves, 3 + moves / 20)
                await servers.end()
                servers.start(**failpoint(rng))
            await until_done(servers, history, 5)
        await servers.end()
    return Tally(size.faults, 0, await _checked(database, history))


async def kills_on_sqlite(folder: Path, rng: random.Random, size: Size) -> Tally:
    """One server on SQLite, killed -9 at random moments and at named points."""
    return await _kills(f"sqlite:///{folder}/keypeg.db", folder, rng, size)


async def kills_on_postgresql(folder: Path, rng: random.Random, size: Size) -> Tally:
    """The same on PostgreSQL."""
    with postgresql_server() as server:
        database = await asyncio.to_thread(postgresql_address, server)
        return await _kills(database, folder, rng, size)


async def four_servers(folder: Path, rng: random.Random, size: Size) -> Tally:
    """Four on PostgreSQL and Redis: killed, stopped, Redis cut, PostgreSQL killed."""
    history, kills = History(), 0
    with postgresql_server() as postgresql, redis_server() as redis:
        database = await asyncio.to_thread(postgresql_address, postgresql)
        with nurseries(4, database, folder, KEYPEG_REDIS=redis.url) as servers:
            async with party([one.url for one in servers], size.tables, history, rng):
                for _ in range(size.faults):
                    await _settle(servers, history, size.between)
                    match rng.choice(["kill", "kill", "freeze", "redis", "postgresql"]):
                        case "kill":
                            victim = rng.choice(servers)
                            await victim.end()
                            victim.start(**failpoint(rng))
                            kills += 1
                        case "freeze":
                            victim = rng.choice(servers)
                            victim.send(signal.SIGSTOP)
                            await asyncio.sleep(rng.uniform(0.1, FROZEN))
                            victim.send(signal.SIGCONT)
                        case "redis":
                            redis.kill()
                            await _settle(servers, history, 10)
                            redis.start()
                        case _:
                            await asyncio.to_thread(restart, postgresql)
                await _settle(servers, history, 5)
            for server in servers:
                await server.end()
        # A turn may end while PostgreSQL is away, which delays what was sent in time.
        moves = await _checked(database, history, FROZEN + 20)
    return Tally(kills, size.faults - kills, moves)


async def _settle(servers: list[Nursery], history: History, moves: int) -> None:
    """Let moves be made; servers that died of themselves are started again."""
    wanted, deadline = done(history) + moves, time.monotonic() + 5 + moves / 20
    while done(history) < wanted and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
        for server in servers:
            if not server.alive:
                server.start()


async def full_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """A disk that fills up and is emptied: refusals, no loss, and it goes on by itself."""
    with _small_disk(folder / "disk") as disk:
        database, history = f"sqlite:///{disk}/keypeg.db", History()
        with nursery(database, folder, **more) as servers:
            async with party([servers.url], min(size.tables, 4), history, rng):
                for _ in range(size.faults):
                    await until_done(servers, history, 10)
                    _fill(disk / "ballast")
                    await _until_refused(servers, history)
                    (disk / "ballast").unlink()
                    before = done(history)
                    await until_done(servers, history, 5, 10)
                    if done(history) == before:
                        raise Violation("F4: no move was acknowledged after there was room again")
                if not servers.alive:
                    raise Violation("F4: the server ended because the disk was full")
            await servers.end()
        return Tally(0, size.faults, await _checked(database, history))


@contextmanager
def _small_disk(path: Path) -> Iterator[Path]:
    path.mkdir()
    if os.geteuid() != 0:
        raise Impossible("only root can mount a small disk")
    options = ["-t", "tmpfs", "-o", "size=6m", "tmpfs"]
    if subprocess.run(["mount", *options, str(path)], check=False).returncode:
        raise Impossible("a small disk cannot be mounted here")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def _fill(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as ballast:
        for size in (65536, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(b"x" * size)


async def _until_refused(servers: Nursery, history: History) -> None:
    """Wait until nothing more is acknowledged."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        before = done(history)
        await asyncio.sleep(0.3)
        if done(history) == before and servers.alive:
            return
    raise Violation("F4: moves are acknowledged on a full disk")


SHIM: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int due(void) {
    static int count = 0, wanted = -1;
    if (wanted < 0) wanted = atoi(getenv("KEYPEG_TEST_SYNC_FAILS_AT"));
    return __sync_add_and_fetch(&count, 1) == wanted;
}

int fdatasync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    if (due()) { errno = EIO; return -1; }
    return real(fd);
}

int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    if (due()) { errno = EIO; return -1; }
    return real(fd);
}
"""


async def failing_disk(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The n-th fdatasync fails: the server acknowledges nothing more and ends with an error."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    shim = _compiled(folder, SHIM)
    server = ServerProcess(database, folder, KEYPEG_KEY=KEY, **more)
    server.start()
    try:
        async with party([server.url], min(size.tables, 4), history, rng):
            for _ in range(size.faults):
                await _while_done(server, history, 5)
                server.kill()
                fails_at = str(rng.randint(20, 60))
                server.start(LD_PRELOAD=str(shim), KEYPEG_TEST_SYNC_FAILS_AT=fails_at)
                await _while_done(server, history, 10_000, 15)
                if server.alive:
                    raise Violation("F5: the server goes on after a failed fsync")
                if server.wait() == 0:
                    raise Violation("F5: the server says all is well after a failed fsync")
                server.start()
            await _while_done(server, history, 5)
    finally:
        if server.alive:
            server.kill()
    return Tally(size.faults, size.faults, await _checked(database, history))


async def _while_done(
    server: ServerProcess, history: History, moves: int, seconds: float = 3
) -> None:
    wanted, deadline = done(history) + moves, time.monotonic() + seconds
    while done(history) < wanted and server.alive and time.monotonic() < deadline:
        await asyncio.sleep(0.01)


def _compiled(folder: Path, program: str) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise Impossible("there is no C compiler")
    source, shim = folder / "shim.c", folder / "shim.so"
    source.write_text(program)
    command = [compiler, "-shared", "-fPIC", "-o", str(shim), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return shim


async def bad_weather(folder: Path, rng: random.Random, size: Size) -> Tally:
    """Commands doubled, held back and swapped on their way."""
    database, history = f"sqlite:///{folder}/keypeg.db", History()
    with nursery(database, folder) as servers:
        async with (
            proxy(servers.port, rng) as (url, weather),
            party([url], size.tables, history, rng, certain=False),
        ):
            deadline = time.monotonic() + 5 + size.moves / 20
            while done(history) < size.moves and time.monotonic() < deadline:
                await asyncio.sleep(0.02)
        await servers.end()
    faults = weather.doubled + weather.swapped + weather.held
    return Tally(0, faults, await _checked(database, history))


CLOCK: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The wall clock alone is turned, by as many seconds as a file says; other clocks are not. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *) = NULL;
    if (real == NULL) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, now);
    if (clock == CLOCK_REALTIME && !failed) {
        long seconds = 0;
        FILE *file = fopen(getenv("KEYPEG_TEST_OFFSET_FILE"), "r");
        if (file != NULL) {
            if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
            fclose(file);
        }
        now->tv_sec += seconds;
    }
    return failed;
}
"""
TURN: Final = 2
LATE: Final = 3.0


async def turned_clock(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The wall clock jumps an hour to and fro; turns end when they should."""
    library = _compiled(folder, CLOCK)
    offset = folder / "offset"
    offset.write_text("0")
    database = f"sqlite:///{folder}/keypeg.db"
    environment = {
        "LD_PRELOAD": str(library),
        "KEYPEG_TEST_OFFSET_FILE": str(offset),
        "KEYPEG_KEY": KEY,
        **more,
    }
    with ServerProcess(database, folder, **environment) as server:
        async with Client(server.url) as client:
            one, _ = await seated(client, turn_seconds=TURN, board="2x3/99")
            async with greeted(server.port, client.watch(one.table)) as socket:
                await socket.hear_a(wire.Present)
                last: float | None = None
                for _ in range(size.faults):
                    offset.write_text(str(rng.choice([3600, -3600, 60, -5, 0])))
                    try:
                        heard = await socket.hear_a(wire.Update)
                    except TimeoutError:
                        raise Violation("F10: a turn has not ended after ten seconds") from None
                    now = time.monotonic()
                    if last is not None and not TURN - 0.2 <= now - last <= TURN + LATE:
                        raise Violation(f"F10: a turn of {TURN} s took {now - last:.2f} s")
                    if not any(_expired(event) for event in heard.entry.events):
                        raise Violation("F10: something else than the clock moved")
                    last = now
        server.stop()
    return Tally(0, size.faults, 0)


def _expired(event: Any) -> bool:
    return isinstance(event, wire.RowExpired) or bool(getattr(event, "expired", False))


async def synced_before_told(
    folder: Path,
    _rng: random.Random,
    size: Size,
    **more: str,
) -> Tally:
    """By strace: no acknowledgement leaves before a sync that began after its commit is done."""
    tracer = shutil.which("strace")
    if tracer is None:
        raise Impossible("strace is missing; on Debian: apt-get install strace")
    trace = folder / "trace"
    database = f"sqlite:///{folder}/keypeg.db"
    server = ServerProcess(database, folder, KEYPEG_KEY=KEY, **more)
    calls = "trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg"
    server.prefix = (tracer, "-f", "-D", "-s", "40", "-e", calls, "-o", str(trace))
    with server:
        async with Client(server.url) as client:
            one, two = await seated(client, board="4x6/99", games=100)
            async with one.connect() as maker:
                await maker.set_secret((1, 2, 3, 4))
            async with greeted(server.port, two) as breaker:
                await breaker.hear_a(wire.Present)
                for number in range(size.moves):
                    await breaker.say(wire.Guess(id=f"g{number}", code=(5, 5, 6, 6)))
                    await breaker.hear_a(wire.Ack)
        server.stop()
    told = _follow(trace.read_text(errors="replace"))
    if told < size.moves:
        raise AssertionError(f"strace saw {told} of {size.moves} acknowledgements")
    return Tally(0, told, 0)


_SYNC = re.compile(r"^(\d+) +(?:<\.\.\. )?(?:fdatasync|fsync)\b(.*)$")
_ACK = re.compile(r"^(\d+) +(?:write|writev|sendto|sendmsg)\(.*type\\?\":\\?\"ack")


def _follow(trace: str) -> int:
    """The acknowledgements in a trace, each with a sync since the last write to the log."""
    told, synced = 0, False
    for line in trace.splitlines():
        found = _SYNC.match(line)
        if found and found[2].rstrip().endswith("= 0"):
            synced = True
        elif _ACK.match(line):
            told += 1
            if not synced:
                raise Violation(f"F2: acknowledgement {told} was sent without a sync")
            synced = False
    return told


SCENARIOS: Final[dict[str, Callable[[Path, random.Random, Size], Coroutine[Any, Any, Tally]]]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        kills_on_sqlite,
        kills_on_postgresql,
        four_servers,
        full_disk,
        failing_disk,
        bad_weather,
        turned_clock,
        synced_before_told,
    )
}
"""Every fault by its name."""
