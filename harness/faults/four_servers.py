"""Four servers on one PostgreSQL and one Redis, and everything that can go wrong with them.

A server is killed at a random moment or a named point, or stopped until its tables have moved on;
PostgreSQL is killed, finds its disk full, or has a sync fail; Redis is killed and returns. All the
while commands are doubled, held back and overtaken. In the end the wall clock jumps, for tables of
their own: from then on times in the log prove nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from harness.checker import BUSY, check_log_of_server
from harness.clients.guests import WITHOUT_COMPUTER, Weather, guests
from harness.databases import (
    ended,
    postgresql_address,
    postgresql_server,
    redis_server,
    restart,
    start,
)
from harness.faults.disks import FULL, fill, small_disk
from harness.faults.library import Impossible, compiled
from harness.faults.rounds import FEW, LIMIT, Size, Tally, checked, died_at_failpoint, within
from harness.history import History
from harness.servers.processes import NotStarted
from harness.servers.restartable import failpoint, restartable_servers

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from harness.databases import RedisServer
    from harness.servers.restartable import RestartableServer

SERVERS: Final = 4
DISK_MEGABYTES: Final = 1024
FROZEN: Final = (1.0, 5.0)
"""Seconds for which a server is stopped: some longer than guests wait before they leave it."""
JUMPS: Final = (3600, -3600, 60, -5, 0)
PACE: Final = 250
"""Moves a second at most: about half of what four servers can do on two cores."""
TURNED: Final = 10
"""One move in this many is made while the wall clock jumps."""


class Deployment:
    """The servers with their databases, and every fault as a method."""

    def __init__(
        self, folder: Path, fails: Path, disk: Path | None, postgresql: Any, redis: RedisServer
    ) -> None:
        self.folder, self.fails, self.disk = folder, fails, disk
        self.postgresql, self.redis = postgresql, redis
        self.servers: Sequence[RestartableServer] = ()
        self.only: Sequence[str] = ()
        self.kinds = Counter(dict.fromkeys([*self.faults(), "turned-clock"], 0))
        """How often each fault was made and had an effect."""
        self.named = self.gave_up = 0
        """Servers killed at a named point, and servers that ended because their disk failed."""
        self._offset = 0

    def faults(self) -> list[str]:
        """The faults that this machine can produce, some more often than others."""
        some = ["kill"] * 4 + ["freeze"] * 2 + ["redis", "postgresql", "failing-sync"]
        return some + ["full-disk"] * (self.disk is not None)

    async def make(self, fault: str, history: History, rng: random.Random) -> None:
        """Make a fault, and wait until it is over."""
        felt = True
        match fault:
            case "kill":
                felt = await self._kill(rng)
            case "freeze":
                with history.disturbance():
                    felt = await self._freeze(rng)
            case "redis":
                self.redis.kill()
                await self.settle(history, 50)
                await asyncio.to_thread(self.redis.start)
            case "turned-clock":
                self._offset = rng.choice([jump for jump in JUMPS if jump != self._offset])
                (self.folder / "offset").write_text(str(self._offset))
            case _:
                with history.disturbance():
                    felt = await self._trouble_postgresql(fault, history, rng)
                    await self.settle(history, 5)
        self.kinds[fault] += felt

    async def _kill(self, rng: random.Random) -> bool:
        victim = rng.choice(self.servers)
        felt = victim.alive
        if not felt:
            self._note(victim)
        await victim.end()
        with contextlib.suppress(NotStarted):
            await asyncio.to_thread(victim.start, **failpoint(rng))
        return felt

    async def _freeze(self, rng: random.Random) -> bool:
        victim = rng.choice(self.servers)
        victim.send(signal.SIGSTOP)
        await asyncio.sleep(rng.uniform(*FROZEN))
        felt = victim.alive
        victim.send(signal.SIGCONT)
        return felt

    async def _trouble_postgresql(self, fault: str, history: History, rng: random.Random) -> bool:
        if fault == "full-disk" and self.disk is not None:
            before = history.troubles[FULL]
            await asyncio.to_thread(fill, self.disk / "ballast")
            felt = await within(LIMIT, lambda: history.troubles[FULL] > before)
            (self.disk / "ballast").unlink()
        elif fault == "failing-sync":
            mark = self.fails
            mark.touch()
            # The library removes it when it fails a sync.
            felt = await within(LIMIT, lambda: not mark.exists())
            mark.unlink(missing_ok=True)
        else:
            # Killed, or ended at once.
            sign = rng.choice((signal.SIGKILL, signal.SIGQUIT))
            await asyncio.to_thread(restart, self.postgresql, sign)
            felt = True
        return felt

    async def settle(self, history: History, moves: int) -> None:
        """Wait for moves; whatever died meanwhile is started again."""
        wanted, deadline = history.acknowledged + moves, time.monotonic() + 60 + moves / 5
        while history.acknowledged < wanted and time.monotonic() < deadline and not history.gone:
            await asyncio.sleep(0.02)
            await self._revive()

    def _note(self, dead: RestartableServer) -> None:
        """Note why a server died, unless it could not even be started."""
        if dead.gave_up:
            self.gave_up += 1
        elif dead.started:
            self.named += died_at_failpoint(dead)

    async def _revive(self) -> None:
        if ended(self.postgresql):
            # It ends when its disk fails.
            await asyncio.to_thread(start, self.postgresql)
        for server in self.servers:
            if not server.alive:
                self._note(server)
                with contextlib.suppress(NotStarted):
                    await asyncio.to_thread(server.start)


@contextmanager
def _deployment(folder: Path) -> Iterator[Deployment]:
    (folder / "offset").write_text("0")
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="keypeg-deployment-")))
        # For the user that PostgreSQL runs as, who may have no access to `folder`.
        place.chmod(0o755)
        (place / "sync").mkdir()
        (place / "sync").chmod(0o777)
        try:
            disk = stack.enter_context(small_disk(place / "disk", DISK_MEGABYTES))
        except Impossible as reason:
            print(f"without a full disk: {reason}")
            disk = None
        fails = place / "sync" / "fails"
        settings = {"LD_PRELOAD": compiled(), "KEYPEG_TEST_SYNC_FAILS_ONCE": str(fails)}
        # PostgreSQL inherits this, now and whenever it is started again; the servers do not.
        stack.enter_context(patch.dict(os.environ, settings))
        postgresql = stack.enter_context(postgresql_server(disk or place))
        redis = stack.enter_context(redis_server())
        yield Deployment(folder, fails, disk, postgresql, redis)


async def four_servers(
    folder: Path, rng: random.Random, size: Size, faults: Sequence[str] = (), **more: str
) -> Tally:
    """Four servers through every fault, or through `faults` only."""
    with _deployment(folder) as deployment:
        database = await asyncio.to_thread(postgresql_address, deployment.postgresql)
        settings = {
            "LD_PRELOAD": compiled(),
            "KEYPEG_TEST_OFFSET_FILE": f"{folder}/offset",
            "KEYPEG_TEST_SYNC_FAILS_ONCE": "",
            "KEYPEG_REDIS": deployment.redis.url,
            **more,
        }
        with restartable_servers(SERVERS, database, folder, **settings) as servers:
            deployment.servers, deployment.only = servers, faults
            weather = Weather(0.05)
            usual = await _played(deployment, size, weather, rng)
            # At tables where nobody plays any more clocks still run; these must not be turned.
            await asyncio.gather(*(server.end() for server in servers))
            found = Counter(await checked(database, usual, BUSY))
            for server in servers:
                await asyncio.to_thread(server.start)
            small = Size(
                max(2, size.faults // TURNED), size.moves // TURNED, max(3, size.tables // TURNED)
            )
            turned = await _played(deployment, small, weather, rng, "turned-clock")
            await asyncio.gather(*(server.end() for server in servers))
        found.update(await checked(database, turned, wall_clock=False))
    check_log_of_server(servers[0].log)
    kinds, named = deployment.kinds, deployment.named
    kills = kinds.pop("kill", 0) + named
    kinds.update({"doubled message": weather.doubled, "late message": weather.held})
    return Tally(kills, kinds.total(), **found, named=named, kinds=dict(kinds))


async def _played(
    deployment: Deployment,
    size: Size,
    weather: Weather,
    rng: random.Random,
    always: str | None = None,
) -> History:
    """Play through `size.faults` faults: every kind in turn, or always one kind."""
    history, waiting = History(), list[str]()
    ports = [server.port for server in deployment.servers]
    pause = size.tables / PACE
    slower = {"turn_seconds": max(1, round(1.5 * pause))}
    kinds = [{**kind, **slower} if "turn_seconds" in kind else kind for kind in WITHOUT_COMPUTER]
    everybody = guests(
        ports, size.tables, history, rng, kinds=kinds, weather=weather, slips=FEW, pause=pause
    )
    async with everybody:
        for left in range(size.faults, 0, -1):
            await deployment.settle(history, max(1, (size.moves - history.acknowledged) // left))
            if not waiting:
                waiting = [*deployment.only] or deployment.faults()
                rng.shuffle(waiting)
            fault = always or waiting.pop()
            await deployment.make(fault, history, rng)
            print(
                f"  {history.acknowledged:,} moves, {fault}, {left - 1} faults to come", flush=True
            )
        await deployment.settle(history, max(5, size.moves - history.acknowledged))
    return history
