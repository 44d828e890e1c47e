"""`python -m bench faults`: rounds of every fault until there were so many kills and moves.

Each finished round is a line of a file, so a run that was stopped goes on where it was. A
broken promise ends the run, names its round, and leaves the round's folder to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench import Row
from bench.faults.scenarios import SCENARIOS, TABLES, Impossible, Size, Tally
from bench.load.sockets import raise_limits

if TYPE_CHECKING:
    from collections.abc import Callable

FAULTS_A_ROUND: Final = {
    "kills-on-sqlite": 20,
    "kills-on-postgresql": 20,
    "four-servers": 12,
    "full-disk": 2,
    "failing-disk": 4,
    "bad-weather": 1,
    "turned-clock": 5,
    "synced-before-told": 1,
}


def main(arguments: list[str], write: Callable[[str, list[Row]], None]) -> None:
    """Run rounds, tell of each, and write the sum into the results."""
    options = _options(arguments)
    raise_limits()
    done = _read(options.state)
    deadline = time.monotonic() + 60 * options.minutes
    print(f"until {options.kills:,} kills and {options.moves:,} moves, {options.minutes} minutes")
    while not _enough(done, options) and time.monotonic() < deadline:
        number = len(done)
        done.append(_round(number, options))
        with options.state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1]) + "\n")
        kills, moves = (sum(one[what] for one in done) for what in ("kills", "moves"))
        print(f"{json.dumps(done[-1])}  in all: {kills:,} kills, {moves:,} moves", flush=True)
    write("faults", _rows(done, options))


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--moves", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=600, help="the most it may take")
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="these faults alone")
    parser.add_argument("--tables", type=int, default=TABLES, help="tables in each round")
    parser.add_argument("--state", type=Path, default=Path("faults.jsonl"))
    return parser.parse_args(arguments)


def _read(state: Path) -> list[dict[str, Any]]:
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text("utf-8").splitlines()]


def _enough(done: list[dict[str, Any]], options: Any) -> bool:
    kills, moves = (sum(one[what] for one in done) for what in ("kills", "moves"))
    tried = {one["fault"] for one in done}
    wanted = set(options.only or SCENARIOS)
    return bool(kills >= options.kills and moves >= options.moves and tried >= wanted)


def _round(number: int, options: Any) -> dict[str, Any]:
    """One round of one fault, the next in turn; mostly kills, once each has been tried."""
    names = options.only or list(SCENARIOS)
    name = names[number % len(names)]
    faults = FAULTS_A_ROUND[name]
    each = max(10, options.moves // max(1, options.kills))
    moves = {"synced-before-told": 90}.get(name, faults * each)
    if name == "bad-weather":
        moves = 20 * each
    folder, began = Path(tempfile.mkdtemp(prefix="keypeg-faults-")), time.monotonic()
    note: dict[str, Any] = {"fault": name, "round": number}
    try:
        size = Size(faults, moves, options.tables)
        tally = asyncio.run(SCENARIOS[name](folder, random.Random(number), size))
    except Impossible as reason:
        note["impossible"], tally = str(reason), Tally(0, 0, 0)
    except AssertionError as violation:
        sys.exit(f"round {number}, {name}: {violation}\nits folder is {folder}")
    shutil.rmtree(folder)
    return {**note, **tally._asdict(), "seconds": round(time.monotonic() - began, 1)}


def _rows(done: list[dict[str, Any]], options: Any) -> list[Row]:
    rounds, faults = Counter(one["fault"] for one in done), sum(one["faults"] for one in done)
    kills, moves = (sum(one[what] for one in done) for what in ("kills", "moves"))
    for reason in sorted({one["impossible"] for one in done if "impossible" in one}):
        print(f"not tried: {reason}")
    kinds = ", ".join(f"{count} {name}" for name, count in rounds.items())
    return [
        Row("G5: kills -9", kills, options.kills, within=False, unit="kills"),
        Row("G5: acknowledged moves", moves, options.moves, within=False, unit="moves"),
        # A run in which one was lost does not come to this line: it ends at its Violation.
        Row("G5: acknowledged moves lost or doubled", 0, 0, unit="moves"),
        Row(f"other faults; rounds: {kinds}", faults, 1, within=False, unit="faults"),
    ]
