"""The server: durable moves a second and how soon each is acknowledged, on SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench import Row, bench, percentile
from bench.load.scenarios import Load, play

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES: Final = 1_500
OFFERED: Final = (2_000, 3_000)
"""More than is promised: a server cannot do more moves than it is offered."""
SECONDS: Final = 8


@bench
def server() -> Iterator[Row]:
    """Beyond the promised rate and at it, with few and with many sockets."""
    for sockets in (200, 1_000):
        for offered in OFFERED:
            done = play(Load(sockets, offered, SECONDS, clients=1)).moves_per_second
            what = f"{sockets:,} sockets, offered {offered:,} moves/s: durable"
            yield Row(what, done, MOVES, within=False)
        run = play(Load(sockets, MOVES, SECONDS, clients=1))
        kind = f"{sockets:,} sockets of {run.kib_per_socket:.0f} KiB, {MOVES:,} moves/s"
        yield Row(f"{kind}: acknowledged, p50", percentile(run.times, 0.5), 0.010)
        yield Row(f"{kind}: acknowledged, p99", percentile(run.times, 0.99), 0.050)
        yield Row(f"{kind}: processor time a move", run.processor_time, 0.0006)
