"""`python -m bench versions CHECKOUT`: what a move costs here and in another checkout.

Servers of both take turns, so that whatever else the machine does slows down both. Run nothing
else meanwhile all the same: a busy server commits more moves at once, and each costs less.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from bench import Row, percentile
from bench.load.scenarios import Load, play
from harness.clients.light import raise_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.load.scenarios import Figures

HERE: Final = Path(__file__).parent.parent
GATE: Final = 0.35e-3
STRETCH: Final = 0.25e-3


def main(arguments: list[str], write: Callable[[str, Iterable[Row]], None]) -> None:
    """Measure both checkouts and write the results."""
    options = _options(arguments)
    raise_limits()
    load = Load(options.sockets, options.rate, options.seconds, clients=1)
    runs: dict[str, list[Figures]] = {"there": [], "here": []}
    tell = _as_json if options.json else _as_text
    for number in range(1, options.rounds + 1):
        for name, checkout in (("there", options.checkout), ("here", HERE)):
            run = play(load, checkout=checkout)
            runs[name].append(run)
            print(tell(number, name, run), flush=True)
    rows = list(_rows(load, runs))
    if options.write:
        write("versions", rows)


def _as_text(number: int, name: str, run: Figures) -> str:
    times = [1e3 * percentile(run.times, share) for share in (0.5, 0.99)]
    return (
        f"  round {number}, {name}: {1e3 * run.processor_time:.3f} ms a move, "
        f"{run.moves_per_second:,.0f} moves/s, acknowledged p50 {times[0]:.1f} ms, "
        f"p99 {times[1]:.1f} ms, {run.failed} failed"
    )


def _as_json(number: int, name: str, run: Figures) -> str:
    return json.dumps(
        {
            "round": number,
            "checkout": name,
            "processor_seconds_a_move": run.processor_time,
            "moves_per_second": run.moves_per_second,
            "acknowledged_p50": percentile(run.times, 0.5),
            "acknowledged_p99": percentile(run.times, 0.99),
            "failed": run.failed,
        }
    )


def _rows(load: Load, runs: dict[str, list[Figures]]) -> Iterator[Row]:
    what = f"{load.sockets:,} sockets, {load.rate:,} moves/s"
    there, here = (median(run.processor_time for run in of) for of in runs.values())
    yield Row(f"{what}: processor time a move", here, GATE, stretch=STRETCH)
    yield Row(
        f"{what}: the same in the other checkout is",
        there / here,
        1.0,
        within=False,
        unit="times that",
    )
    for share, target in ((0.5, 0.010), (0.99, 0.050)):
        times = median(percentile(run.times, share) for run in runs["here"])
        yield Row(f"{what}: acknowledged, p{100 * share:g}", times, target)


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench versions", description=__doc__)
    parser.add_argument("checkout", type=Path, help="the folder of another checkout")
    parser.add_argument("--sockets", type=int, default=400)
    parser.add_argument("--rate", type=int, default=1_500, help="moves a second")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="each run as a line of JSON")
    parser.add_argument("--no-write", dest="write", action="store_false")
    return parser.parse_args(arguments)
