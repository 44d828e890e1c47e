"""`python -m bench attack`: what others notice while one address attacks a server.

Run nothing else meanwhile: the bystanders' times grow with everything that the machine does. The
server's processor time grows less, and is shown too. `--checkout` attacks another version.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench import Row
from bench.attack.registry import attacks
from bench.attack.siege import besieged, bystanders, ended, load_average, watch
from harness.clients.light import raise_limits
from harness.worst_requests import OVER, PLAYING, fill, serving, warm_up, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.attack.siege import Besieged, Bystanders

GATE: Final = 0.100
STRETCH: Final = 0.050
END_GATE: Final = 5.0
END_STRETCH: Final = 2.0
HOLD_GATE: Final = 0.020
HOLD_STRETCH: Final = 0.005
"""Seconds of processor time."""
CORE_GATE: Final = 0.5
CORE_STRETCH: Final = 0.2
FLOODS: Final = ("pongs", "texts")
"""What the server is told to end under."""


def main(arguments: list[str], write: Callable[[str, Iterable[Row]], None]) -> None:
    """Run the attacks and write what was noticed into the results."""
    options = _options(arguments)
    raise_limits()
    rows = _rows(options)
    if options.write and not options.only and options.checkout is None:
        write("attack", rows)
    else:
        deque(rows, maxlen=0)


def _rows(options: Any) -> Iterator[Row]:
    print(f"Load average {load_average():.1f}.", flush=True)
    names = options.only or list(attacks())
    with tempfile.TemporaryDirectory(prefix="keypeg-attack-") as folder:
        with besieged(Path(folder), options.checkout) as server:
            with bystanders(server.port) as playing:
                for name in (None, *names):
                    yield from _noticed(server, playing, name, options.seconds)
            server.stop()
        if options.checkout is None and not options.only:
            yield _longest_hold(Path(folder))
        for name in FLOODS:
            if name in names:
                with besieged(Path(folder), options.checkout) as server:
                    what = f"{name}: gone after SIGTERM"
                    late = ended(server, name, 2.0)
                    yield _printed(Row(what, late, END_GATE, stretch=END_STRETCH))


def _noticed(
    server: Besieged, playing: Bystanders, name: str | None, seconds: float
) -> Iterator[Row]:
    noticed = watch(server, playing, name, seconds)
    what = f"{name} ({noticed.sent:,} sent)" if name else "at rest"
    for share in (0.5, 0.99):
        row = f"{what}: a bystander's move, p{100 * share:g}"
        yield _printed(Row(row, noticed.late(share), GATE, stretch=STRETCH))
    yield _printed(
        Row(f"{what}: moves lost, turns taken", noticed.lost + noticed.stolen, 0, unit="moves")
    )
    yield _printed(
        Row(
            f"{what}: the server's processor time",
            noticed.cores,
            CORE_GATE,
            unit="cores",
            stretch=CORE_STRETCH,
        )
    )


def _longest_hold(folder: Path) -> Row:
    """The longest callback of the event loop, by the worst of every request and message."""
    folder = folder / "longest"
    folder.mkdir()
    asyncio.run(fill(folder))
    with serving(folder) as loaded:
        asyncio.run(warm_up(loaded))
        found = [
            one for table in (OVER, PLAYING) for one in asyncio.run(worst(loaded, table)).items()
        ]
    what, (milliseconds, _) = max(found, key=lambda one: one[1])
    what = what.replace("|", "/")
    row = f"the event loop held by one of {len(found)} requests and messages, most; by {what}"
    return _printed(Row(row, milliseconds / 1000, HOLD_GATE, stretch=HOLD_STRETCH))


def _printed(row: Row) -> Row:
    verdict = "met" if row.met else "NOT MET"
    print(f"  {row.what}: {row.value:,.4g} {row.unit} ({verdict})", flush=True)
    return row


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench attack", description=__doc__)
    parser.add_argument("--only", choices=attacks(), action="append", help="these alone")
    parser.add_argument("--seconds", type=float, default=8.0, help="for each attack")
    parser.add_argument("--checkout", type=Path, help="attack the server in this checkout instead")
    parser.add_argument("--no-write", dest="write", action="store_false")
    return parser.parse_args(arguments)
