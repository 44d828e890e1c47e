"""The server: durable moves a second and how soon each is acknowledged, on SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import Row, bench
from bench.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES = 1_500
SECONDS = 8


@bench
def server() -> Iterator[Row]:
    """At the promised rate, with few and with many sockets."""
    for sockets in (200, 1_000):
        run = load(sockets, MOVES, SECONDS)
        kind = f"{sockets:,} sockets of {run.kib_per_socket:.0f} KiB"
        yield Row(f"{kind}: durable moves", run.moves_per_second, MOVES, within=False)
        yield Row(f"{kind}: acknowledged, p50", run.p50, 0.010)
        yield Row(f"{kind}: acknowledged, p99", run.p99, 0.050)
        yield Row(f"{kind}: processor time a move", run.cpu_per_move, 0.0006)
