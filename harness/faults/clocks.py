"""The wall clock jumps while turns run."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.checker import Violation
from harness.clients.sockets import greeted, seated
from harness.faults.library import compiled
from harness.faults.rounds import Size, Tally
from harness.servers.processes import ServerProcess
from harness.servers.settings import KEY
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.rules.events import RowExpired

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from harness.clients.sockets import Raw

TURN: Final = 2
LATE: Final = 30.0
"""Seconds by which the news of a turn's end may be late on a busy machine; jumps are longer."""
JUMPS: Final = (3600, -3600, 60, -60, 0)


async def turned_clock(folder: Path, rng: random.Random, size: Size, **more: str) -> Tally:
    """The wall clock jumps by up to an hour; turns end when they should."""
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
    """When a turn ended by the server's clock, in milliseconds, and the seconds that it was off."""

    at: int
    offset: int


def check_turns(ends: Sequence[TurnEnd]) -> None:
    """Check that every turn took its time by the server's clock, without the jumps."""
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
        raise Violation("F10: something other than the clock ended the turn")
    return entry.at


def _expired(event: Any) -> bool:
    return isinstance(event, wire.sent_as(RowExpired)) or bool(getattr(event, "expired", False))
