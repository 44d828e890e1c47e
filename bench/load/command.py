"""`python -m bench load`: the promises G1 to G13, measured on this machine.

Run nothing else meanwhile. The load average before each measurement is written with it; a figure
from a busy machine says little. `--scale 0.01` tries everything in a minute or two.
"""

from __future__ import annotations

import argparse
import os
from collections import deque
from typing import TYPE_CHECKING, Any

from bench.load.scenarios import SCENARIOS, Load
from harness.clients.light import raise_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench import Row


def main(arguments: list[str], write: Callable[[str, Iterable[Row]], None]) -> None:
    """Run the measurements and write them into the results."""
    options = _options(arguments)
    raise_limits()
    for name in options.only or SCENARIOS:
        rows = _printed(name, _load(options))
        if options.scale == 1 and options.write:
            # A section each: one can be renewed alone, and has the load average before it.
            write(f"load-{name}", rows)
        else:
            deque(rows, maxlen=0)
    if options.scale != 1:
        print("a trial: the gates are for the whole load, and nothing is written")


def _printed(name: str, load: Load) -> Iterator[Row]:
    """The rows of a measurement, each printed as it comes."""
    scenario = SCENARIOS[name]
    print(f"{name}: {scenario.__doc__} Load average {os.getloadavg()[0]:.1f}.", flush=True)
    for row in scenario(load):
        verdict = "met" if row.met else "NOT MET"
        print(f"  {row.what}: {row.value:,.4g} {row.unit} ({verdict})", flush=True)
        yield row


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench load", description=__doc__)
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="these alone")
    parser.add_argument("--sockets", type=int, default=Load().sockets)
    parser.add_argument("--rate", type=int, default=Load().rate, help="moves a second")
    parser.add_argument("--seconds", type=int, default=Load().seconds)
    parser.add_argument("--clients", type=int, default=Load().clients, help="client processes")
    parser.add_argument("--scale", type=float, default=1.0, help="of every number but time")
    parser.add_argument("--no-write", dest="write", action="store_false")
    return parser.parse_args(arguments)


def _load(options: Any) -> Load:
    scale, usual = options.scale, Load()
    return Load(
        round(options.sockets * scale),
        max(1, round(options.rate * scale)),
        options.seconds,
        options.clients,
        round(usual.returning * scale),
        max(40, round(usual.spectators * scale)),
        round(usual.visits * scale),
        max(10, round(usual.breakers * scale)),
        max(5, round(usual.moves * scale)),
        max(1, round(usual.races * scale)),
    )
