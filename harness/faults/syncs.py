"""Whether every acknowledgement waits for its sync, by the server's system calls."""

from __future__ import annotations

import asyncio
import re
import shutil
from typing import TYPE_CHECKING

from harness.checker import Violation
from harness.clients.sockets import greeted, seated
from harness.faults.library import Impossible
from harness.faults.rounds import Size, Tally
from harness.servers.processes import ServerProcess
from harness.servers.settings import KEY
from keypeg import messages as wire
from keypeg.client import Client

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from keypeg.client import Player


async def synced_before_told(
    folder: Path,
    _rng: random.Random,
    size: Size,
    **more: str,
) -> Tally:
    """No acknowledgement leaves before a sync that began after its move was written, by strace.

    Several play at once, so that one sync serves many moves and others are written meanwhile.
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
    seen = _acknowledged(trace.read_text(errors="replace"))
    if seen < each * size.tables:
        raise AssertionError(f"strace saw {seen} of {each * size.tables} acknowledgements")
    return Tally(0, seen, 0)


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


def _acknowledged(trace: str) -> int:
    """How many acknowledgements are in a trace; each must come after a sync of its move."""
    written: dict[str, int] = {}
    begun: dict[str, int] = {}
    seen, synced = 0, -1
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
                seen += 1
                if written.get(move, number) > synced:
                    raise Violation(f"F2: {move} was acknowledged without a sync")
    return seen
