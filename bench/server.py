"""The server: durable moves a second and how soon each is acknowledged, on SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import Row, bench
from bench.load.parts import percentile
from bench.load.scenarios import Load, play

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES = 1_500
SECONDS = 8


@bench
def server() -> Iterator[Row]:
    """At the promised rate, with few and with many sockets."""
    for sockets in (200, 1_000):
        run = play(Load(sockets, MOVES, SECONDS, clients=1))
        kind = f"{sockets:,} sockets of {run.kib_per_socket:.0f} KiB"
        yield Row(f"{kind}: durable moves", run.moves_per_second, MOVES, within=False)
        yield Row(f"{kind}: acknowledged, p50", percentile(run.times, 0.5), 0.010)
        yield Row(f"{kind}: acknowledged, p99", percentile(run.times, 0.99), 0.050)
        yield Row(f"{kind}: processor time a move", run.processor_time, 0.0006)
