"""How fast a graphics processor scores, and how long it takes for a large tree.

The targets of the first rows are what a naive kernel reached on an H200, which only counts, and
1.2 T/s on 5x8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bench import Row
from keypeg.rules.board import Board
from keypeg.rules.code import parse_code
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.gpu.evaluation import check_gpu, evaluate_on_gpu
from keypeg.solver.gpu.trees import Grower
from keypeg.solver.playing.strategies import costs_of, rule_named
from keypeg.solver.progress import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SCORED: Final = {"5x8": (1.2e12, 2e12), "6x9": (0.931e12, None), "8x8": (0.815e12, None)}
"""Boards, with the pairs a second to reach."""

LARGEST: Final = 1 << 15
"""Codes of the region that guesses are tried on."""

PAIRS: Final = 6e11
RULE: Final = "learned"


def main(_names: list[str], keep: Callable[[str, Iterable[Row]], None]) -> None:
    check_gpu()
    keep("gpu", rows())


def rows() -> Iterator[Row]:
    import cupy  # noqa: PLC0415 - an extra

    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    named = f"{device}, {cupy.cuda.Device().attributes['ClockRate'] // 1000:,} MHz"
    for name, (target, stretch) in SCORED.items():
        rate = scored(name)
        yield Row(f"{named}: pairs of {name} counted", rate, target, within=False, stretch=stretch)
    board = Board.parse("8x8")
    found = evaluate_on_gpu(board, RULE, parse_code("11223344", board), tries=250_000)
    what = f"8x8: a tree of {found.total:,} guesses, 250,000 tries"
    yield Row(f"{named}: {what}", found.seconds, 600.0)


def scored(name: str) -> float:
    """Pairs a second: every guess on a region in which all colours are left and were guessed."""
    import cupy  # noqa: PLC0415 - an extra

    space = codespace(Board.parse(name))
    many, n = len(space), min(len(space), LARGEST)
    grower = Grower(space, costs_of(rule_named(RULE), many), Watch(1))
    row = grower.one_region(np.random.default_rng(1).permutation(many)[:n])
    regions = cupy.zeros(max(1, int(PAIRS / (n * many))), cupy.int64)
    times = []
    for _ in range(6):
        began, ended = cupy.cuda.Event(), cupy.cuda.Event()
        began.record()
        grower.search(row, regions, "search_large")
        ended.record()
        ended.synchronize()
        times.append(cupy.cuda.get_elapsed_time(began, ended) / 1000)
    return n * many * len(regions) / float(np.median(times[1:]))
